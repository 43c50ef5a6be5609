#!/bin/sh
# amalgam list: the kernels, machines, reports and studies that there are, by other ways to see them.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
same() { cmp -s "$1" "$2" || fail "$1 is not $2: $(diff "$1" "$2")"; }
names() { "$SIM" list "$1" | awk '{ print $1 }'; }

"$SIM" help | awk '/^[A-Z]/ { kernels = $0 == "KERNELS" } kernels && /^  [a-z]/ { print $1 }' >want
names kernels >got
same got want
[ "$(wc -l <got)" -ge 10 ] || fail "few kernels: $(cat got)"
ls "$ROOT"/model/config/*.yaml | sed 's|.*/||; s|\.yaml$||' >want
names configs >got
same got want
"$SIM" list configs | awk 'NF < 4 { exit 1 }' || fail "a machine without a word: $("$SIM" list configs)"
ls "$ROOT"/model/config/systems/*.yaml | sed 's|.*/||; s|\.yaml$||' >want
names systems >got
same got want
"$SIM" list systems | awk 'NF < 4 { exit 1 }' || fail "a system without a word: $("$SIM" list systems)"
"$SIM" report | awk '/^  / { print $1 }' >want
names reports >got
same got want

# Studies: one's own, with what they ask, however that is written, and whatever else is wrong with them; and the shipped ones.
mkdir studies
printf 'question: >\n  Where does it\n  go?\ncommand: [1, 2]\nwhat: {is: this}\n' >studies/one.yaml
printf 'question: "To b\303\251?"\n' >studies/two.yaml
printf 'axes: [\n' >studies/broken.yaml
printf 'no study\n' >studies/readme.txt
"$SIM" list studies >said 2>err
[ ! -s err ] || fail "list studies: $(cat err)"
[ "$(head -n 3 said | tr -s ' ')" = "$(printf ' studies/broken.yaml\n studies/one.yaml Where does it go?\n studies/two.yaml To b\303\251?')" ] || fail "$(cat said)"
tail -n +4 said | awk '{ print $1 }' >got
{ ls "$ROOT"/studies/*.yaml 2>/dev/null || :; } >want
same got want
mkdir elsewhere
(cd elsewhere && AMALGAM_HOME=$dir "$SIM" list studies) | awk '{ print $1 }' >got
printf '%s\n' "$dir"/studies/broken.yaml "$dir"/studies/one.yaml "$dir"/studies/two.yaml >want
same got want
AMALGAM_HOME=$dir "$SIM" list studies | awk '{ print $1 }' >got
ls studies/*.yaml >want
same got want

"$SIM" list >all
for what in kernels configs reports studies; do
  grep -q "^$what: " all || fail "no $what"
  "$SIM" list $what | while read -r line; do grep -qF -- "$line" all || fail "$what: not in all: $line"; done
done

for words in kernel "kernels configs"; do
  status=0
  # shellcheck disable=SC2086
  "$SIM" list $words >out 2>err || status=$?
  [ "$status" = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] || fail "list $words: exit code $status"
done
"$SIM" list kernel 2>&1 | grep -q "did you mean kernels" || fail "no hint"
