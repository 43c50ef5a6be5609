#!/bin/sh
# report gm_area on the RTL as it is: says nothing with --quiet, writes three files, and of these an integer adder
# in a memory lane is a small part of the multiplier that it stands for.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../tests/script.sh"

"$SIM" report gm_area --quiet --out r >said 2>&1 || { cat said; exit 1; }
[ ! -s said ] || { cat said; fail "says something with --quiet"; }
for ending in json md svg; do
  [ -s r/gm_area.$ending ] || fail "no gm_area.$ending"
done
holds 'def least(unit): [.rows[] | select(.unit == unit).nand2] | min;
  least("gm_s32_raw") > 100 and least("gm_s32_guarded") > least("gm_s32_raw") and
  least("fp32_mul") > 8 * least("gm_s32_guarded")' r/gm_area.json
echo "all as expected"
