#!/bin/sh
# A flat netlist of one unit of the RTL for simulation: what unit.sh makes of it and of the boxes inside
# it, linked.  So it has the cells that the areas are made of, and the same lane is the same cells
# everywhere.  Prints the folder, which holds netlist.json; what is there already is not made again.
#
#   power_netlist.sh CLOCK LIBERTY UNIT [PARAM=VALUE ...]
#
#   CLOCK  the period to close, in the library's FO4: unit.sh's --clock
#
# AMALGAM_SYNTH as of unit.sh.  Exits 2, with one line, if there is no such library, unit or parameter,
# 1 if a tool fails.
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -ge 3 ] || { sed -n 's/^# \{0,1\}//; 2,11p' "$0" >&2; exit 2; }
clock=$1 liberty=$2 unit=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
results=${AMALGAM_SYNTH:?is not set: the folder for results}

parts=$("$here/hierarchy.sh" "$clock" "$liberty" "$unit" "$@") || exit
folders=$(echo "$parts" | sed 's/^[^ ]* //')

# The folders are named after all that went into them.
sum=$( { echo "$folders" | sed 's,.*/\([^/]*/[^/]*\)$,\1,'; cat "$0" "$here/link.sh"; } | sha256sum | cut -c1-12)
whole=$results/power-$unit-$sum
mkdir -p "$whole"
exec 9>"$whole/lock"     # who comes second waits, and finds it made
flock 9
[ ! -f "$whole/netlist.json" ] || { echo "$whole"; exit 0; }

work=$(mktemp -d "$results/power.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
library=$("$here/library.sh" "$liberty")
# shellcheck disable=SC2086
"$here/link.sh" "$library" "$work" "hierarchy -check -top $unit; flatten; opt_clean -purge; check -assert; select $unit;
  setattr -unset src -unset module_not_derived; json -o $work/netlist.json" $folders 2>"$work/error" || {
  echo "unit $unit: $(cat "$work/error")" >&2
  exit 1
}
mv "$work/log" "$whole/log"
mv "$work/netlist.json" "$whole/netlist.json"
echo "$whole"
