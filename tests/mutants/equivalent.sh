#!/bin/sh
# Does a module do the same as its mutant, for all inputs?
#
#   equivalent.sh RTL FILE MUTANT WORK_DIR     RTL: its folder; FILE in it; MUTANT: FILE as changed
#
# A proof by Yosys and ABC of the module with its parameters' defaults and all that it contains; registers begin with 0.
# Exits 0 if they are the same, another number if not, or if five minutes do not suffice to say.
# SPDX-License-Identifier: Apache-2.0
set -u
[ $# -eq 4 ] || { sed -n 's/^# \{0,1\}//; 2,8p' "$0" >&2; exit 2; }
rtl=$1 file=$2 mutant=$3 work=$4
top=$(basename "$file" .v)
# shellcheck disable=SC2046
others=$("$rtl/modules.sh" "$top" $(find "$rtl" -mindepth 1 -type d) | grep -v "/$top\.v$" | tr '\n' ' ')
aig() {   # aig SOURCE NAME
  timeout 300 yosys -q -p "read_verilog -I$rtl/lib $1 $others; prep -flatten -top $top; memory_map; async2sync; dffunmap; setundef -zero -init;
    setundef -zero; opt -full; techmap; opt; aigmap; write_aiger -zinit $work/$2.aig" >"$work/$2.log" 2>&1
}
command='cec -n'
# shellcheck disable=SC2086
! grep -q posedge "$rtl/../$file" $others || command='dsec -n'
aig "$rtl/../$file" gold && aig "$mutant" gate &&
  (cd "$work" && timeout 300 yosys-abc -q "$command gold.aig gate.aig" >equal.log 2>&1) && grep -q 'are equivalent' "$work/equal.log"
