#!/bin/sh
# The report `power` of a small engine: its files and rows, the same again at once, what is refused, and
# Ctrl-C while netlists are simulated.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

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
holds '.rows | length == 24 and all(.pj_per_cycle > 0) and ([.[] | select(.input == "lm")] | length) == 8 and
  ([.[] | select(.design == "fa2_onemul")] | length) >= 6' r/power.json
holds '[.. | objects | select(has("nets_without_activity")).nets_without_activity] | length == 120 and all(. == 0)' \
  r/power.json
grep -qE '\*\*(reproduced|not reproduced|undecided)\*\*' r/power.md

# Interrupted: the FAUs are to be simulated again.
for place in "$RESULTS"/place-*_fau-D4-*; do
  rm -f "$(cat "$place")"/power-*.json
done
"$SIM" report power --head-dim 4 --out cut 2>err &
report=$!
tries=0
until grep -q simulation err || [ $tries -gt 100 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
sleep 2
before=$(date +%s)
kill -INT $report
status=0
wait $report || status=$?
[ $status -eq 130 ] && [ "$(tail -n 1 err)" = 'amalgam: interrupted' ] || { echo "exit code $status"; cat err; exit 1; }
[ $(($(date +%s) - before)) -le 2 ] || { echo "it went on"; exit 1; }
[ ! -e cut ] || { echo "a report of an interrupted run"; exit 1; }
[ -z "$(find "$RESULTS" -path '*_fau-*' -name 'power-*.json.*')" ] || { echo "a result that is half-written"; exit 1; }
