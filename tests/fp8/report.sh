#!/bin/sh
# report fp8, with a small chip: its files, bytes that must be exact, and that crossover halves the
# dequantisation and shortens what it must.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*"; exit 1; }
"$SIM" report fp8 --quiet --cores 4 --batch 4 --seq-kv 64,1024,4096 --out r >stdout 2>stderr ||
  { cat stderr; exit 1; }
[ ! -s stderr ] || fail "says something with --quiet"
for ending in json md svg; do
  [ -s r/fp8.$ending ] || fail "no fp8.$ending"
done
[ "$(find r -type f | wc -l)" -eq 3 ] || fail "other files"

# Rows as "rows convert crossover cycles dequant softmax bytes fu".
awk '
  /"rows_fast_cube"/ { exit }
  { gsub(/[",]/, "", $0); name = $1; sub(/:$/, "", name); v[name] = $2 }
  name == "kv_l2_bytes" { print v["rows"], v["convert"], v["crossover"], v["cycles_per_token"], v["dequant"],
                          v["softmax"], v["kv_l2_bytes"], v["fu"] }' r/fp8.json >rows
[ "$(wc -l <rows)" -eq 12 ] || { cat rows; fail "rows"; }
awk '
  function near(a, b, share) { return a > b * (1 - share) && a < b * (1 + share) }
  { cycles[$1, $2, $3] = $4; dequant[$1, $2, $3] = $5
    if (!($8 > 0 && $8 <= 1) || !near($7, $3 == "on" ? 3080 : 3984, 1e-9)) { print "FAILED: " $0; bad = 1 } }
  END {
    for (r = 64; r <= 256; r *= 2) {
      if (!near(dequant[r, "native", "off"], 18.1, 0.15) || !near(dequant[r, "emulated", "off"], 28.1, 0.1)) bad = 2
      for (i = 0; i < 2; ++i) {
        c = i == 0 ? "native" : "emulated"
        if (!near(dequant[r, c, "on"], dequant[r, c, "off"] / 2, 0.1)) bad = 3
        if (!(cycles[r, c, "on"] <= cycles[r, c, "off"])) bad = 4
      }
    }
    if (!(cycles[64, "native", "off"] > 1.05 * cycles[64, "native", "on"]) ||
        !(cycles[64, "emulated", "off"] > 1.2 * cycles[64, "emulated", "on"]) ||
        !(cycles[128, "emulated", "off"] > 1.15 * cycles[128, "emulated", "on"])) bad = 5
    if (bad) print "FAILED: case " bad
    exit bad
  }' rows || { cat rows; exit 1; }
# What crossover is worth where the cube core is not in its own way: within 15 % of what the vector cores'
# work allows, 24.6 to 17 and 34.6 to 20.6 cycles.
awk '
  /"rows_fast_cube"/ { on = 1 }
  /"direct_path"/ { exit }
  on { gsub(/[",]/, "", $0); name = $1; sub(/:$/, "", name); v[name] = $2 }
  on && name == "cycles_per_token" { cycles[v["convert"], v["crossover"]] = $2 }
  END {
    native = cycles["native", "off"] / cycles["native", "on"]
    emulated = cycles["emulated", "off"] / cycles["emulated", "on"]
    if (!(native > 0.85 * 24.6 / 17 && emulated > 0.85 * 34.6 / 20.6)) { print "FAILED: " native " " emulated; exit 1 }
  }' r/fp8.json || exit 1
# On the direct path a token's bytes through L2 are its own, half of its values', which are stored once for
# two AI cores, and its values': 656 / 2 + 1024 / 2 + 1024.
awk '
  /"rows_direct_path"/ { on = 1 }
  /"calls"/ { exit }
  on && /"kv_l2_bytes"/ { gsub(/[,]/, ""); n++; if ($2 < 1863.9 || $2 > 1864.1) { print "FAILED: " $2; bad = 1 } }
  END { exit bad || n != 4 }' r/fp8.json || fail "L2 bytes of the direct path"
grep -q '"hbm":.656,' r/fp8.json || fail "HBM bytes of a token"
grep -q '"hbm_bf16":.1152,' r/fp8.json || fail "HBM bytes of BF16"
grep -q '"kv_l2_bf16":.2176$' r/fp8.json || fail "L2 bytes of BF16"
[ "$(grep -c '"time_us"' r/fp8.json)" -eq 9 ] || fail "calls"
grep -q '"tflops_crossover":.410' r/fp8.json || fail "what was published"
grep -q 'Hopper' r/fp8.md || fail "Hopper"

status=0
"$SIM" report fp8 --quiet --cores 2 --out odd 2>stderr || status=$?
[ $status -eq 2 ] && grep -q 'crossover' stderr && [ ! -e odd ] || fail "a chip without pairs"
echo "all as expected"
