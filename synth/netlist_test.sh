#!/bin/sh
# The testbench of the attention engine on netlists in place of RTL: FAU, ACC and LogDiv or divider, in
# cells whose functions are the library's own (its Liberty file, as Yosys reads it).  They are the netlists
# that areas are rolled up from, box by box.
#
#   netlist_test.sh hfa|fa2|expmul D ATTENTION_TB FOLDER [BREAK]
#
#   ATTENTION_TB   the testbench's program
#   FOLDER         for the RTL with netlists, and the engine built of it
#   BREAK          a cell, as NOR2X1: one of that kind in a lane's netlist gets its inputs tied together,
#                  and 0 is for a testbench that fails
#
# UNITS are those with netlists, of fau, acc and divide (all); LIBERTY names another library than OSU 0.18 um.
# Exits as the testbench, 2 if something cannot be made.  SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 4 ] || { sed -n 's/^# \{0,1\}//; 2,14p' "$0" >&2; exit 2; }
design=$1 d=$2 bench=$3 work=$4 break=${5:-}
liberty=${LIBERTY:-/usr/share/qflow/tech/osu018/osu018_stdcells.lib}
case $design in
hfa) arithmetic=0 lane=fau_lane ;;
fa2) arithmetic=1 lane=fau_lane_o ;;
expmul) arithmetic=2 lane=fau_lane_o ;;
*) echo "netlist_test.sh: no design $design" >&2; exit 2 ;;
esac
library=$("$here/library.sh" "$liberty") || exit 2
rm -rf "$work"
mkdir -p "$work"
cp -r "$here/../rtl" "$work/rtl"
chmod -R u+w "$work/rtl"

# The cells, one module a file.
yosys -q -p "read_liberty -ignore_miss_func $library/library.lib; proc; write_verilog -noattr $work/cells.v" \
  >"$work/cells.log" 2>&1 || { tail -n 1 "$work/cells.log" >&2; exit 2; }
awk -v folder="$work/rtl/lib" '
  /^module / { name = $2; sub(/\(.*/, "", name); file = folder "/" name ".v"
    print "/* verilator lint_off DECLFILENAME */" >file }
  file != "" { print >file }
  /^endmodule/ { close(file); file = "" }' "$work/cells.v"

# A box's netlist as a module for Verilator: a function of its own, which all instances share; aliases of
# several nets at once look like loops to it.  The boxes' parameters are in their netlists.
netlist_of() {
  sed "1i /* verilator lint_off UNOPTFLAT */
1i /* verilator lint_off DECLFILENAME */
/^ *defparam /d
s/^module [a-z0-9_]*(/module $1(/
s/^endmodule/  \/* verilator no_inline_module *\/\nendmodule/" "$2/netlist.v"
}

clock=150
for unit in ${UNITS:-fau acc divide}; do
  case $unit in
  divide) params="ARITHMETIC=$arithmetic D=$d NQ=1" ;;
  *) params="ARITHMETIC=$arithmetic VARIANT=0 D=$d" ;;
  esac
  # shellcheck disable=SC2086
  parts=$("$here/hierarchy.sh" "$clock" "$liberty" "$unit" $params) || exit 2
  # Boxes take the place of their RTL, or a new one (synth/cut).
  echo "$parts" | while read -r name folder; do
    [ "$name" = "$unit" ] && to=$work/rtl/softmax/${unit}_netlist.v name=${unit}_netlist || {
      to=$(echo "$work"/rtl/*/"$name.v")
      [ -f "$to" ] || to=$work/rtl/lib/$name.v
    }
    netlist_of "$name" "$folder" >"$to"
  done
  # The module's own header, and the netlist for its inside.
  rtl=$work/rtl/softmax/$unit.v
  {
    sed '/^);/q' "$rtl"
    echo "  ${unit}_netlist u_netlist (.*);"
    echo "endmodule"
    echo '`resetall'
  } >"$work/wrapper.v"
  mv "$work/wrapper.v" "$rtl"
done
if [ -n "$break" ]; then
  lane=$(echo "$work"/rtl/*/"$lane.v")
  awk -v cell="$break" '
    $1 == cell && !done { inside = 1; done = 1 }
    inside && /^ *\.A\(/ { line = $0; sub(/^ *\.A\(/, "", line); sub(/\),?$/, "", line); a = line }
    inside && /^ *\.B\(/ { sub(/\.B\(.*\)/, ".B(" a ")") }
    /^  \);/ { inside = 0 }
    { print }
    END { exit !done }' "$lane" >"$work/broken.v" ||
    { echo "netlist_test.sh: no $break in the netlist" >&2; exit 2; }
  mv "$work/broken.v" "$lane"
fi
# The compiler's time is worth more than the simulation's.
status=0
AMALGAM_UNIT_FLAGS=-O0 AMALGAM_RTL=$work/rtl "$bench" random --design "$design" --d "$d" --p 2 --nq 1 --n 64 --groups 60 ||
  status=$?
[ -n "$break" ] || exit $status
[ $status -eq 1 ] || { echo "netlist_test.sh: a broken gate, and the testbench says $status" >&2; exit 2; }
