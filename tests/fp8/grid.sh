#!/bin/sh
# The grid of FlashMLA's own tests: one and two query tokens, dense and causal, top-k 1, 64, 2048 and more
# than the cache has, 64 and 128 heads, varying lengths, pages; inputs of their width. Every result has the
# contract's bits and is within FlashMLA's tolerances with room. `grid.sh full`: longer caches, sinks, other
# blocks and pages, both machines.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*"; exit 1; }
count=0

# value NAME: the number behind it in r.json, where it stands first.
value() { grep -m1 "\"$1\":" r.json | sed 's/.*:[^0-9.-]*//; s/,.*//'; }

# The worst over all outputs, of what FlashMLA allows.
check() {
  count=$((count + 1))
  "$SIM" run fp8 "$@" --verify --golden full --quiet --gm c --json r.json || fail "$*"
  sed -n '/of_flashmla_tolerance/,/}/p' r.json | tr -d '",\n\t' | sed 's/.*{//; s/}.*//; s/out:/ /; s/cos_diff:/ /; s/lse:/ /' |
    awk -v what="$*" '{ if (!($1 <= 0.5 && $2 <= 0.8 && $3 <= 0.5) || NF != 3) { print "FAILED: " what ": " $0; exit 1 } }' ||
    exit 1
}

"$MKNPY" lengths.npy '<i4' 3 c 0=250 1=0 2=3e7
"$MKNPY" sink.npy '<f4' 128 c 0=7f800000 1=ff800000 2=41200000
for sq in 1 2; do
  for heads in 64 128; do
    made="--batch 3 --seq-q $sq --heads $heads --seq-kv 1000 --lengths lengths.npy --dist normal:0.1"
    # shellcheck disable=SC2086
    {
      check $made
      check $made --causal --page-size 64
      for k in 1 64 2048; do
        check $made --top-k $k
      done
    }
  done
done
check --batch 2 --seq-q 2 --seq-kv 500 --top-k 300 --page-size 48 --sink sink.npy --dist normal:0.1 --causal

# Its accuracy on wider inputs, and on the shipped ones.
for data in "--seq-kv 8192 --dist normal:1" "--seq-kv 4096 --dist normal:2" ""; do
  # shellcheck disable=SC2086
  "$SIM" run fp8 $data --verify --quiet --gm c --json r.json || fail "$data"
  awk -v e="$(value rel_fro)" -v c="$(value cos_diff)" -v m="$(value max_abs)" \
    'BEGIN { exit !(e >= 1.3e-3 && e <= 1.8e-3 && c <= 5e-6 && m > 0) }' ||
    fail "$data: error $(value rel_fro), cosine difference $(value cos_diff)"
  grep -q '"bf16_cache":.{' r.json || fail "$data: no error against the BF16 cache"
done

if [ "${1:-}" = full ]; then
  for sq in 1 2; do
    for heads in 64 128; do
      for k in 128 2048 5000; do
        check --batch 4 --seq-q $sq --heads $heads --seq-kv 4096 --top-k $k --dist normal:0.1
      done
      check --batch 2 --seq-q $sq --heads $heads --seq-kv 16384 --page-size 256 --dist normal:0.1 --convert emulated
      check --batch 2 --seq-q $sq --heads $heads --seq-kv 3001 --causal --crossover off --kv-block 128 --dist normal:0.1
    done
  done
  check --config ascend910 --batch 64 --seq-q 2 --seq-kv 2048 --top-k 512 --sink sink.npy --dist normal:0.1
fi
echo "$count shapes"
