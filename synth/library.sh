#!/bin/sh
# What the flow has to know of a standard-cell library, found out once and kept.
#
#   library.sh LIBERTY        prints the folder, which then holds
#
#   library.lib    the library, unpacked, without the cells no mapper should take
#   facts          shell assignments: lib_name, lib_sum, lib_node (nm), lib_inv, lib_nand2 (cells),
#                  lib_nand2_area (um2), lib_fo4_ps
#
# lib_node comes from AMALGAM_NODE or from the library's name.  The FO4 is the delay of the smallest
# inverter that drives four of its kind, at the slopes that a chain of them settles at, mean of both
# edges, without wires: by OpenSTA.  AMALGAM_SYNTH is the folder for results.
# Exits 2, with one line, if the file is no library that can be used.
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
results=${AMALGAM_SYNTH:?is not set: the folder for results}
die() { echo "$1" >&2; exit 2; }

[ $# -eq 1 ] || die "library.sh: expected LIBERTY"
[ -f "$1" ] && [ -r "$1" ] || die "$1: no such file"
for tool in yosys sta; do
  command -v $tool >/dev/null || die "$tool is not installed; ./amalgam setup installs it"
done
sum=$( { cat "$1" "$here/library.sh"; echo "${AMALGAM_NODE:-}"; yosys -V; } | sha256sum | cut -c1-12)
folder=$results/lib-$sum
[ ! -f "$folder/facts" ] || { echo "$folder"; exit 0; }

mkdir -p "$results"
work=$(mktemp -d "$results/lib.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export TMPDIR="$work"    # ABC's files, which stay if it is ended
lib=$work/library.lib
# Cells for other power domains and clock trees, probes, delays, tri-state drivers: a mapper takes any
# of them for a buffer or gate.
{ gunzip -c "$1" 2>/dev/null || cat "$1"; } | awk '
  /^[ \t]*cell *\(/ {
    skip = /lpflow|probe|macro_sparecell|dly|clkinv|clkbuf|CLKBUF|ebufn|einvn|einvp|TBUF/
    depth = 0
  }
  skip { depth += gsub(/{/, "{") - gsub(/}/, "}"); if (depth <= 0) skip = 0; next }
  { print }' >"$lib"
name=$(sed -n 's/^ *library *( *"*\([^")]*\)"*.*/\1/p; T; q' "$lib")
[ -n "$name" ] || die "$1: no Liberty file"

case ${AMALGAM_NODE:-$name} in
*[!0-9]*) case $name in
  osu018*) node=180 ;;
  *sky130*) node=130 ;;
  *) die "$1: library $name: its node is not known; give --node NM" ;;
  esac ;;
*) node=$AMALGAM_NODE ;;
esac

# The mapper's own choice for an inverter and a NAND.
cat >"$work/gates.v" <<'EOF'
module inv(input a, output y); assign y = ~a; endmodule
module nand2(input a, b, output y); assign y = ~(a & b); endmodule
EOF
for gate in inv nand2; do
  yosys -q -p "read_verilog $work/gates.v; synth -top $gate; abc -liberty $lib -script +strash;map,-a
    opt_clean -purge
    tee -o $work/$gate.stat stat -liberty $lib; write_verilog -noattr $work/$gate.v" \
    >"$work/log" 2>&1 || die "$1: Yosys cannot use it: $(grep -m1 ERROR "$work/log")"
done
cell() { awk '/Number of cells:/ { found = 1; next } found && NF == 2 { print $1; exit }' "$1"; }
area() { awk '/Chip area/ { print $NF + 0 }' "$1"; }
inv=$(cell "$work/inv.stat")
nand2=$(cell "$work/nand2.stat")
pin() { sed -n "s/^ *\.\([A-Za-z0-9]*\)($1).*/\1/p" "$work/inv.v"; }
in=$(pin a) out=$(pin y)
[ -n "$in" ] && [ -n "$out" ] || die "$1: no inverter found"

{
  echo 'module chain(input n0, output n8);'
  echo 'wire n1, n2, n3, n4, n5, n6, n7;'
  for i in 0 1 2 3 4 5 6 7; do
    echo "$inv s$i (.$in(n$i), .$out(n$((i + 1))));"
    for j in 1 2 3; do echo "wire x${i}_$j; $inv l${i}_$j (.$in(n$i), .$out(x${i}_$j));"; done
  done
  for j in 1 2 3 4; do echo "wire x8_$j; $inv l8_$j (.$in(n8), .$out(x8_$j));"; done
  echo endmodule
} >"$work/chain.v"
cat >"$work/chain.tcl" <<EOF
read_liberty $lib
read_verilog $work/chain.v
link_design chain
set_max_delay 1000 -from n0 -to n8
report_checks -from n0 -to n8 -digits 6 -format full
exit
EOF
sta -no_splash -no_init -exit "$work/chain.tcl" >"$work/chain.log" 2>&1 || true
# Arrival behind stage 3 and stage 7: two edges of either kind lie between.
unit=$(sed -n 's/^ *time_unit *: *"\(.*\)".*/\1/p' "$lib")
case $unit in 1ns) scale=1000 ;; 1ps) scale=1 ;; *) die "$1: time unit $unit" ;; esac
fo4=$(awk -v scale=$scale '/ s3\// && / '"$out"'|s3\/'"$out"'/ { early = $2 }
  / s7\// && /s7\/'"$out"'/ { late = $2 }
  END { if (late > early && early > 0) printf "%.2f", scale * (late - early) / 4 }' "$work/chain.log")
[ -n "$fo4" ] || die "$1: no FO4 from OpenSTA, see $(tail -n 1 "$work/chain.log")"

{
  echo "lib_name=$name"
  echo "lib_sum=$sum"
  echo "lib_node=$node"
  echo "lib_inv=$inv"
  echo "lib_nand2=$nand2"
  echo "lib_nand2_area=$(area "$work/nand2.stat")"
  echo "lib_fo4_ps=$fo4"
  echo "lib_time_ps=$scale"
} >"$work/facts"
rm -f "$work"/gates.v "$work"/*.stat
[ -d "$folder" ] || mv "$work" "$folder"
echo "$folder"
