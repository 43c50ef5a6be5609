#!/bin/sh
# Breaks the RTL in known ways and expects the checks to notice: each *.sed here is one mutant, its
# first lines naming the file it changes and the check that must fail.
#
#   run.sh WORK_DIR [NAME...]     all mutants, or those named
#
# The intact RTL passes the same checks in tests of their own.  Exits 0 when every mutant is caught.
# SPDX-License-Identifier: Apache-2.0
set -u
[ $# -ge 1 ] || { echo "usage: run.sh WORK_DIR [NAME...]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$1
shift
[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*.sed | sed 's/^..//; s/\.sed$//')

# check KIND FILE DIR: runs one check on FILE; 0 passed, 1 failed, more: a tool failed
check() {
  case $1 in
  'prove '*)
    "$root/tb/formal/prove.sh" "${1#prove }" "$2" "$3"
    ;;
  vectors)
    iverilog -g2005 -o "$3/vectors.vvp" "$root/tb/icarus/fp32_add_vectors.v" "$2" || return 2
    vvp "$3/vectors.vvp" "+vectors=$root/tb/vectors/f32_add.txt" >"$3/vectors.log" || return 2
    grep -q PASS "$3/vectors.log" && return 0
    grep -q FAIL "$3/vectors.log" && return 1
    return 2
    ;;
  *)
    echo "run.sh: unknown check '$1'"
    return 2
    ;;
  esac
}

survivors=0
count=0
for name in "$@"; do
  sed_file=$here/$name.sed
  file=$(sed -n 's/^# file: //p' "$sed_file")
  kind=$(sed -n 's/^# caught by: //p' "$sed_file")
  dir=$work/$name
  mutant=$dir/$(basename "$file")
  mkdir -p "$dir" || exit 2
  sed -f "$sed_file" "$root/$file" >"$mutant" || exit 2
  count=$((count + 1))
  if cmp -s "$root/$file" "$mutant"; then
    echo "$name: changes nothing in $file; update it"
    survivors=$((survivors + 1))
    continue
  fi
  check "$kind" "$mutant" "$dir" >"$dir/check.log" 2>&1
  case $? in
  1) echo "$name: caught by $kind: $(grep -m1 -E 'Assert failed|Unreached|expected' \
       "$dir/check.log" "$dir"/vectors.log 2>/dev/null | sed 's/^[^:]*://; s/^## *[0-9:]* *//')" ;;
  0) echo "$name: SURVIVED $kind"; survivors=$((survivors + 1)) ;;
  *) echo "$name: $kind did not run"; cat "$dir/check.log"; survivors=$((survivors + 1)) ;;
  esac
done
echo "$count mutants, $survivors not caught: $([ $survivors -eq 0 ] && echo PASS || echo FAIL)"
[ $survivors -eq 0 ]
