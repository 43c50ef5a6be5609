#!/bin/sh
# tables.sh REPORT...: tables of README.md, docs/ and rtl/README.md that these reports make say what the reports say.
#
#   From `./amalgam report NAME ...`:        each cell stands in a row of the report that begins alike
#   Summary of `./amalgam report NAME ...`:  each number of each row stands in the report
#   a row whose last cell is `./amalgam report NAME ...`:  so do the numbers of the cell before
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
: >failed
fail() { echo "$*" | tee -a failed; }

# Kind, page, arguments of report, row.
(cd "$ROOT" && ls README.md docs/*.md rtl/README.md) >pages
: >rows
while read -r page; do
  awk -v page="$page" '
    function command(line) { sub(/.*`\.\/amalgam report /, "", line); sub(/`.*/, "", line); return line }
    /^From `\.\/amalgam report / { kind = "rows"; what = command($0); row = 0; next }
    /^Summary of `\.\/amalgam report / { kind = "numbers"; what = command($0); row = 0; next }
    /^\|.*`\.\/amalgam report [^`]*` \|$/ { line = $0; one = command($0)
      sub(/ *\| *`[^`]*` *\|$/, "", line); sub(/.*\| /, "", line)
      print "numbers\t" page "\t" one "\t| " line " |"; next }
    /^\|/ { if (kind != "" && ++row > 2) print kind "\t" page "\t" what "\t" $0; next }
    NF && row { kind = "" }' "$ROOT/$page" >>rows
done <pages

wanted() {   # wanted WORD...: every report that these arguments name is one of those asked for
  for word in "$@"; do
    case $word in -*) return 0 ;; esac
    case " $reports " in *" $word "*) ;; *) return 1 ;; esac
  done
}
reports="$*"

cut -f 3 rows | sort -u >commands
checked=0
while read -r arguments; do
  # shellcheck disable=SC2086
  wanted $arguments || continue
  rm -rf out
  more=
  case $arguments in fig8a*) more='--impl c' ;; esac    # the C model has the RTL's cycles
  # shellcheck disable=SC2086
  "$SIM" report $arguments $more --out out --quiet || { fail "report $arguments: exit code $?"; continue; }
  cat out/*.md >report.md
  awk -F '\t' -v what="$arguments" '$3 == what' rows >mine
  checked=$((checked + $(wc -l <mine)))
  awk -F '\t' '
    function trim(s) { gsub(/^ +| +$/, "", s); return s }
    NR == FNR {
      line = $0
      while (match(line, /[0-9]+(\.[0-9]+)?/)) {
        number[substr(line, RSTART, RLENGTH)] = 1; line = substr(line, RSTART + RLENGTH) }
      if ($0 ~ /^\|/) {
        n = split($0, cell, "|"); key = trim(cell[2]) "|" trim(cell[3])
        for (i = 2; i < n; ++i) there[key, trim(cell[i])] = 1
      }
      next
    }
    $1 == "rows" {
      n = split($4, cell, "|"); key = trim(cell[2]) "|" trim(cell[3])
      for (i = 2; i < n; ++i) if (trim(cell[i]) != "" && !((key, trim(cell[i])) in there)) {
        print $2 ": " $4 ": " trim(cell[i]) " is not in report " $3; bad = 1 }
    }
    $1 == "numbers" {
      line = $4
      while (match(line, /[0-9]+\.[0-9]+|[0-9][0-9]+/)) {
        if (!(substr(line, RSTART, RLENGTH) in number)) {
          print $2 ": " $4 ": " substr(line, RSTART, RLENGTH) " is not in report " $3; bad = 1 }
        line = substr(line, RSTART + RLENGTH) }
    }
    END { exit bad }' report.md mine || fail "report $arguments"
done <commands
echo "$checked rows"
[ ! -s failed ] && [ "$checked" -ge 1 ]
