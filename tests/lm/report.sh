#!/bin/sh
# The report on the language model: its files, and the numbers that are known.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

"$SIM" report lm --out r 2>steps
grep -q '^lm: 11 of 11: ' steps || fail "steps"
for ending in json md svg; do
  [ -s r/lm.$ending ] || fail "no lm.$ending"
done
grep -q '</svg>' r/lm.svg || fail "lm.svg"

# Rows: FP32; FA-2, H-FA, H-FA corrected, ExpMul with P 1 and 4. Each has its mean, and eight windows.
holds '.rows | length == 9 and all((.windows | length) == 8)' r/lm.json
holds '[0.8385, 0.9075, 0.7783, 0.8217, 0.7824, 0.7595, 0.8118, 0.8444] as $known |
  [.rows[0].windows[].nats_per_byte] | [., $known] | transpose | all(.[0] - .[1] | fabs < 6e-5)' r/lm.json
above() {   # above ROW LOW HIGH: of all its windows
  holds ".rows[$1].windows | all(.above_fp32 | numbers | $2 <= . and . <= $3) and
    ([.[].above_fp32 | numbers] | length) == 8" r/lm.json
}
above 1 -0.003 0.003
above 2 -0.003 0.003
above 3 0.005 0.05
above 4 0.005 0.05
above 5 -0.002 0.002
above 6 -0.002 0.002
above 7 -0.01 0.01
above 8 -0.01 0.01
holds '[.rows[3].windows[0, 1], .rows[1].windows[0, 1] | .above_fp32] | .[0] >= 0.0110 and .[0] <= 0.0120 and .[1] >= 0.0243 and .[1] <= 0.0253 and
  .[2] >= 0.0005 and .[2] <= 0.0015 and .[3] >= 0.0015 and .[3] <= 0.0025' r/lm.json

# The same bits as the engines on the SoC: `run lm` with the same blocks and chunks.
"$SIM" run lm --impl c --eval "$DATA/kjv_val.txt" --windows 2 --quiet --json soc.json
holds '[.[0].rows[4].windows[0, 1].nats_per_byte] == [.[1].windows[].nats_per_byte]' r/lm.json soc.json

# Four prompts by five arithmetics; in FP32 the recorded text, unless a choice was close.
holds '.prompts | map(.texts | length) == [5, 5, 5, 5]' r/lm.json
holds '.prompts[0, 1] | has("recorded_first_difference") and .recorded_first_difference == null' r/lm.json
holds '.prompts | all(.texts[0] | has("first_difference") and .first_difference == null)' r/lm.json

# As in table III and figure 5, of which other tests know more.
holds '.table_errors[0].mitchell | 95 <= . and . <= 100' r/lm.json
holds '.fig5[0]["percent_below_0.1"] | 80 <= . and . <= 95' r/lm.json
echo "all as expected"
