#!/bin/sh
# Synthesises one module of the RTL and prints the folder of what came out. What is there already is
# not made again: folders are named after all that went in.
#
#   unit.sh [--boxes] [--clock FO4] LIBERTY UNIT PARAM=VALUE...
#
#   --boxes   leave the modules of synth/boxes inside UNIT as boxes, for a roll-up; else all is
#             flattened but memories
#   --clock   the period to close, in the library's FO4 (default 150)
#
# The folder holds
#
#   netlist.v     of the library's cells and the boxes
#   netlist.json  the same, as Yosys writes JSON
#   area.json     {"unit","params","library","area_um2","nand2","cells":{NAME:COUNT},
#                  "boxes":[{"unit","params","count"}],"clock_ps","delay_ps","recipe","closes","seconds"}:
#                 boxes without their area; delay of the slowest path between registers, ports and
#                 boxes, as ABC sees it: without wires and without a register's own times
#   log           of Yosys
#
# Mapping tries recipes, from the smallest area to the shortest delay, and takes the first one that
# closes the clock; if none does, the last ("closes": false).  A register's own times get 4 FO4.
#
# Several may run at the same time; a unit is made by one of them, and the others wait for it.
# AMALGAM_SYNTH is the folder for results; AMALGAM_NODE as of library.sh.
# Exits 2, with one line, if there is no such library, unit or parameter, 1 if a tool fails.
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rtl=$(cd "$here/../rtl" && pwd)
results=${AMALGAM_SYNTH:?is not set: the folder for results}
die() { echo "$1" >&2; exit 2; }
fail() { echo "$1" >&2; exit 1; }

boxed=0 clock=150
while :; do
  case ${1:-} in
  --boxes) boxed=1; shift ;;
  --clock) [ $# -ge 2 ] || die "--clock: expected a number of FO4"; clock=$2; shift 2 ;;
  *) break ;;
  esac
done
[ $# -ge 2 ] || { sed -n 's/^# \{0,1\}//; 2,9p' "$0" >&2; exit 2; }
case $clock in '' | *[!0-9]* | ????*) die "--clock $clock: expected a number of FO4, up to 999" ;; esac
liberty=$1 unit=$2
shift 2

# ---------------------------------------------------------------- what goes in
find_modules() { "$rtl/modules.sh" "$@" "$rtl"/*/ "$here/cut" "$here/gm" 2>/dev/null; }
source_of() { find_modules --own "$1"; }
case $unit in *[!a-z0-9_]*) die "unit $unit: no such module in rtl" ;; esac
files=$(find_modules "$unit") || die "unit $unit: no such module in rtl"
top=${files%%"
"*}
params=
for pair in "$@"; do
  name=${pair%%=*} value=${pair#*=}
  case $name in '' | *[!A-Z0-9_]*) die "unit $unit: '$pair': expected NAME=NUMBER" ;; esac
  case $value in '' | *[!0-9]*) die "unit $unit: '$pair': expected NAME=NUMBER" ;; esac
  grep -q "parameter *$name *=" "$top" || die "unit $unit: no parameter $name"
  params="$params $name=$value"
done
library=$("$here/library.sh" "$liberty") || exit 2
# shellcheck source=/dev/null
. "$library/facts"

# shellcheck disable=SC2086
list=" $(basename -s .v $files | tr '\n' ' ')"
# What lies inside boxes does not matter, and with --boxes what the techmap makes of them does.
# Memories are boxes always.
boxes=
for memory in kv_sram ram_1r1w; do
  case $list in *" $memory "*) boxes="$boxes $(source_of "$memory")" ;; esac
  [ "$unit" != $memory ] || die "unit $memory: a memory, which is not made of gates"
done
if [ $boxed = 1 ]; then
  # Inside a special unit there is the plain one.
  plain=$(echo "$unit" | sed 's/_plain$//; s/_[lo]$//')
  inside=0 all=
  for box in $(sed 's/#.*//' "$here/boxes"); do
    case $box in "$unit" | "$plain") continue ;; esac
    all="$all $(source_of "$box")"
    case $list in *" $box "*) inside=1 ;; esac
  done
  boxed=$inside
  [ $boxed = 0 ] || boxes=$all
fi
whole=
for file in $files; do
  case " $boxes " in *" $file "*) ;; *) whole="$whole $file" ;; esac
done
files=$whole
# shellcheck disable=SC2086
key=$( { cat $files "$rtl/lib/assert.vh"; [ -z "$boxes" ] || cat $boxes "$here/cut.v"
    sed 's/^ *#.*//' "$here/unit.sh" "$here/map.sh"; echo "$unit $params $lib_sum $boxed"; yosys -V; } |
  sha256sum | cut -c1-12)
folder=$results/$unit$(echo "$params" | tr 'A-Z ' 'a-z-' | tr -d =)-$key
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9

# ---------------------------------------------------------------- elaborate
chparams=
for pair in $params; do chparams="$chparams -chparam ${pair%%=*} ${pair#*=}"; done
if [ ! -f "$folder/unit.il" ]; then
  work=$(mktemp -d "$results/unit.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  {
    [ -z "$boxes" ] || echo "read_verilog -lib -I$rtl/lib $boxes"
    echo "read_verilog -I$rtl/lib $files"
    echo "hierarchy -check -top $unit $chparams"
    echo "proc; flatten; opt_expr; opt_clean"
    [ $boxed = 0 ] || echo "techmap -map $here/cut.v -autoproc; opt_expr; opt_clean; hierarchy -check"
    echo "synth -flatten -top $unit -run begin:fine"
    # A latch would be a mistake. Memories are boxes; what Yosys calls one here is a constant table.
    echo "select -assert-none t:\$dlatch t:\$adlatch t:\$sr"
    echo "synth -top $unit -run fine:check"
    echo "dfflibmap -liberty $library/library.lib"
    echo "opt_expr; opt_merge; opt_dff; simplemap; clean -purge"
    echo "write_rtlil $work/unit.il"
  } >"$work/elaborate.ys"
  yosys -Q -s "$work/elaborate.ys" >"$work/log" 2>&1 ||
    fail "unit $unit: $(grep -m1 ERROR "$work/log" || echo "Yosys failed, see $work/log")"
  mv "$work/log" "$folder/log"
  mv "$work/unit.il" "$folder/unit.il"
  rm -rf "$work"
fi

# ---------------------------------------------------------------- map
period=$(awk -v fo4="$lib_fo4_ps" -v n="$clock" 'BEGIN { printf "%.0f", fo4 * n }')
limit=$(awk -v fo4="$lib_fo4_ps" -v n="$clock" 'BEGIN { printf "%.0f", fo4 * (n - 4) }')
export here folder library unit params period limit lib_name lib_inv lib_nand2_area
for recipe in small shallow shallower fast; do
  mapped=$folder/$recipe-$clock
  [ -f "$mapped/area.json" ] || "$here/map.sh" "$recipe" "$mapped" || exit 1
  if grep -q '"closes":true' "$mapped/area.json"; then break; fi
done
echo "$mapped"
