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
  sh "$BUILD_FIRMWARE" wrong_"$1".c >/dev/null
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
