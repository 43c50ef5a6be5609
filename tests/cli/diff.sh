#!/bin/sh
# amalgam diff: what it says about two runs, held to their JSON by jq; exit codes; what it refuses.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

run() {   # run FILE OPTION...
  file=$1
  shift
  "$SIM" run amla --heads 16 --seq-kv 512 --gm c --quiet --json "$file" "$@"
}
# compare CODE A B OPTION...: the exit code is CODE; what it prints is in said, its JSON in d.json
compare() {
  want=$1
  shift
  status=0
  "$SIM" diff "$@" --json d.json >said 2>err || status=$?
  [ "$status" = "$want" ] && [ ! -s err ] || fail "diff $*: exit code $status, $(cat err)"
}
value() { jq -r "$1" "$2"; }

run a.json
run again.json --threads 1
run slow.json --set gm.l2_latency_us=1.5 --config ascend910_die --cores 1
run split.json --kv-block 128 --seed 3

# A run made again is the same; what it was asked to write, and how long it took, is nobody's difference.
compare 0 a.json a.json
[ "$(cat said)" = "no difference" ] || fail "a.json and itself: $(cat said)"
compare 0 a.json again.json
holds '[.differences[].name] == ["options"]' d.json
holds '.differences[0].after == "--threads 1"' d.json

# A slower machine: which parameters, from the machine's files and --set; how many cycles; the same bits.
compare 1 a.json slow.json
holds '[.differences[] | select(.name == "gm.l2_latency_us").after] == [1.5]' d.json
holds '[.differences[] | select(.name == "config")][0] | .before == "ascend910_core" and .after == "ascend910_die"' d.json
holds '[.differences[] | select(.name == "soc.ai_cores")] == []' d.json   # --cores 1 of 24
holds '[.differences[].of] | index("bits and errors") == null' d.json
before=$(value .cycles a.json) after=$(value .cycles slow.json)
holds "[.differences[] | select(.name == \"cycles\")][0] |
  .before == $before and .after == $after and .beyond and (.change - ($after - $before) / $before | fabs) < 1e-12" d.json
grep -qE "^\* cycles +$before +$after +\+" said || fail "no row of the cycles: $(cat said)"
# Waits are in parts of the run's cycles, and what a pipe never waited for is 0.
flag='[.pipes[] | select(.core == "cube0" and .pipe == "MTE2")][0].stall.flag // 0'
want=$(jq -s "((.[1] | $flag) - (.[0] | $flag)) / .[0].cycles" a.json slow.json)
holds "[.differences[] | select(.name == \"cube0 MTE2.flag\")][0].change - ($want) | fabs < 1e-12" d.json
# The first heading is what was run; in a part the largest comes first.
sed -n 2p said | grep -qx 'what was run' || fail "the table begins with $(sed -n 2p said)"
holds '.differences | map(select(.of | startswith("pipes: cycles"))) | map(.change // 1e30 | fabs) |
  length > 12 and . == (sort | reverse)' d.json
grep -q 'and [0-9]* more' said || fail "all waits are shown"
compare 1 a.json slow.json --all
! grep -q 'and [0-9]* more' said || fail "--all: not all waits are shown"
holds ".differences | length == $(grep -cE '^[* ] [a-z]' said)" d.json

# Another seed and another order of sums: errors differ.
compare 1 a.json split.json
holds '[.differences[] | select(.of == "bits and errors").name] | index("error.rel_fro") != null' d.json
holds '[.differences[] | select(.name == "options")][0].after | test("--kv-block 128.*--seed 3")' d.json

# A tolerance is of the results: exactly the largest difference is within, less is not.
jq '.cycles = 1000 | .time_us = 5' a.json >k.json
jq '.cycles = 1030 | .time_us = 5.05 | .shape.heads = 17' a.json >l.json
compare 0 k.json l.json --tolerance 0.03
grep -q '^3 differences, 0 of results' said || fail "--tolerance 0.03: $(tail -n 1 said)"
compare 1 k.json l.json --tolerance 0.0299
holds '[.differences[] | select(.beyond).name] == ["cycles"]' d.json
compare 1 k.json l.json --tolerance 0
holds '[.differences[] | select(.beyond).name] == ["cycles", "time_us"]' d.json
# No tolerance covers a result that one of the two lacks.
jq 'del(.traffic.l2_read)' k.json >less.json
compare 1 k.json less.json --tolerance 1000
compare 1 less.json k.json --tolerance 1000
jq '.new = {a: [1, {b: 2}]}' k.json >more.json
compare 1 k.json more.json --tolerance 1000
holds '[.differences[].name] == ["new.a[0]", "new.a[1].b"]' d.json
jq '.new.a[1].b = 3' more.json >other.json
compare 1 more.json other.json --tolerance 0.49
compare 0 more.json other.json --tolerance 0.51
# Digits that a table would not show.
jq '.fu = 0.5000000000000001' k.json >digits.json
jq '.fu = 0.5' k.json >half.json
compare 1 half.json digits.json
grep -q '^\* fu .* 0.5 .*0.5000000000000001' said || fail "$(cat said)"
# Runs without a machine of the SoC; machines that are not there any more; other kernels.
"$SIM" run hfa --impl c --quiet --json hfa.json
"$SIM" run hfa --impl c --quiet --json hfa2.json --blocks 2
compare 1 hfa.json hfa2.json
holds '[.differences[] | select(.name == "config.blocks" or .name == "engine.blocks").after] == [2]' d.json
compare 1 a.json hfa.json --tolerance 1e29
jq '.config = "gone.yaml"' a.json >gone.json
compare 0 a.json gone.json
# Quiet says nothing; a terminal gets no control characters.
"$SIM" diff k.json l.json --quiet >said && fail "--quiet: exit code 0" || [ ! -s said ] || fail "--quiet: $(cat said)"
jq '.text = "\u001b[31m\nred" | .["\u0007x"] = 1' k.json >red.json
compare 1 k.json red.json
[ -z "$(tr -d '[:print:]\n' <said)" ] || fail "control characters"

# refused PATTERN ARGUMENT...: exit code 2, one line, no file
refused() {
  pattern=$1
  shift
  rm -f out.json
  status=0
  "$SIM" diff "$@" --json out.json >out 2>err || status=$?
  [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && [ ! -e out.json ] || fail "$*: exit code $status, $(cat err)"
  grep -q "$pattern" err || fail "$*: '$(cat err)' says nothing of '$pattern'"
}
echo '{"kernel":' >broken.json
echo '[1, 2]' >list.json
refused "diff: expected two files" a.json
refused "diff: expected two files.* 3" a.json a.json a.json
refused "none.json: No such file" a.json none.json
refused "broken.json: no JSON; expected the file" broken.json a.json
refused "list.json: kernel: expected a text" a.json list.json
for cycles in '"1"' null 0.5 -1; do
  jq ".cycles = $cycles" a.json >bad.json
  refused "bad.json: cycles: expected a whole number" bad.json a.json
done
jq '.pipes = [1]' a.json >bad.json
refused "bad.json: pipes: expected" a.json bad.json
refused "tolerance: expected a number" a.json a.json --tolerance=-1
cp a.json out2.json
status=0
"$SIM" diff a.json out2.json --json out2.json 2>err || status=$?
[ "$status" = 2 ] && cmp -s a.json out2.json || fail "an input was written"
