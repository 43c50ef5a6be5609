#!/bin/sh
# firmware/wrong.c with each of its mistakes: blame, the race detector or a message names the line that has it. Of the
# kernel without a mistake nothing is blamed.  SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
source=$(pwd)/firmware/wrong.c
cd "$dir"
fail() { echo "wrong_kernels.sh: $*" >&2; exit 1; }

"$WRONG_ARRAYS" 0.25

build() {   # build BUG
  printf '#define BUG %s\n#include "%s"\n' "$1" "$source" >wrong_"$1".c
  sh "$BUILD/firmware.sh" wrong_"$1".c >/dev/null
}

run() {   # run BUG: its exit code
  rm -f r.json
  status=0
  "$SIM" run custom --firmware wrong_"$1".elf --in a.npy --in b.npy --out-shape 48,64 --expect want.npy --tolerance 3e-3 \
    --param 0.25 --json r.json --quiet 2>err || status=$?
  echo "$status"
}

build 0
[ "$(run 0)" -eq 0 ] || fail "without a mistake: $(cat err)"
"$SIM" blame r.json --json why.json --quiet
[ "$(jq -r .line why.json)" = "" ] && [ "$(jq .off why.json)" -eq 0 ] || fail "a right kernel is blamed: $(cat why.json)"

# --trace-on error: the waveforms end with the command that is to blame, in the line that has the mistake. Result, cycles
# and exit code are those without.
traced() {   # traced BUG LINE
  cp r.json untraced.json
  status=0
  "$SIM" run custom --firmware wrong_"$1".elf --in a.npy --in b.npy --out-shape 48,64 --expect want.npy --tolerance 3e-3 \
    --param 0.25 --json r.json --out out.npy --trace w.fst --trace-on error --trace-last 700 >said 2>err || status=$?
  [ $status -eq 1 ] && grep -q '^amalgam: out of tolerance' err && [ "$(wc -l <err)" -eq 1 ] || fail "BUG $1 traced: $status, $(cat err)"
  [ "$(jq '[.cycles, .pipes]' r.json)" = "$(jq '[.cycles, .pipes]' untraced.json)" ] || fail "BUG $1: a trace changes cycles"
  grep -q "^trace    w.fst: cycles [0-9]* to [0-9]*, .* at wrong.c:$2 " said || fail "BUG $1, line $2: $(cat said)"
  to=$(sed -n 's/^trace .* to \([0-9]*\),.*/\1/p' said)
  from=$(sed -n 's/^trace .* cycles \([0-9]*\) to .*/\1/p' said)
  [ $((to - from)) -eq 700 ] && [ "$to" -le "$(jq .cycles r.json)" ] || fail "BUG $1: cycles $from to $to"
  core=$(sed -n "s/^trace .*, \([a-z0-9_]*\) \([A-Z0-9]*\) \([A-Z0-9_]*\) at .*/\1/p" said)
  "$SIM" run custom --firmware wrong_"$1".elf --in a.npy --in b.npy --out-shape 48,64 --param 0.25 --quiet --log log.txt
  awk -v core="$core" -v to="$to" -v line="wrong.c:$2 " '$3 == to && index($4, core) == 1 && index($0, line) { found = 1 } END { exit !found }' log.txt ||
    fail "BUG $1: no command of $core in line $2 is done at cycle $to"
  if command -v fst2vcd >/dev/null; then
    fst2vcd w.fst | sed -n 's/^#//p' | awk -v from="$from" -v to="$to" -v ps="$(jq '1e6 / .machine["soc.clock_mhz"]' r.json)" '
      NR == 1 { first = $1 } { last = $1 }
      END { exit !(first >= (from - 1) * ps && last >= (to - 2) * ps && last <= (to + 1) * ps) }' ||
      fail "BUG $1: waveforms of other cycles than $from to $to"
  fi
}

# docs/why-wrong.md shows the first mistake, as k.c.
build 1
[ "$(run 1)" -eq 1 ] || fail "BUG 1: $(cat err)"
"$SIM" blame r.json >why.txt
{ cat err; head -n 4 why.txt; } | sed 's/wrong\.c/k.c/' >shown
while IFS= read -r one; do
  grep -qxF -e "$one" "$ROOT/docs/why-wrong.md" || fail "docs/why-wrong.md does not show: $one"
done <shown

bugs=0 named=0
for bug in $(sed -n 's/.*\/\/ BUG \([0-9]*\):.*/\1/p' "$source" | sort -n); do
  line=$(grep -n "// BUG $bug:" "$source" | cut -d: -f1)
  build "$bug"
  status=$(run "$bug")
  case $status in
    1)
      "$SIM" blame r.json --json why.json >why.txt
      said=$(jq -r '.line + ": " + .why' why.json)
      blamed=$(jq -r .line why.json)
      case $bug in 1 | 5) traced "$bug" "$line" ;; esac
      # A buffer in the way: it alone goes elsewhere, and all elements are right then.
      [ "$bug" -ne 8 ] || jq -e '.why | test("all [0-9]* elements are right with: dst 0x[0-9a-f]* elsewhere: it overlaps another buffer")' why.json \
        >/dev/null || fail "BUG 8: $(cat why.txt)"
      ;;
    3)
      said=$(cat err)
      blamed=$(grep -o 'wrong\.c:[0-9]*' err | grep -xF "wrong.c:$line" | head -n 1 || true)
      ;;
    *) fail "BUG $bug: exit code $status, $(cat err)" ;;
  esac
  bugs=$((bugs + 1))
  case $blamed in
    "wrong.c:$line"*) named=$((named + 1)) ;;
    *) echo "BUG $bug is in line $line" ;;
  esac
  echo "BUG $bug, line $line: $said"
done
echo "$named of $bugs"
[ "$bugs" -ge 14 ] && [ "$named" -ge 13 ] || fail "$named of $bugs lines are named"
