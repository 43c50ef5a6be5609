#!/bin/sh
# The report on the language model: its files, and the numbers that are known.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*"; exit 1; }
values() { awk -v name="\"$1\":" '$1 == name { gsub(",", "", $2); print $2 }' "$2"; }
within() { awk -v low="$1" -v high="$2" -v x="$3" 'BEGIN { exit !(x != "" && x >= low && x <= high) }' ||
  fail "$3 is not within $1 .. $2"; }

"$SIM" report lm --out r 2>steps
grep -q '^lm: 9 of 9: ' steps || fail "steps"
for ending in json md svg; do
  [ -s r/lm.$ending ] || fail "no lm.$ending"
done
grep -q '</svg>' r/lm.svg || fail "lm.svg"

# Rows: FP32; FA-2, H-FA, H-FA corrected with P 1 and 4. Each has its mean, then eight windows.
[ "$(values above_fp32 r/lm.json | wc -l)" -eq 63 ] || fail "seven rows of eight windows"
loss() { values nats_per_byte r/lm.json | sed -n "$((9 * $1 + 2 + $2))p"; }
above() { values above_fp32 r/lm.json | sed -n "$((9 * $1 + 2 + $2))p"; }
window=0
for known in 0.8385 0.9075 0.7783 0.8217 0.7824 0.7595 0.8118 0.8444; do
  awk -v a="$known" -v b="$(loss 0 $window)" 'BEGIN { exit !(a - b < 6e-5 && b - a < 6e-5) }' ||
    fail "FP32, window $window: $(loss 0 $window), not $known"
  within -0.003 0.003 "$(above 1 $window)"
  within -0.003 0.003 "$(above 2 $window)"
  within 0.005 0.05 "$(above 3 $window)"
  within 0.005 0.05 "$(above 4 $window)"
  within -0.002 0.002 "$(above 5 $window)"
  within -0.002 0.002 "$(above 6 $window)"
  window=$((window + 1))
done
within 0.0110 0.0120 "$(above 3 0)"
within 0.0243 0.0253 "$(above 3 1)"
within 0.0005 0.0015 "$(above 1 0)"
within 0.0015 0.0025 "$(above 1 1)"

# The same bits as the engines on the SoC: `run lm` with the same blocks and chunks.
"$SIM" run lm --impl c --eval "$DATA/kjv_val.txt" --windows 2 --quiet --json soc.json
for window in 0 1; do
  [ "$(loss 4 $window)" = "$(values nats_per_byte soc.json | sed -n "$((window + 2))p")" ] ||
    fail "window $window has another loss on the SoC"
done

# Four prompts by four arithmetics; in FP32 the recorded text, unless a choice was close.
[ "$(values text r/lm.json | wc -l)" -eq 16 ] || fail "texts"
values recorded_first_difference r/lm.json | sed -n 1,2p | grep -vqx null &&
  fail "FP32 is not what was recorded"
values first_difference r/lm.json | sed -n '1p;5p;9p;13p' | grep -vqx null &&
  fail "FP32 differs from itself"

# As in table III and figure 5, of which other tests know more.
within 95 100 "$(values mitchell r/lm.json | sed -n 1p)"
within 80 95 "$(values percent_below_0.1 r/lm.json | sed -n 1p)"
echo "all as expected"
