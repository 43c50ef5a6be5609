#!/bin/sh
# report fp8, with a small chip: its files, bytes that must be exact, and that crossover halves the
# dequantisation and shortens what it must.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

"$SIM" report fp8 --quiet --cores 4 --batch 4 --seq-kv 64,1024,4096 --out r >stdout 2>stderr ||
  { cat stderr; exit 1; }
[ ! -s stderr ] || fail "says something with --quiet"
for ending in json md svg; do
  [ -s r/fp8.$ending ] || fail "no fp8.$ending"
done
[ "$(find r -type f | wc -l)" -eq 3 ] || fail "other files"

# Crossover halves the dequantisation, and costs nowhere; a token's bytes through L2 are exact.
near='def near(want; share): . > want * (1 - share) and . < want * (1 + share);
  def row($rows; $convert; $crossover):
    [.[] | select(.rows == $rows and .convert == $convert and .crossover == $crossover)] |
    if length == 1 then .[0] else error("no such row") end;'
holds "$near"' .rows | length == 12 and all(. as $row | .fu > 0 and .fu <= 1 and
  (.kv_l2_bytes | near({"on": 3080, "off": 3984}[$row.crossover]; 1e-9)))' r/fp8.json
holds "$near"' .rows as $all | all(64, 128, 256; . as $rows | $all |
  (row($rows; "native"; "off").dequant | near(18.1; 0.15)) and
  (row($rows; "emulated"; "off").dequant | near(28.1; 0.1)) and
  all("native", "emulated"; . as $convert | $all | row($rows; $convert; "off") as $off | row($rows; $convert; "on") |
    (.dequant | near($off.dequant / 2; 0.1)) and .cycles_per_token <= $off.cycles_per_token))' r/fp8.json
worth='def worth($rows; $convert): row($rows; $convert; "off").cycles_per_token / row($rows; $convert; "on").cycles_per_token;'
holds "$near $worth"' .rows | worth(64; "native") > 1.05 and worth(64; "emulated") > 1.2 and
  worth(128; "emulated") > 1.15' r/fp8.json
# What crossover is worth where the cube core is not in its own way: within 15 % of what the vector cores'
# work allows, 24.6 to 17 and 34.6 to 20.6 cycles.
holds "$near $worth"' .rows_fast_cube | worth(.[0].rows; "native") > 0.85 * 24.6 / 17 and
  worth(.[0].rows; "emulated") > 0.85 * 34.6 / 20.6' r/fp8.json
# On the direct path a token's bytes through L2 are its own, half of its values', which are stored once for
# two AI cores, and its values': 656 / 2 + 1024 / 2 + 1024.
holds '.rows_direct_path | length == 4 and all(.kv_l2_bytes - 1864 | fabs < 0.1)' r/fp8.json
holds '.bytes_per_token == {"hbm": 656, "hbm_bf16": 1152, "kv_l2_bf16": 2176}' r/fp8.json
holds '(.calls | length == 9 and all(.time_us > 0)) and .paper.tflops_crossover == 410' r/fp8.json
grep -q 'Hopper' r/fp8.md || fail "Hopper"

status=0
"$SIM" report fp8 --quiet --cores 2 --out odd 2>stderr || status=$?
[ $status -eq 2 ] && grep -q 'crossover' stderr && [ ! -e odd ] || fail "a chip without pairs"
echo "all as expected"
