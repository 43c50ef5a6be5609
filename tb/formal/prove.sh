#!/bin/sh
# Proves the properties at the end of a module (`ifdef FORMAL).
#
#   prove.sh gm_atomic    FILE.v WORK_DIR     base case, induction, cover points; the ALU is abstract
#   prove.sh gm_s32_guard FILE.v WORK_DIR     combinational: one step says it all
#
# Exits 0 when all hold, 1 when the solver found a counterexample, 2 when a tool failed.
# z3 with --noincr --unroll: with either left out the same proof takes minutes instead of seconds.
# SPDX-License-Identifier: Apache-2.0
set -u
[ $# -eq 3 ] || { sed -n 's/^# \{0,1\}//; 2,8p' "$0" >&2; exit 2; }
top=$1
rtl=$2
work=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work" || exit 2

# to_smt2 FILES PARAMETERS
to_smt2() {
  yosys -q -l "$work/yosys.log" -p "
    read_verilog -formal $1
    $2
    prep -top $top -flatten
    async2sync
    dffunmap
    opt_clean
    write_smt2 -wires $work/$top.smt2" || exit 2
}

# run TITLE SMTBMC_OPTIONS...
run() {
  echo "== $top: $1"
  shift
  yosys-smtbmc -s z3 --noprogress --noincr --unroll "$@" "$work/$top.smt2" >"$work/smtbmc.log" 2>&1
  status=$?
  grep -E 'Assert failed|Unreached|Status' "$work/smtbmc.log" || { cat "$work/smtbmc.log"; exit 2; }
  [ $status -eq 0 ] || exit 1
}

case $top in
gm_atomic)
  # Small parameters: two lanes, 4 addresses so that walks wrap, rows of up to 7 beats, 8 tags for
  # 2 requests in flight.
  to_smt2 "$rtl $here/gm_lane_alu.v" \
    "chparam -set LANES 2 -set ADDR_W 2 -set LEN_W 3 -set TAG_W 3 -set CNT_W 4 gm_atomic"
  run "base case" -t 7
  run "induction" -i -t 3
  run "cover" -c -t 12
  ;;
gm_s32_guard)
  to_smt2 "$rtl" ""
  run "all inputs" -t 1
  ;;
*)
  echo "prove.sh: no proof for $top" >&2
  exit 2
  ;;
esac
