#!/bin/sh
# One mutant of mutants.sh, in copy SLOT + 1 of the tree: adds a line to WORK_DIR/results,
#   FILE LINE COLUMN LENGTH REPLACEMENT KIND FATE TEST SECONDS HOW     (tab-separated; HOW: Failed, Timeout, ...)
#   one.sh WORK_DIR COUNT MUTANT     exit code 255: there are COUNT already
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$1 count=$2 mutant=$3 slot=$((${SLOT:-0} + 1))
[ "$(grep -vc refused "$work/results")" -lt "$count" ] || exit 255
tree=$work/$slot log=$work/$slot/log begin=$(date +%s)
tab=$(printf '\t')
field() { printf %s "$mutant" | cut -f "$1"; }
file=$(field 1)
name=$(basename "$file"); name=${name%.*}
original=$work/$slot.original
echo 1000 >/proc/self/oom_score_adj || true   # a mutant that allocates for ever is what the kernel stops then

cp -p "$tree/$file" "$original"
restore() {
  cp "$original" "$tree/$file"
  touch "$tree/build/build.ninja"
  case $file in *.v) rm -rf "$tree"/build/units/* ;; esac   # each mutant has its own
}
trap restore EXIT

result() {   # result FATE TEST [HOW]
  restore
  trap - EXIT
  printf '%s\t%s\t%s\t%s\t%s\n' "$mutant" "$1" "$2" $(($(date +%s) - begin)) "${3:--}" >>"$work/results"
  exit 0
}

# Mended by awk, since a replacement may have any character.
line=$(field 2) column=$(field 3) length=$(field 4) text=$(field 5) awk '
  NR == ENVIRON["line"] {
    $0 = substr($0, 1, ENVIRON["column"] - 1) ENVIRON["text"] substr($0, ENVIRON["column"] + ENVIRON["length"])
  }
  { print }' "$original" >"$tree/$file"
touch "$tree/build/build.ninja"   # the build is not made anew for RTL that changed

# Explained mutants are known by the text of their line, before and after.
before=$(sed -n "$(field 2)s/^ *//p" "$original")
after=$(sed -n "$(field 2)s/^ *//p" "$tree/$file")
grep -qxF "$file$tab$before$tab$after" "$work/explained" && result explained -

case $file in *.v) cp "$tree/$file" "$work/$slot.mutant.v" ;; esac

# Firmware is what some tests run without naming it.
case $file in sw/*) firmware='simulator firmware_native' ;; *) firmware= ;; esac

passes() {   # passes REGEX
  targets="$("$here/targets.sh" "$work" "$1") $firmware"
  # shellcheck disable=SC2086
  [ "$targets" = ' ' ] || ninja -C "$tree/build" $targets >"$log" 2>&1 || result refused build
  ctest --test-dir "$tree/build" --stop-on-failure -LE slow -E '_waits|_shapes_|endless' -R "$1" >"$log" 2>&1
}

case $file in
*.v) passes "lint/verilator_$name\$" || result refused lint ;;
esac
checks=$(awk -v file="$file" '/^(#|$)/ { next }
  { pattern = $1; gsub(/\./, "\\.", pattern); gsub(/\*/, ".*", pattern) }
  file ~ "^" pattern "$" && $1 != "*" && !found { found = 1; for (i = 2; i <= NF; i++) print $i }
  $1 == "*" && file !~ /\.v$/ { for (i = 2; i <= NF; i++) print $i }' "$here/checks.txt" | sed "s/@/$name/g")
for check in $checks; do
  passes "$check" || {
    killer=$(sed -nE '/Skipped/d; s|.* ([a-z0-9]+/[A-Za-z0-9_]+) \.+[A-Za-z ]*\*\*\*([A-Za-z]+).*|\1 \2|p' "$log" | head -n 1)
    result killed "${killer% *}" "${killer#* }"
  }
done
case $file in
*.v)
  mkdir -p "$work/$slot.equal"
  "$here/equivalent.sh" "$root/rtl" "$file" "$work/$slot.mutant.v" "$work/$slot.equal" && result equivalent - ;;
esac
result survived -
