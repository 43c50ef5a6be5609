#!/bin/sh
# The reports on the attention engines: their files, and numbers that are known.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*"; exit 1; }

"$SIM" report | grep -q 'table_errors' || fail "list"
"$SIM" report fig8a table_errors fig5 accuracy --impl c --seeds 1 --out r 2>steps
grep -q '^accuracy: 9 of 9: sigma 8, d 128' steps || fail "steps"
for name in fig8a table_errors fig5 accuracy; do
  for ending in json md svg; do
    [ -s r/$name.$ending ] || fail "no $name.$ending"
  done
  grep -q '</svg>' r/$name.svg || fail "$name.svg"
done
[ "$(find r -type f | wc -l)" -eq 12 ] || fail "other files"

# values NAME FILE: all of a member, one a line; within LOW HIGH VALUE: is it?
values() { awk -v name="\"$1\":" '$1 == name { gsub(",", "", $2); print $2 }' "$2"; }
within() { awk -v low="$1" -v high="$2" -v x="$3" 'BEGIN { exit !(x >= low && x <= high) }' ||
  fail "$3 is not within $1 .. $2"; }

# 1024 / P rows, 14 + 6 + 1 through the pipeline, 3 for each merge.
values cycles r/fig8a.json | tr '\n' ' ' | grep -qx '1045 536 286 170 ' || fail "cycles of fig8a"
values acc r/fig8a.json | tr '\n' ' ' | grep -qx '0 3 9 21 ' || fail "merges of fig8a"
values pipeline r/fig8a.json | tr '\n' ' ' | grep -qx '21 21 21 21 ' || fail "pipeline of fig8a"
values steady_cycles r/fig8a.json | tr '\n' ' ' | grep -qx '1024 512 256 128 ' ||
  fail "cycles of many queries"

# Mitchell's additions are most of the error, and together the three shares are all of it.
for i in 1 2 3 4; do
  share() { sed -n '/"share_percent"/,/}/p' r/table_errors.json | values "$1" - | sed -n "${i}p"; }
  within 40 100 "$(share mitchell)"
  within 0 60 "$(share quantised)"
  within -2 2 "$(share pwl)"
  awk -v a="$(share mitchell)" -v b="$(share quantised)" -v c="$(share pwl)" \
    'BEGIN { c = c > 0 ? c : 0; exit !(a + b + c > 99.99 && a + b + c < 100.01) }' || fail "shares"
done
values pwl r/table_errors.json | grep -qx '2.5' || fail "the paper's row"

# x of additions mostly below 0.1, mantissas spread; each histogram is whole; the largest error of
# 1 + x is at 0.443, sampled.
summary() { sed -n '/"summary"/,/"rows"/p' r/fig5.json | values "$1" - | sed -n "$2p"; }
within 80 95 "$(summary percent_below_0.1 2)"
within 80 95 "$(summary percent_below_0.1 3)"
within 10 20 "$(summary percent_below_0.1 4)"
within 0.0855 0.0861 "$(summary max_error 2)"
within 0.0855 0.0861 "$(summary max_error 4)"
within 3 7 "$(summary max_error 3)"
# 8 windows, 12 heads, tokens 64, 192 .. 960 with 65, 193 .. 961 keys, 64 columns; few are zero.
within 25200000 $((8 * 12 * (8 * 512 + 8) * 64)) "$(summary inputs 8)"
values percent r/fig5.json | awk '{ sum += $1 } END { exit !(sum > 599.99 && sum < 600.01) }' ||
  fail "a histogram is not whole"

# P 4, d 64: sigma 1 is the seventh row, sigma 8 the 31st; what is expected follows each value.
row() { values "$1" r/accuracy.json | sed -n "$((2 * $2 - 1))p"; }
within 0.65 0.95 "$(row mitchell 7)"
within 0.03 0.06 "$(row corrected 7)"
within 0.03 0.06 "$(row fa2 7)"
within 0.06 0.3 "$(row mitchell 31)"
within 0.01 0.05 "$(row corrected 31)"

# Nothing is left of what cannot be written.
"$SIM" report fig8a --impl c --quiet --out /dev/null/x 2>err && fail "a directory in /dev/null"
[ "$(wc -l <err)" -eq 1 ] || fail "message"
"$SIM" report fig8a --impl verilog --out none 2>err && fail "--impl verilog"
[ ! -e none ] || fail "a folder of nothing"
echo "all as expected"
