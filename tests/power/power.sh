#!/bin/sh
# The report `power` of a small engine: its files and rows, the same again at once, and what is refused.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

for sizes in '' 3 257 32, 32,x 4,5,6,7,8 -4; do
  code=0
  "$SIM" report power --head-dim "$sizes" --out refused >out 2>err || code=$?
  [ $code -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -e refused/power.json ] ||
    { echo "--head-dim '$sizes': exit code $code"; cat err; exit 1; }
done

"$SIM" report power --head-dim 4 --quiet --out r
started=$(date +%s)
"$SIM" report power --head-dim 4 --quiet --out again
[ $(($(date +%s) - started)) -le 30 ] || { echo "the second run was no quicker"; exit 1; }
cmp r/power.json again/power.json
for ending in json md svg; do
  [ -s r/power.$ending ] || { echo "no power.$ending"; exit 1; }
done

# Four designs, three inputs, with and without glitches.
count() { grep -c "$1" r/power.json || true; }
[ "$(count '"pj_per_cycle"')" -eq 24 ]
[ "$(count '"input":[[:space:]]*"lm"')" -eq 8 ]
[ "$(count '"design":[[:space:]]*"fa2_onemul"')" -ge 6 ]
[ "$(count '"nets_without_activity":[[:space:]]*0,')" -eq 120 ]
awk '$1 == "\"pj_per_cycle\":" { if (!($2 + 0 > 0)) exit 1 }' r/power.json
grep -qE '\*\*(reproduced|not reproduced|undecided)\*\*' r/power.md
