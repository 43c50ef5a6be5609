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

source_of() {
  wanted=$1
  shift
  for folder; do
    [ ! -f "${folder%/}/$wanted.v" ] || { echo "${folder%/}/$wanted.v"; return; }
  done
}
next=$(source_of "$module" "$@")
[ -n "$next" ] || { echo "$module: no such module" >&2; exit 2; }
[ -z "$own" ] || { echo "$next"; exit 0; }
modules=$(for folder; do ls "$folder"; done | sed -n 's/\.v$//p')
seen=" $module "
while [ -n "$next" ]; do
  echo "$next"
  new=
  # Every name that stands outside of a comment counts.
  for name in $(echo "$next" | while read -r file; do cat "$file"; done | sed 's,//.*,,' |
    grep -owF "$modules" | sort -u); do
    case $seen in *" $name "*) continue ;; esac
    seen="$seen$name "
    new="$new$(source_of "$name" "$@")
"
  done
  next=${new%?}
done
