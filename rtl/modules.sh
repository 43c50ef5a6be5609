#!/bin/sh
# The files of a module and of all modules named in it, directly or through others, one a line, the module's own
# first. This is the one place that knows what a module needs: there is one module a file, named after it.
#
#   modules.sh [--own] MODULE FOLDER...
#
#   --own     the module's own file only
#   FOLDER    of modules; where several have one of a name, the first counts
#
# Exits 2, with one line, if there is no such module.
# SPDX-License-Identifier: Apache-2.0
set -eu
own=
[ "${1:-}" != --own ] || { own=yes; shift; }
[ $# -ge 2 ] || { sed -n 's/^# \{0,1\}//; 2,10p' "$0" >&2; exit 2; }
module=$1
shift

for folder; do
  for file in "${folder%/}"/*.v; do
    [ ! -f "$file" ] || set -- "$@" "$file"
  done
  shift
done
LC_ALL=C awk -v module="$module" -v own="$own" '
  # Every name that stands outside of a comment counts.
  function name_of(file) { sub(/.*\//, "", file); sub(/\.v$/, "", file); return file }
  FNR == 1 {
    name = name_of(FILENAME)
    first = !(name in file)
    if (first) file[name] = FILENAME
  }
  first {
    sub(/\/\/.*/, "")
    n = split($0, words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= n; i++) names[name, words[i]]
  }
  function take(list, count, name,    i) {   # into its place in the alphabet
    for (i = count; i > 0 && list[i] > name; i--) list[i + 1] = list[i]
    list[i + 1] = name
  }
  END {
    if (!(module in file)) exit 2
    level[1] = module
    seen[module]
    for (count = 1; count > 0; count = more) {
      more = 0
      for (i = 1; i <= count; i++) {
        print file[level[i]]
        if (own) exit 0
        for (name in file)
          if (!(name in seen) && (level[i], name) in names) {
            seen[name]
            take(next_level, more++, name)
          }
      }
      for (i = 1; i <= more; i++) level[i] = next_level[i]
    }
  }' "$@" /dev/null || { echo "$module: no such module" >&2; exit 2; }
