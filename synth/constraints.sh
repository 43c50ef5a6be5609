#!/bin/sh
# Do the constraints of each top (rtl/TOP.sdc) constrain all of it? A small netlist of it has no path that no clock, or no
# delay of a port, reaches; the two cycles of the division are found by name; and OpenSTA has nothing to say.
#
#   constraints.sh WORK_DIR [TOP...]
#
# LIBERTY names another library than OSU 0.18 um.  Exits 1, with a line for each, if not; 2 if a tool fails.
# SPDX-License-Identifier: Apache-2.0
set -u
[ $# -ge 1 ] || { sed -n 's/^# \{0,1\}//; 2,7p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
rtl=$here/../rtl work=$1 wrong=0
liberty=${LIBERTY:-/usr/share/qflow/tech/osu018/osu018_stdcells.lib}
mkdir -p "$work" || exit 2
shift
[ $# -gt 0 ] || set -- attention_engine attention_axi gm_atomic gm_axi gm_slice reset_synchroniser

shape() {
  case $1 in
  attention_*) echo D=2 P=2 N=2 ;;
  gm_slice) echo LANES=2 WORDS=4 LEN_W=2 ;;
  gm_*) echo LANES=2 ADDR_W=3 LEN_W=2 ;;
  esac
}

for top; do
  set=$(shape "$top" | sed 's/\([A-Z_]*\)=\([0-9]*\)/-set \1 \2/g')
  # shellcheck disable=SC2046,SC2086
  yosys -q -p "read_liberty -lib -ignore_miss_func $liberty; read_verilog -I$rtl/lib $("$rtl/modules.sh" "$top" "$rtl"/*/ | tr '\n' ' ')
    ${set:+chparam $set $top}
    synth -noabc -flatten -top $top; dfflibmap -liberty $liberty; abc -fast -liberty $liberty; opt_clean -purge
    setundef -zero; splitnets; rename -wire; write_verilog -noattr -nohex $work/$top.v" >"$work/$top.log" 2>&1 ||
    { tail -n 2 "$work/$top.log"; exit 2; }
  grep -v '^  assign {' "$work/$top.v" >"$work/netlist.v"
  {
    echo "read_liberty $liberty; read_verilog $work/netlist.v; link_design $top"
    echo "puts @constraints"
    [ "$top" = reset_synchroniser ] && echo 'create_clock -name clk -period 1 [get_ports clk_i]; set_input_delay 0 -clock clk [get_ports arst_ni]; set_output_delay 0 -clock clk [all_outputs]' &&
      echo "source $rtl/lib/synchroniser.sdc"
    [ "$top" != reset_synchroniser ] && echo "source $rtl/$top.sdc"
    echo 'if {[info exists quotients]} { puts "@division [llength $triplets] [llength $quotients]" }'
    echo 'puts @checks; check_setup -verbose -no_clock -multiple_clock -no_input_delay -no_output_delay -loops'
    echo 'foreach path [find_timing_paths -unconstrained -path_delay max -group_count 1000] {'
    echo '  if {[get_property $path slack] > 1e9} { puts "no constraint: [get_full_name [get_property $path endpoint]]" } }; puts @end; exit'
  } >"$work/$top.tcl"
  sta -no_splash -no_init -exit "$work/$top.tcl" >"$work/$top.sta" 2>&1 || true
  grep -q '^@end' "$work/$top.sta" || { cat "$work/$top.sta"; exit 2; }
  said=$(sed -n '/^@constraints/,$p' "$work/$top.sta" | grep -v '^@')
  [ -z "$said" ] || { echo "$top.sdc:"; echo "$said" | head -n 10; wrong=1; }
  case $top in
  attention_*) grep -q '^@division [1-9][0-9]* [1-9]' "$work/$top.sta" || { echo "$top.sdc: the division is not found"; wrong=1; } ;;
  esac
done
exit $wrong
