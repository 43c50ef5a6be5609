#!/bin/sh
# The reports on the attention engines: their files, and numbers that are known.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

"$SIM" report | grep -q 'table_errors' || fail "list"
"$SIM" report fig8a fig5 accuracy --impl c --seeds 1 --out r 2>steps
grep -q '^accuracy: 9 of 9: sigma 8, d 128' steps || fail "steps"
for name in fig8a fig5 accuracy; do
  for ending in json md svg; do
    [ -s r/$name.$ending ] || fail "no $name.$ending"
  done
  grep -q '</svg>' r/$name.svg || fail "$name.svg"
done
[ "$(find r -type f | wc -l)" -eq 9 ] || fail "other files"

# 1024 / P rows, 14 + 6 + 1 through the pipeline, 3 for each merge.
holds '.rows | map(.cycles) == [1045, 536, 286, 170] and map(.acc) == [0, 3, 9, 21] and map(.pipeline) == [21, 21, 21, 21] and
  map(.steady_cycles) == [1024, 512, 256, 128]' r/fig8a.json   # the last: cycles of many queries

# x of additions mostly below 0.1, mantissas spread; each histogram is whole; the largest error of
# 1 + x is at 0.443, sampled.
summary() { holds "[.summary[] | select(.set == \"$1\" and .kind == \"$2\")] | length == 1 and all($3)" r/fig5.json; }
summary normal add '.["percent_below_0.1"] | 80 <= . and . <= 95'
summary normal subtract '.["percent_below_0.1"] | 80 <= . and . <= 95'
summary normal mantissa '.["percent_below_0.1"] | 10 <= . and . <= 20'
summary normal add '.max_error | 0.0855 <= . and . <= 0.0861'
summary normal mantissa '.max_error | 0.0855 <= . and . <= 0.0861'
summary normal subtract '.max_error | 3 <= . and . <= 7'
# 8 windows, 12 heads, tokens 64, 192 .. 960 with 65, 193 .. 961 keys, 64 columns; few are zero.
summary 'language model' mantissa '.inputs | 25200000 <= . and . <= 8 * 12 * (8 * 512 + 8) * 64'
holds '[.rows[].percent] | add - 600 | fabs < 0.01' r/fig5.json

# With blocks of 4, d 64; what is expected is in each row, too.
row() {   # row SIGMA ENGINE LOW HIGH
  holds "[.rows[] | select(.d == 64 and .blocks == 4 and .sigma == $1).$2] | length == 1 and all($3 <= . and . <= $4)" \
    r/accuracy.json
}
row 1 mitchell 0.65 0.95
row 1 corrected 0.03 0.06
row 1 fa2 0.03 0.06
row 8 mitchell 0.06 0.3
row 8 corrected 0.01 0.05

# Nothing is left of what cannot be written.
"$SIM" report fig8a --impl c --quiet --out /dev/null/x 2>err && fail "a directory in /dev/null"
[ "$(wc -l <err)" -eq 1 ] || fail "message"
"$SIM" report fig8a --impl verilog --out none 2>err && fail "--impl verilog"
[ ! -e none ] || fail "a folder of nothing"
echo "all as expected"
