#!/bin/sh
# The RTL and its C model give the same bits and the same cycles.
# SPDX-License-Identifier: Apache-2.0
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../script.sh"
tests=0

same() {   # same KERNEL OPTIONS...
  for impl in rtl c; do
    "$SIM" run "$@" --impl $impl --quiet --out $impl.npy --json $impl.json
    jq 'del(.host, .config.impl)' $impl.json >$impl.cut
  done
  cmp rtl.npy c.npy && cmp rtl.cut c.cut || { echo "FAILED: $*"; exit 1; }
  tests=$((tests + 1))
}

# Shapes of tests attention/*, so that the RTL is there already.
small="--blocks 2 --rows 64 --head-dim 8"
# shellcheck disable=SC2086
for kernel in "hfa $small" "hfa $small --lns corrected" "hfa $small --zero-exact" "fa2 $small" \
  "fa2 $small --one-mul" "hfa --blocks 2 --rows 32 --head-dim 4 --queries 4"; do
  for keys in 1 32 65 130; do
    same $kernel --seq-q 9 --seq-kv $keys --seed $keys
  done
  for keys in 2 33 63; do
    same $kernel --seq-q 9 --seq-kv $keys --seed $keys --causal --dist normal:5
  done
  d=${kernel#*--head-dim }
  d=${d%% *}
  "$MKNPY" q.npy '<u2' "9,$d" c $((2 * d - 1))=7f80
  "$MKNPY" k.npy '<u2' "70,$d" c $((6 * d + 1))=7fc0
  "$MKNPY" v.npy '<u2' "70,$d" c $((43 * d + 2))=ff80
  "$MKNPY" mask.npy '|u1' 9,70
  same $kernel --q q.npy --k k.npy --v v.npy --mask mask.npy --causal
  same $kernel --q q.npy --k k.npy --v v.npy --mask mask.npy --softmax-scale -3
done
# shellcheck disable=SC2086
same hfa --blocks 3 --queries 2 --rows 21 --head-dim 5 --seq-q 4 --seq-kv 40
# shellcheck disable=SC2086
"$SIM" run hfa $small --seq-kv 40 --trace w.fst --quiet
[ "$(head -c 1 w.fst | od -An -tu1)" -eq 0 ] && [ "$(wc -c <w.fst)" -gt 1000 ] ||
  { echo "FAILED: no waveforms"; exit 1; }
# Interrupted: exit code 130, the waveforms so far.
time_of() { fst2vcd "$1" | sed -n 's/^#//p' | tail -n 1; }
# shellcheck disable=SC2086
"$SIM" run hfa $small --seq-q 300000 --trace cut.fst --quiet 2>err &
run=$!
for _ in $(seq 100); do   # until its file has begun
  sleep 1
  [ -n "$(find . -name 'cut.fst.part-*' -size +0)" ] || continue
  sleep 1
  kill -INT $run 2>kill.err
  break
done
status=0
wait $run || status=$?
[ $status -eq 130 ] && grep -q interrupted err && [ "$(find . -name 'cut*')" = ./cut.fst ] ||
  { echo "FAILED: exit code $status after a signal; $(find . -name 'cut*')"; exit 1; }
[ "$(time_of cut.fst)" -gt "$(time_of w.fst)" ] || { echo "FAILED: waveforms end at $(time_of cut.fst), before $(time_of w.fst)"; exit 1; }
# Interrupted while the result is written, to a pipe too small for it: nothing is left. ThreadSanitizer would keep the
# signal until the write is done.
if [ -z "${AMALGAM_SLOWED:-}" ]; then
  mkfifo pipe
  # shellcheck disable=SC2086
  "$SIM" run hfa $small --seq-q 7000 --seq-kv 16 --trace late.fst --out pipe --quiet 2>err &
  run=$!
  exec 3<pipe   # waits for the writer
  kill -INT $run
  status=0
  wait $run || status=$?
  exec 3<&-
  [ $status -eq 130 ] && grep -q interrupted err && [ -z "$(find . -name 'late*')" ] ||
    { echo "FAILED: exit code $status after a signal; $(find . -name 'late*')"; exit 1; }
fi

# An engine is built where make and the compiler's flags take none of the folders by their names.
odd="it's a \$folder ä"
mkdir -p "$odd/sw"
cp -r "$root/rtl" "$root/model" "$odd"
cp -r "$root/sw/hal" "$odd/sw"
unit() { AMALGAM_UNIT_FLAGS=-O0 sh "$odd/model/engine/build_unit.sh" "$1" "$odd/units" hfa 0 2 1 1 2 1; }
[ "$(unit build)" = "$(unit find)" ] && [ -s "$(unit find)" ] || { echo "FAILED: no engine in $odd"; exit 1; }
tests=$((tests + 1))
echo "$tests pairs of runs"
