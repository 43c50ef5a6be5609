#!/bin/sh
# The machines of model/config are parts of one chip: one file gives every value, the others include and say what
# differs. Each value has its source, of those that the first lists; a machine differs only in how much of the
# chip there is, and gives no value that it has anyway.
# SPDX-License-Identifier: Apache-2.0
set -eu
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
