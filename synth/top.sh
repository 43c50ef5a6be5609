#!/bin/sh
# Static timing of a whole top under its constraints (rtl/TOP.sdc); prints JSON, which it keeps.
#
#   top.sh [--wires] CLOCK LIBERTY TOP [PARAM=VALUE ...]
#
#   CLOCK    the period that its units are mapped to, in the library's FO4: unit.sh's --clock
#   --wires  each net has a wire of 0.2 fF/um, of the length that README.md (Wires) has for its fan-out, and the clock,
#            slews and loads of ports are those of the constraints; without, no wires, and ideal ones
#
#   {"top","period_ps","fo4","from","to","parts":[{"name","ps","fo4","from","to"}]}
#
# The netlist is that of the areas: the top and all boxes inside it, each mapped by itself with buffers for what
# it drives (hierarchy.sh), linked and flattened.  Memories are macros of assumed times (memory.sh).  The period
# is the shortest at which no path is late; from and to are the ends of the path that decides.  A part is the same
# for the paths that end in some registers only (stages).
# AMALGAM_SYNTH as of unit.sh.  Exits 2, with one line, if there is no such library, top or parameter,
# 1 if a tool fails.
# SPDX-License-Identifier: Apache-2.0
set -eu
wires=0
[ "${1:-}" != --wires ] || { wires=1; shift; }
[ $# -ge 3 ] || { sed -n 's/^# \{0,1\}//; 2,17p' "$0" >&2; exit 2; }
clock=$1 liberty=$2 top=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
results=${AMALGAM_SYNTH:?is not set: the folder for results}
constraints=$here/../rtl/$top.sdc
[ -f "$constraints" ] || { echo "top $top: no constraints rtl/$top.sdc" >&2; exit 2; }

library=$("$here/library.sh" "$liberty") || exit $?
# shellcheck source=/dev/null
. "$library/facts"
parts=$("$here/hierarchy.sh" "$clock" "$liberty" "$top" "$@") || exit
folders=$(echo "$parts" | sed 's/^[^ ]* //')
sum=$( { echo "$folders" | sed 's,.*/\([^/]*/[^/]*\)$,\1,';  echo $wires; cat "$0" "$here/link.sh" "$here/memory.sh" "$here/stages" "$constraints"; } | sha256sum | cut -c1-12)
whole=$results/top-$top-$sum
mkdir -p "$whole"
exec 9>"$whole/lock"     # who comes second waits, and finds it made
flock 9
[ ! -f "$whole/timing.json" ] || { cat "$whole/timing.json"; exit 0; }

work=$(mktemp -d "$results/top.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
fail() { echo "top $top: $1" >&2; exit 1; }

# ---------------------------------------------------------------- one flat netlist
# shellcheck disable=SC2086
"$here/link.sh" "$library" "$work" "hierarchy -top $top; flatten; opt_clean -purge; write_verilog -noattr -nohex $work/flat.v
  tee -q -o $work/stat stat -liberty $library/library.lib" \
  $folders 2>"$work/error" || fail "$(cat "$work/error")"
# This OpenSTA does not read assignments to a concatenation; they only give nets another name.
grep -v '^  assign {' "$work/flat.v" >"$work/netlist.v"

# Memories, all of a top alike.
d=1 p=1 n=1 memories=
for pair in "$@"; do
  case $pair in D=*) d=${pair#D=} ;; P=*) p=${pair#P=} ;; N=*) n=${pair#N=} ;; esac
done
if grep -q '^  kv_sram ' "$work/netlist.v"; then
  "$here/memory.sh" "$d" $((n / p)) "$lib_fo4_ps" >"$work/memories.lib"
  memories="read_liberty $work/memories.lib"
fi

# The side of a square of a cell's area, um; memories have no area here.
pitch=$(awk '/Number of cells:/ { n = $NF } /Chip area/ { a = $NF } END { printf "%.3f", sqrt(a / n) }' "$work/stat")
# Without wires there is nothing else between two registers, either.
ideal='set uncertainty 0; set slew 0; set load 0'
[ $wires = 0 ] || ideal=

# ---------------------------------------------------------------- the shortest period
cat >"$work/sta.tcl" <<END
read_liberty $library/library.lib
$memories
read_verilog $work/netlist.v
link_design $top
$ideal
# A wire of pitch (1 + 2.4 n) for n pins that are driven (README.md, Wires).
proc wires {pitch} {
  foreach net [get_nets *] {
    set pins [llength [get_pins -quiet -of_objects \$net]]
    if {\$pins > 1} { set_load -wire_load [expr 0.0002 * \$pitch * (1 + 2.4 * (\$pins - 1))] \$net }
  }
}
if {$wires} { wires $pitch }
proc at {now} {
  upvar #0 period period
  set period \$now
  uplevel #0 { source $constraints }
}
proc slowest {arguments} {
  set worst {}
  foreach path [eval find_timing_paths -path_delay max \$arguments] {
    if {\$worst eq {} || [get_property \$path slack] < [get_property \$worst slack]} { set worst \$path }
  }
  return \$worst
}
proc tell {name period path} {
  puts "@ \$name \$period [get_full_name [get_property \$path startpoint]] [get_full_name [get_property \$path endpoint]]"
}
# Of each part by its slack at two periods, which falls with the period as the path's share of it does.
proc part {name patterns} {
  set ends {}
  foreach pattern \$patterns {
    if {\$pattern eq "outputs"} { set ends [concat \$ends [all_outputs]]; continue }
    catch { set ends [concat \$ends [get_cells -quiet \$pattern]] }
  }
  if {[llength \$ends] > 0} { uplevel #0 [list lappend parts \$name \$ends] }
}
set parts {}
$(awk -v unit="$top" '$1 == unit { name = $2; $1 = $2 = ""; print "part " name " {" $0 " }" }' "$here/stages")
set high [expr $clock.0 * $lib_fo4_ps / $lib_time_ps]
set less [expr 0.9 * \$high]
at \$high
set before {}
foreach {name ends} \$parts {
  set path [slowest [list -to \$ends]]
  if {\$path ne {}} { lappend before \$name \$ends [get_property \$path slack] }
}
at \$less
set now 0
foreach {name ends slack} \$before {
  set path [slowest [list -to \$ends]]
  set after [get_property \$path slack]
  set need [expr \$high - \$slack * (\$high - \$less) / (\$slack - \$after)]
  if {\$need > \$now} { set now \$need }
  tell \$name \$need \$path
}

# The slowest part is the whole; if not quite, some steps more.
for {set tries 0} {\$tries < 8} {incr tries} {
  at \$now
  set left [get_property [slowest {}] slack]
  if {abs(\$left) < 0.2 * $lib_fo4_ps / $lib_time_ps} { break }
  set now [expr \$now - 0.7 * \$left]
}
tell all \$now [slowest {}]
report_checks -path_delay max -digits 4 -fields {fanout slew}
exit
END
sta -no_splash -no_init -exit "$work/sta.tcl" >"$work/sta.log" 2>&1 || true
! grep -q '^Error' "$work/sta.log" || { cp "$work/sta.log" "$whole/"; fail "$(grep -m1 '^Error' "$work/sta.log")"; }
awk -v top="$top" -v fo4="$lib_fo4_ps" -v scale="$lib_time_ps" '
  function plain(name) { sub(/\\.*|\/[A-Z]*$/, "", name); gsub(/\[[0-9]*\]/, "", name); return name }
  function path() {
    return sprintf("%.1f,\"fo4\":%.1f,\"from\":\"%s\",\"to\":\"%s\"", $3 * scale, $3 * scale / fo4, plain($4), plain($5))
  }
  /^@ all / { whole = path(); next }
  /^@ / { parts = parts comma "{\"name\":\"" $2 "\",\"ps\":" path() "}"; comma = "," }
  END { printf "{\"top\":\"%s\",\"period_ps\":%s,\"parts\":[%s]}\n", top, whole, parts }' "$work/sta.log" >"$work/timing.json"
grep -q '"period_ps":[1-9]' "$work/timing.json" || { cp "$work/sta.log" "$whole/"; fail "no path found, see $whole/sta.log"; }
mv "$work/sta.log" "$work/netlist.v" "$whole/"
mv "$work/timing.json" "$whole/"
cat "$whole/timing.json"
