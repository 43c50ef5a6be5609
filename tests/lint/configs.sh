#!/bin/sh
# The machines of model/config are parts of one chip: one file gives every value, the others include and say what
# differs. Each value has its source, of those that the first lists; a machine differs only in how much of the
# chip there is, and gives no value that it has anyway.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$1/model/config"
differ="soc.dies soc.ai_cores soc.engines soc.launch_us soc.skew_us gm.slices"
whole=$(grep -L '^include: ' ./*.yaml)
[ -f "$whole" ] || { echo "FAILED: expected one file without include, not $(echo $whole)"; exit 1; }
marks=$(grep '^#' "$whole" | grep -o '\[[A-Z]\]' | tr -d '\n')

awk -v differ="$differ" -v marks="$marks" -v whole="$whole" '
  function failed(text) { print "FAILED: " FILENAME ": " text; bad = 1 }
  FNR == 1 { ++files }
  /^include: / { base[FILENAME] = "./" $2 ".yaml" }
  /^[a-z]+:$/ { section = $1; sub(/:/, "", section) }
  /^  / {
    field = section "." $1; sub(/:/, "", field)
    value[FILENAME, field] = $2
    ++count[FILENAME]
    list[FILENAME, count[FILENAME]] = field
    if ($3 != "#" || !match($4, /^\[[A-Z]\]$/) || !index(marks, $4)) failed(field " has no source, one of " marks)
    if (FILENAME != whole && !index(" " differ " ", " " field " ")) failed(field " is the chip'\''s, not the machine'\''s")
  }
  function inherited(file, field) {
    while (((file, field) in value) == 0 && file in base) file = base[file]
    return value[file, field]
  }
  END {
    for (FILENAME in base)
      for (i = 1; i <= count[FILENAME]; ++i) {
        field = list[FILENAME, i]
        if (value[FILENAME, field] == inherited(base[FILENAME], field)) failed(field " is what it includes")
      }
    if (files < 5 || count[whole] < 50) { print "FAILED: no values found"; bad = 1 }
    exit bad
  }' ./*.yaml

# A value is marked as fitted if, and only if, a fit finds it.
for machine in ./*.yaml; do
  awk '/^[a-z]+:$/ { section = $1; sub(/:/, "", section) } /^  .*# \[F\]/ { sub(/:/, "", $1); print section "." $1 }' "$machine"
done | sort -u >"$dir/marked"
sed -nE 's/^FIT\(([a-z0-9]+), *([a-z0-9_]+),.*/\1.\2/p' ../report/validation/fit.def | sort >"$dir/fitted"
cmp "$dir/marked" "$dir/fitted" || { echo "FAILED: marked [F]: $(cat "$dir/marked"); fitted: $(cat "$dir/fitted")"; exit 1; }

# What the Verilog takes, a report prints.
if grep -n '# \[V\].*[0-9] *\(FO4\|ps\|mm2\)' ./*.yaml; then echo "FAILED: a measured value in a comment"; exit 1; fi

# explain tries every TIME and RATE.
sed -nE 's/^ +PARAM\(([a-z0-9]+), (TIME|RATE), [a-z]+, ([a-z0-9_]+),.*/\1 \2 \3/p' config.def >"$dir/better"
[ "$(wc -l <"$dir/better")" -gt 40 ] || { echo "FAILED: no TIMEs and RATEs found"; exit 1; }
while read -r section class name; do
  { [ $class = TIME ] && grep -q "^  TIMES($section)" ../cli/explain/resources.def; } ||
    grep -q "^  BETTER($section, $name)" ../cli/explain/resources.def ||
    { echo "FAILED: explain does not try $section.$name"; exit 1; }
done <"$dir/better"

# Each value of a system has its source, too, of the same list.
awk -v marks="$marks" '
  /^[a-z]+[a-z_]*: |^ +[a-z- ]+[a-z_]*: / {
    text = $0; sub(/^[^:]*: */, "", text); field = $0; sub(/:.*/, "", field)
    if (field !~ /name$/ && text !~ /^[^ ]+ +# \[[A-Z]\]/) { print "FAILED: " FILENAME ":" field " has no source, one of " marks; bad = 1 }
    ++values
  }
  END { if (values < 20) { print "FAILED: no values found"; bad = 1 } exit bad }' systems/*.yaml
