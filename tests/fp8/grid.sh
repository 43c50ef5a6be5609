#!/bin/sh
# The grid of FlashMLA's own tests: one and two query tokens, dense and causal, top-k 1, 64, 2048 and more
# than the cache has, 64 and 128 heads, varying lengths, pages; inputs of their width. Every result has the
# contract's bits and is within FlashMLA's tolerances with room. `grid.sh full`: longer caches, sinks, other
# blocks and pages, both machines.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

count=0

# The worst over all outputs, of what FlashMLA allows.
check() {
  count=$((count + 1))
  "$SIM" run fp8 "$@" --verify --golden full --quiet --gm c --json r.json || fail "$*"
  jq -e '.error.of_flashmla_tolerance | map_values(numbers) == . and length == 3 and
    .out <= 0.5 and .cos_diff <= 0.8 and .lse <= 0.5' r.json >/dev/null ||
    fail "$*: $(jq -c .error.of_flashmla_tolerance r.json)"
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
check --seq-q 2 --heads 64 --seq-kv 900 --causal --dist normal:0.1 --row-sum tree
check --batch 2 --seq-q 2 --seq-kv 500 --top-k 300 --page-size 48 --sink sink.npy --dist normal:0.1 --causal

# Its accuracy on wider inputs, and on the shipped ones.
for data in "--seq-kv 8192 --dist normal:1" "--seq-kv 4096 --dist normal:2" ""; do
  # shellcheck disable=SC2086
  "$SIM" run fp8 $data --verify --quiet --gm c --json r.json || fail "$data"
  jq -e '.error | .rel_fro >= 1.3e-3 and .rel_fro <= 1.8e-3 and .cos_diff <= 5e-6 and .max_abs > 0 and
    (.bf16_cache | type == "object")' r.json >/dev/null || fail "$data: $(jq -c .error r.json)"
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
