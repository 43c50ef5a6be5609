#!/bin/sh
# Proves the properties of gm_atomic: base case, induction, and that its cover points are reachable.
#   prove.sh GM_ATOMIC.v WORK_DIR [LANES]
# Exits 0 when all hold, 1 when the solver found a counterexample, 2 when a tool failed.
# SPDX-License-Identifier: Apache-2.0
set -u
rtl=$1
work=$2
lanes=${3:-2}
here=$(cd "$(dirname "$0")" && pwd)
depth=8       # base case: longer than any run of cycles a property or cover point speaks about
induction=3

mkdir -p "$work" || exit 2
# Small parameters: 4 addresses so that a walk wraps, rows of up to 7 beats, 8 tags (2 in flight).
yosys -q -l "$work/yosys.log" -p "
  read_verilog -formal $rtl $here/gm_lane_alu.v
  chparam -set LANES $lanes -set ADDR_W 2 -set LEN_W 3 -set TAG_W 3 -set CNT_W 4 gm_atomic
  prep -top gm_atomic -flatten
  async2sync
  dffunmap
  opt_clean
  write_smt2 -wires $work/gm_atomic.smt2" || exit 2

run() {
  echo "== $1"
  shift
  yosys-smtbmc -s boolector "$@" "$work/gm_atomic.smt2" >"$work/smtbmc.log" 2>&1
  status=$?
  grep -E 'Assert failed|Unreached|Status' "$work/smtbmc.log"
  if ! grep -q 'Status: ' "$work/smtbmc.log"; then
    cat "$work/smtbmc.log"
    exit 2
  fi
  [ $status -eq 0 ] || exit 1
}
run "base case, $depth cycles" -t $depth
run "induction, $induction cycles" -i -t $induction
run "cover" -c -t 14
