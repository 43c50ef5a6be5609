#!/bin/sh
# report gm_area on the RTL as it is: says nothing with --quiet, writes three files, and of these an integer adder
# in a memory lane is a small part of the multiplier that it stands for.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*"; exit 1; }
"$SIM" report gm_area --quiet --out r >said 2>&1 || { cat said; exit 1; }
[ ! -s said ] || { cat said; fail "says something with --quiet"; }
for ending in json md svg; do
  [ -s r/gm_area.$ending ] || fail "no gm_area.$ending"
done
awk '
  { gsub(/[",]/, ""); name = $1; sub(/:$/, "", name) }
  name == "unit" { unit = $2 }
  name == "nand2" { nand2[unit] = nand2[unit] == "" || $2 < nand2[unit] ? $2 : nand2[unit] }
  END {
    raw = nand2["gm_s32_raw"]; guarded = nand2["gm_s32_guarded"]; mul = nand2["fp32_mul"]
    if (!(raw > 100 && guarded > raw && mul > 8 * guarded)) { print "FAILED: " raw " " guarded " " mul; exit 1 }
  }' r/gm_area.json
echo "all as expected"
