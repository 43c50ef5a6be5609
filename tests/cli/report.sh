#!/bin/sh
# Reports: files and rows of a small one, the gates' exit code on the way, and what is refused.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

"$SIM" report table3 table4 --dist 'N(0,25)' --dist uniform:10 --seeds 1 --seq-kv 1024 \
  --cores 2 --out r   # they take one core
for file in table3 table4; do
  for ending in json md svg; do
    [ -s r/$file.$ending ] || { echo "no $file.$ending"; exit 1; }
  done
  for field in dist seeds base amla paper; do
    grep -q "\"$field\"" r/$file.json || { echo "no $field in $file.json"; exit 1; }
  done
done
grep -q 'N(0,25)' r/table3.json
grep -q 'U(10)' r/table4.json
grep -q '</svg>' r/table4.svg
[ "$(find r -type f | wc -l)" -eq 6 ]

# Performance reports, shrunk: their files, a value of the paper, and errors computed from it.
{ "$SIM" report fig10 fig1 --quiet --batch 2 --cores 2 --seq-kv 64,1024 --out p &&
  "$SIM" report table2 ablation --quiet --batch 2 --cores 2 --seq-kv 64 --out p
} 2>stderr || { cat stderr; exit 1; }
[ ! -s stderr ]
for file in table2.json table2.md table5.json table5.md fig10.svg fig1.json fig1.md fig1.svg \
  ablation.json ablation.md ablation.svg; do
  [ -s p/$file ] || { echo "no $file"; exit 1; }
done
[ "$(find p -type f | wc -l)" -eq 11 ]
field() { awk -v name="\"$1\":" '$1 == name { gsub(",", "", $2); print $2 }' "$2"; }
[ "$(field time_us p/table5.json | grep -cx '95')" -eq 1 ] || { echo "no paper's time"; exit 1; }
[ "$(field fu p/table5.json | grep -cx '0.573')" -eq 1 ] || { echo "no paper's FU"; exit 1; }
awk '
  $1 == "\"sk\":" { sk = $2 + 0 }
  $1 == "\"time_us\":" && !seen && !compared { time = $2 + 0; seen = 1 }
  $1 == "\"error_percent\":" && sk == 1024 && !compared { error = $2 + 0; compared = 1; seen = 0 }
  $1 == "\"error_percent\":" && sk != 1024 { if ($2 !~ /^null/) exit 1; seen = 0 }
  $1 == "\"paper\":" && sk == 1024 && !paper { getline; paper = $2 + 0
    want = 100 * (time / paper - 1); if (want - error > 1e-6 || error - want > 1e-6) exit 1 }
  END { if (!paper) exit 1 }' p/table5.json || { echo "FAILED: errors of table5"; exit 1; }
awk '$1 == "\"formula\":" { printf "%.1f ", $2 }' p/table2.json |
  grep -qx '1.0 8.0 120.9 241.8 483.6 ' ||
  { echo "FAILED: formulas of table2"; exit 1; }
grep -q '"name":.*AMLA, preload 2' p/ablation.json

# The fit ends at constants with which the errors are as it says.
"$SIM" report table5 --quiet --fit sq2 --fit-error max --batch 2 --cores 2 --seq-kv 1024 \
  --set soc.skew_us=4.7 --set gm.l2_latency_us=6.5 --out p >fit
grep -q '^soc.skew_us ' fit
grep -q 'largest 0.0[0-4] %' fit || { cat fit; exit 1; }   # one entry, three constants

# Interrupted: exit code 130, no simulation left, no files.
"$SIM" report table3 --seeds 9 --out cut 2>stderr &
report=$!
sleep 0.5
children=$(cat /proc/$report/task/$report/children)
[ -n "$children" ] || { echo "FAILED: no simulations"; exit 1; }
kill -TERM $report
status=0
wait $report || status=$?
[ $status -eq 130 ] || { echo "FAILED: exit code $status, not 130"; exit 1; }
for child in $children; do
  ! kill -0 "$child" 2>kill.err || { echo "FAILED: $child still runs"; exit 1; }
done
[ ! -e cut ]

"$SIM" report | grep -q ablation
"$SIM" report table3 --dist 'N(0,7)' --out none 2>stderr && exit 1
[ ! -e none ]

refused() {   # refused FRAGMENT ARGS...
  fragment=$1
  shift
  status=0
  "$SIM" "$@" >stdout 2>stderr || status=$?
  if [ $status -ne 2 ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -qF -e "$fragment" stderr; then
    echo "FAILED $*: exit code $status"
    cat stderr
    exit 1
  fi
}
refused "name one" report --seeds 1
refused "table2" report table1
refused "--seq-kv" report table5 --seq-kv 1024,
refused "--seq-kv" report table3 --seq-kv 64,128
refused "--seq-kv" report table2 --seq-kv 64,128
refused "--seq-kv" report ablation --seq-kv 64,128
refused "--cores" report table5 --cores 99
refused "--config" report table5 --config
refused "mars" report fig1 --config mars
refused "soc.wheels" report fig1 --set soc.wheels=4
refused "512 keys" report table5 --fit all --seq-kv 512
refused "table9" report table9
refused "N(0,7)" report table3 --dist 'N(0,7)'
refused "U(1)" report table3 --dist 'U(1)'
refused "--seeds" report table3 --seeds 0
refused "stderr" report table3 --seeds 1 --seq-kv 64 --out stderr
echo "all as expected"
