#!/bin/sh
# amalgam blame and --watch: the default AMLA run, whose chain leads to an input and recomputes, term by
# term; what --watch logs fits together, and changes neither bits nor cycles; an expected result of one's own; what both
# refuse.  SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

# The chain of the default run.
"$SIM" run amla --gm c --quiet --json r.json --out plain.npy
"$SIM" blame r.json --worst --json why.json >why.txt
holds '.off == 0 and .by == "FP64" and .line == ""' why.json
holds '.end.from == "input" and (.end.element | test("^(q|kv)\\["))' why.json
holds '(.chain | length) > 15, ([.chain[].leaves] | all(. == false))' why.json
holds '[.chain[] | select(.opcode == "MMAD")] | length >= 2' why.json
# Each link's value again, from its operands: an MMAD's products one after the other, in double precision.
cat >again.jq <<'E2'
def near(a; b; slack): ((a - b) | if . < 0 then -. else . end) <= slack;
def at(f): [.operands[] | select(.field == f) | .value][0];
def b: at("b") // (.command | capture("scalar=(?<s>[-+.e0-9]+)").s | tonumber);
def of_mmad: .products as $n | .operands as $o |
  reduce range($n) as $i (($o[2 * $n] // {value: 0}).value; . + $o[$i].value * $o[$i + $n].value);
def of_vec: (.command | capture("op=(?<op>[A-Z_]+)").op) as $op |
  if $op == "MUL" then at("a") * b elif $op == "DIV" then at("a") / b elif $op == "ADD" then at("a") + b
  elif $op == "SUB" then at("a") - b elif $op == "EXP" then (at("a") | exp)
  elif $op == "RECIP" then 1 / at("a") elif $op == "ABS" then (at("a") | fabs) elif $op == "RSQRT" then 1 / (at("a") | sqrt)
  elif $op == "MAX" then ([at("a"), b] | max) elif $op == "ROW_MAX" then ([.operands[].value] | max)
  else .fp64 end;
def again: if .opcode == "MMAD" then of_mmad elif .opcode == "VEC" then of_vec
  elif (.operands | length) == 1 then .operands[0].value else .fp64 end;
[.chain[] | select(.fp64 != "nan")] | map(near(again; .value; .slack) and near(again; .fp64; .slack)) | length > 15 and all
E2
holds "$(cat again.jq)" why.json
jq '.chain[].value |= if type == "number" then . * 1.01 else . end' why.json >bent.json   # the test of the test
! jq -e "$(cat again.jq)" bent.json >/dev/null || fail "a chain of other values recomputes, too"
# Tables of the same.
"$SIM" blame r.json --worst --quiet --csv why
[ "$(wc -l <why.chain.csv)" -eq $(($(jq '.chain | length' why.json) + 1)) ] || fail "why.chain.csv: $(cat why.chain.csv)"
[ "$(wc -l <why.operands.csv)" -eq $(($(jq '[.chain[].operands | length] | add' why.json) + 1)) ] || fail "why.operands.csv"
head -n 1 why.chain.csv | grep -q '^element,type,cycle,core,.*,value,fp64,' || fail "$(head -n 1 why.chain.csv)"
[ "$(sed -n 2p why.operands.csv)" = "$(jq -r '.chain[0].operands[0] | "1,\(.field),\(.element),\(.value)"' why.json)" ] ||
  fail "why.operands.csv: $(sed -n 2p why.operands.csv)"
[ -e why.changes.csv ] || fail "no changes"
# What each link read is what the next one left.
holds '[.chain[:-1] as $a | .chain[1:] as $b | range($a | length) | $a[.].operands[$a[.].followed].value == $b[.].value] | all' why.json

# Roots and reciprocals, which AMLA does without: |1/x| of a number below 0.
{
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }"
  for i in 1 2 3 4 5 6 7 8; do printf '\000\000\100\300'; done   # -3
} >x.npy
"$SIM" run custom --firmware "$FIRMWARE/tests/roots.elf" --in x.npy --out-shape 8 --quiet --json roots.json
"$SIM" blame roots.json --element 5 --quiet --json roots_why.json
holds '[.chain[].command | capture("op=(?<op>[A-Z]+)").op] == ["STORE", "RSQRT", "ABS", "RECIP"]' roots_why.json
holds '[.chain[].value] | .[3] < 0 and .[2] == -.[3] and .[1] > 1.732 and .[1] < 1.7321' roots_why.json
holds '[.chain[] | .fp64] | all(type == "number")' roots_why.json
holds '[.chain[].leaves] | all(. == false)' roots_why.json
holds "$(sed 's/length > 15 and all/length == 5 and all/' again.jq)" roots_why.json

# --watch: the same bits and cycles; what a line says was there is what the line before left.
"$SIM" run amla --quiet --json watched.json --out watched.npy --watch 'gm:out[3,17]' --watch 'gm:o[3,17]' --watch-log watch.txt
cmp plain.npy watched.npy
[ "$(jq .cycles r.json)" = "$(jq .cycles watched.json)" ] || fail "--watch changes cycles"
[ "$(jq .pipes r.json)" = "$(jq .pipes watched.json)" ] || fail "--watch changes pipes"
awk '$4 == "o[3,17]" { if (n++ && $6 != last) exit 1; last = $8 } END { exit n < 8 }' watch.txt || fail "watch.txt: not one after the other"
grep -q "MTE3 .*COPY_OUT .*out\[3,17\] BF16  NaN -> .*attention_output.h:" watch.txt || fail "watch.txt: no store to out[3,17]"
bits=$(od -An -tu2 -j $((128 + 2 * (3 * 512 + 17))) -N2 plain.npy | tr -d ' ')
value=$(awk '$4 == "out[3,17]" { print $8 }' watch.txt)
awk -v bits="$bits" -v value="$value" 'BEGIN {
  m = 1 + bits % 128 / 128; e = int(bits / 128) % 256; x = m * 2 ^ (e - 127); if (bits >= 32768) x = -x
  d = x - value; exit !(d < 1e-7 && d > -1e-7) }' || fail "out[3,17]: bits $bits, watched $value"
