#!/bin/sh
# Reports: files and rows of a small one, the gates' exit code on the way, and what is refused.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

"$SIM" report table3 table4 --dist 'N(0,25)' --dist uniform:10 --seeds 1 --seq-kv 1024 \
  --cores 2 --out r   # they take one core
for file in table3 table4; do
  for ending in json md svg; do
    [ -s r/$file.$ending ] || { echo "no $file.$ending"; exit 1; }
  done
  has_members r/$file.json dist seeds base amla paper
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
holds '[.rows[].paper | objects | [.time_us, .fu]] == [[95, 0.409], [135, 0.573]]' p/table5.json
holds '.rows | length == 4 and all(
  if .sk == 1024 then 100 * (.time_us / .paper.time_us - 1) - .error_percent | fabs < 1e-6
  else has("error_percent") and .error_percent == null end)' p/table5.json
holds '[.rows[].formula * 10 | round] == [10, 80, 1209, 2418, 4836]' p/table2.json
holds 'any(.rows[].name; startswith("AMLA, preload 2"))' p/ablation.json

# The fit ends at constants with which the errors are as it says.
"$SIM" report validation --quiet --fit table5 --batch 1 --seq-kv 1024 --set soc.ai_cores=2 --set soc.skew_us=1 --set soc.launch_us=50 --out p >fit
grep -q '^soc.skew_us 1$' fit || { cat fit; exit 1; }   # times do not depend on it
grep -q '^Sq 1 Sk 1024 .* [+-]0.0[0-9] %, without it' fit && grep -q '^absolute error of 2 rows: mean 6.4' fit || { cat fit; exit 1; }

# Interrupted: exit code 143, no simulation left, no files.
"$SIM" report table3 --seeds 9 --out cut 2>stderr &
report=$!
sleep 0.5
children=$(cat /proc/$report/task/$report/children)
[ -n "$children" ] || { echo "FAILED: no simulations"; exit 1; }
kill -TERM $report
status=0
wait $report || status=$?
[ $status -eq 143 ] || fail "exit code $status, not 143"
for child in $children; do
  ! kill -0 "$child" 2>kill.err || { echo "FAILED: $child still runs"; exit 1; }
done
[ ! -e cut ]

# A folder's name is not read by a shell, nor by gnuplot.
odd="odd '\"\\ %s 100% \`touch executed\`
!touch executed
\$(touch executed)"
mkdir "$odd"
"$SIM" report ablation --seq-kv 64 --cores 2 --batch 2 --quiet --out "$odd"
[ -s "$odd/ablation.svg" ] && [ ! -e executed ] || { echo "FAILED: $(ls . "$odd")"; exit 1; }

# Nor is it cut, where a path may be that long.
long=$dir
for i in 0 1 2 3 4 5; do long=$long/$(printf '%0200d' $i); done
mkdir -p "$long"
"$SIM" report ablation --html --seq-kv 64 --cores 2 --batch 2 --quiet --out "$long"
[ "$(cd "$long" && ls)" = "ablation.json
ablation.md
ablation.svg
index.html" ] || fail "a long path: $(cd "$long" && ls)"

# What is in the way is told before anything is simulated; no link is replaced, and no input.
mkdir -p way/table3.md
ln -s ../elsewhere.md way/ablation.md
"$SIM" report ablation --seq-kv 64 --cores 2 --batch 2 --quiet --out way
[ -L way/ablation.md ] && [ -s elsewhere.md ] || fail "a link was replaced"
cp "$ROOT/model/config/ascend910_core.yaml" machine.yaml
ln machine.yaml way/fig1.json

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
refused "512 keys" report validation --fit all --seq-kv 512
refused "table9" report table9
refused "N(0,7)" report table3 --dist 'N(0,7)'
refused "U(1)" report table3 --dist 'U(1)'
refused "--seeds" report table3 --seeds 0
refused "way/table3.md: Is a directory" report ablation table3 --seeds 1000 --out way
refused "way/fig1.json: is read" report ablation fig1 --config machine.yaml --out way
cmp machine.yaml "$ROOT/model/config/ascend910_core.yaml"
refused "stderr" report table3 --seeds 1 --seq-kv 64 --out stderr
echo "all as expected"
