#!/bin/sh
# Timing of a netlist of unit.sh by OpenSTA, without wires; prints its JSON, which it keeps beside the netlist.
#
#   timing.sh LIBERTY FOLDER
#
#   {"min_period_ps","fo4","from","to",              the slowest path of all, ports counting as registers
#                                                    without times of their own
#    "register_ps",                                  the slowest path between registers, setup included
#    "loops":[{"name":"maximum"|"accumulator","ps"}],   paths from a register back to it or its fellows
#    "stages":[{"name","ps"}]}                       the slowest path into each stage of synth/stages
#
# Exits as unit.sh.  SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] && [ -f "$2/netlist.v" ] || { echo "timing.sh: expected LIBERTY and a folder" >&2; exit 2; }
folder=$2
library=$("$here/library.sh" "$1") || exit $?
# shellcheck source=/dev/null
. "$library/facts"
out=$folder/timing-$(cat "$0" "$here/stages" | sha256sum | cut -c1-8).json
[ ! -f "$out" ] || { cat "$out"; exit 0; }

work=$(mktemp -d "$folder/sta.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unit=$(sed -n 's/^{"unit":"\([a-z0-9_]*\)".*/\1/p' "$folder/area.json" | head -n 1)
clocked=$(grep -c '^  input clk_i;' "$folder/netlist.v" || true)
# This OpenSTA does not read assignments to a concatenation; they only give nets another name.
grep -v '^  assign {' "$folder/netlist.v" >"$work/netlist.v"
cat >"$work/sta.tcl" <<EOF
read_liberty $library/library.lib
read_verilog $work/netlist.v
link_design $unit
EOF
if [ "$clocked" -gt 0 ]; then
  cat >>"$work/sta.tcl" <<'EOF'
create_clock -name clk -period 1000 [get_ports clk_i]
set inputs {}
foreach port [all_inputs] {
  if {[get_property $port full_name] != "clk_i"} { lappend inputs $port }
}
EOF
else
  cat >>"$work/sta.tcl" <<'EOF'
create_clock -name clk -period 1000
set inputs [all_inputs]
EOF
fi
cat >>"$work/sta.tcl" <<'EOF'
set_input_delay 0 -clock clk $inputs
set_output_delay 0 -clock clk [all_outputs]
catch { set_false_path -from [get_ports rst_ni] }
puts "@all"
report_checks -path_delay max -digits 5
EOF
if [ "$clocked" -gt 0 ]; then
  cat >>"$work/sta.tcl" <<'EOF'
puts "@register"
report_checks -path_delay max -digits 5 -from [all_registers -clock_pins] -to [all_registers -data_pins]
foreach {name patterns} {maximum {*u_front.max_q* *u_diff.b_i*} accumulator {*u_lane.state_* state_*}} {
  set cells {}
  foreach pattern $patterns {
    catch { foreach cell [get_cells -quiet $pattern] { lappend cells $cell } }
  }
  if {[llength $cells] > 0} {
    puts "@$name"
    report_checks -path_delay max -digits 5 -from $cells -to $cells
  }
}
proc stage {name patterns} {
  set ends {}
  foreach pattern $patterns {
    if {$pattern eq "outputs"} { set ends [all_outputs]; continue }
    catch { foreach cell [get_cells -quiet $pattern] { lappend ends $cell } }
  }
  if {[llength $ends] > 0} {
    puts "@stage:$name"
    report_checks -path_delay max -digits 5 -to $ends
  }
}
EOF
  awk -v unit="$unit" '$1 == unit { name = $2; $1 = $2 = ""; print "stage " name " {" $0 " }" }' "$here/stages" >>"$work/sta.tcl"
fi
echo exit >>"$work/sta.tcl"
sta -no_splash -no_init -exit "$work/sta.tcl" >"$work/log" 2>&1 || true
grep -q '^Error' "$work/log" && { echo "timing.sh: $unit: $(grep -m1 '^Error' "$work/log")" >&2; exit 1; }
awk -v fo4="$lib_fo4_ps" -v scale="$lib_time_ps" '
  function list(stages,   i, comma, name) {
    for (i = 1; i <= n; ++i) {
      name = parts[i]
      if (name == "all" || name == "register" || !(name in ps) || sub(/^stage:/, "", name) != stages) continue
      printf "%s{\"name\":\"%s\",\"ps\":%.2f}", comma, name, ps[parts[i]]
      comma = ","
    }
  }
  /^@/ { part = substr($1, 2); parts[++n] = part }
  /^Startpoint:/ { start = $2 }
  /^Endpoint:/ { end = $2 }
  # Of all path groups the worst. The required time has the setup time in it.
  / slack / {
    need = scale * (1000 - $1)
    if (!(part in ps) || need > ps[part]) { ps[part] = need; from[part] = start; to[part] = end }
  }
  END {
    gsub(/\\/, "", from["all"]); gsub(/\\/, "", to["all"])
    printf "{\"min_period_ps\":%.2f,\"fo4\":%.2f,\"from\":\"%s\",\"to\":\"%s\",\"register_ps\":", \
      ps["all"], ps["all"] / fo4, from["all"], to["all"]
    if ("register" in ps) printf "%.2f", ps["register"]; else printf "null"
    printf ",\"loops\":["
    list(0)
    printf "],\"stages\":["
    list(1)
    print "]}"
  }' "$work/log" >"$work/timing.json"
grep -q '"min_period_ps":[1-9]' "$work/timing.json" || { cp "$work/log" "$folder/sta.log"; echo "timing.sh: $unit: no path found, see $folder/sta.log" >&2; exit 1; }
mv "$work/timing.json" "$out"
cat "$out"
