#!/bin/sh
# The file lists of the tops, for tools that take -F or -f: TOP.f, paths from this folder on, and the same in
# the FuseSoC and IP-XACT files beside them.
#
#   filelists.sh check        are they what modules.sh says, do FuseSoC's files name no others, do Verilator, Icarus
#                             and Yosys elaborate each top from its list alone, and has IP-XACT its ports (ipxact.py)?
#   filelists.sh write        writes the .f files and those of IP-XACT
#
# Exits 1, with a line for each difference, if not.
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -eq 1 ] || { sed -n 's/^# \{0,1\}//; 2,9p' "$0" >&2; exit 2; }
cd "$(dirname "$0")"
tops='attention_engine attention_axi gm_atomic gm_axi gm_slice reset_synchroniser'
wrong=0
differ() { echo "$1"; wrong=1; }

# list TOP: a tool that reads one file after the other wants a module before who uses it; none of ours asks for it.
list() {
  echo "// What $1 is made of; from modules.sh, by filelists.sh.  SPDX-License-Identifier: Apache-2.0"
  echo "+incdir+lib"
  ./modules.sh "$1" */ | sort
}

# Small shapes: the lists are looked at, not the units.
shape() {
  case $1 in
  attention_*) echo D=4 P=2 N=8 ;;
  gm_slice) echo LANES=2 WORDS=8 LEN_W=3 ;;
  gm_*) echo LANES=2 ADDR_W=4 LEN_W=3 ;;
  esac
}

elaborates() {
  files=$(grep -v '^[/+]' "$1.f")
  verilator=$(shape "$1" | sed 's/^/ /; s/ / -G/g') icarus=$(shape "$1" | sed "s/^/ /; s/ / -P$1./g")
  yosys=$(shape "$1" | sed 's/^/ /; s/ / -set /g; s/=/ /g')
  # shellcheck disable=SC2086
  verilator --lint-only -Wall $verilator --top-module "$1" simulators.vlt -f "$1.f" || differ "$1.f: Verilator"
  # shellcheck disable=SC2086
  iverilog -g2005 -Wall -I lib $icarus -s "$1" -t null $files || differ "$1.f: Icarus"
  # shellcheck disable=SC2086
  yosys -q -p "read_verilog -Ilib $(echo $files); ${yosys:+chparam $yosys $1;} hierarchy -check -top $1; proc; check -assert" ||
    differ "$1.f: Yosys"
}

case $1 in
write)
  for top in $tops; do list "$top" >"$top.f"; done
  python3 ipxact.py write ;;
check)
  for top in $tops; do
    list "$top" | cmp -s - "$top.f" || differ "$top.f: not what modules.sh says; run rtl/filelists.sh write"
    elaborates "$top"
  done
  python3 filelists.py || wrong=1
  python3 ipxact.py check || wrong=1
  exit $wrong ;;
*) echo "filelists.sh: $1: expected check or write" >&2; exit 2 ;;
esac
