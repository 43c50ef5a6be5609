#!/bin/sh
# One flat netlist of a unit: what unit.sh made of it and of the boxes inside it, linked.
#
#   link.sh LIBRARY WORK COMMANDS FOLDER...
#
#   LIBRARY   the folder that library.sh prints      WORK  where parts and log go
#   COMMANDS  Yosys' after all parts are read, first of them the hierarchy's
#   FOLDER    of unit.sh, one a part
#
# Exits 1, with one line, if Yosys fails.
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -ge 4 ] || { sed -n 's/^# \{0,1\}//; 2,10p' "$0" >&2; exit 2; }
library=$1 work=$2 commands=$3
shift 3
for folder; do
  sed '/^ *defparam /d' "$folder/netlist.v"      # the boxes' parameters: they are in the netlists
done >"$work/parts.v"
yosys -Q -q -l "$work/log" -p "read_liberty -lib -ignore_miss_func $library/library.lib; read_verilog $work/parts.v; $commands" \
  >/dev/null 2>&1 || {
  grep -m1 ERROR "$work/log" >&2 || echo "Yosys failed" >&2
  exit 1
}