"$SIM" run amla --gm c --quiet --watch cube0.l0c:0+64 --watch-log - >l0c.txt
grep -q "cube0.M .*MMAD .*cube0.l0c:0x0 F32  NaN -> .* (16 of 16)" l0c.txt || fail "l0c.txt: no first MMAD"

# Other kernels: an element that somebody names.
"$SIM" run flash --heads 2 --seq-q 32 --seq-kv 64 --gm c --quiet --json flash.json
"$SIM" blame flash.json --element 5 --quiet --json flash_why.json 2>err || fail "flash: $(cat err)"
holds '.end.from == "input"' flash_why.json

refuses() {   # refuses FRAGMENT WORD...: exit code 2, one line
  fragment=$1 status=0
  shift
  "$SIM" "$@" >out.txt 2>err || status=$?
  [ "$status" -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] || fail "$*: exit code $status, $(cat err)"
  grep -qF -e "$fragment" err || fail "$*: expected '$fragment', got $(cat err)"
}
"$SIM" run amla --heads 4 --seq-q 1 --seq-kv 64 --gm c --quiet --json small.json
# Of a product's terms the chain follows the largest, whatever its sign.
for element in 0,0 0,7 1,100 2,5 2,300 3,17 3,18 3,19; do
  "$SIM" blame small.json --element $element --quiet --json "term.$element.json"
done
jq -s '[.[].chain[] | select(.opcode == "MMAD") | .products as $n | .operands as $o | .followed as $f | select($f < 2 * $n) |
  ([range($n) | $o[.].value * $o[. + $n].value]) as $terms | {term: $terms[$f % $n], most: ($terms | map(fabs) | max)}]' \
  term.*.json >terms.json
holds 'length > 8 and all((.term | fabs) == .most) and any(.term < 0) and any(.term > 0)' terms.json

# What nobody wrote is to blame, if no change of a line is looked for.
"$MKNPY" in.npy '<f4' 4,8
"$MKNPY" want.npy '<f4' 4
status=0
"$SIM" run custom --firmware "$FIRMWARE/tests/unwritten.elf" --in in.npy --out-shape 4 --param 1 --expect want.npy --quiet \
  --json unwritten.json 2>err || status=$?
[ $status -eq 1 ] || fail "unwritten: exit code $status, $(cat err)"
"$SIM" blame unwritten.json --element 3 --no-repair --quiet --json why.json
holds '.why == "it reads what no command wrote" and (.line | startswith("unwritten.c:"))' why.json

# A store of several elements shows the first one that it has changed, not the first one that it has written.
"$SIM" run amla --heads 4 --seq-kv 192 --kv-block 16 --skip-noop --gm c --quiet --watch gm:o --watch 'gm:o[0,0]' --watch 'gm:o[1,0]' \
  --watch 'gm:o[2,0]' --watch 'gm:o[3,0]' --watch-log o.txt
awk '/^#/ { next }
  / of [0-9]*\)/ { at = $1 $2; whole_same = $6 == $8; kept = 0; next }
  $1 $2 == at && $6 == $8 { kept = 1 }
  $1 $2 == at && $6 != $8 { if (whole_same) wrong = 1; late += kept }
  END { exit wrong || late == 0 }' o.txt || fail "--watch: not the first element that changed: $(head -n 20 o.txt)"

refuses "expected one file" blame
refuses "--worst: cannot go with --element" blame small.json --worst --element 1,2
refuses "--csv: expected what the files' names begin with" blame small.json --element 1,2 --csv -
refuses "expected 0 to 3, got 4" blame small.json --element 4,0
refuses "2 dimensions, got 3 numbers" blame small.json --element 1,2,3
refuses "expected an element as 3,17" blame small.json --element x
refuses "no array 'x'" blame small.json --element 'gm:x[1]'
refuses "--watch: expected gm:NAME[I,J]" run amla --watch out
refuses "--watch: expected gm:NAME[I,J]" run amla --watch cube0.l2:0+4
refuses "--watch: expected gm:NAME[I,J]" run amla --watch 'gm:out[1'
refuses "--watch-log: needs --watch" run amla --watch-log x
refuses "--timing-only" run amla --timing-only --watch gm:out
refuses "no array 'nobody'" run amla --heads 4 --seq-q 1 --seq-kv 64 --gm c --quiet --watch gm:nobody --json none.json
[ ! -e none.json ] || fail "a file was written"
refuses "no such bytes" run amla --heads 4 --seq-q 1 --seq-kv 64 --gm c --quiet --watch cube0.l0c:0xffffffffff+4
"$SIM" run amla --timing-only --gm c --quiet --json timing.json
refuses "that run has no values" blame timing.json
