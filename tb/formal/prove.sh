#!/bin/sh
# Proves the properties at the end of a module (`ifdef FORMAL), or of a wrapper beside this file.
#
#   prove.sh TOP RTL WORK_DIR [quick]     RTL: the folder of the RTL, rtl/ or a copy of it
#
#   quick: of those that take longest a part of some seconds: one shape, no cover points, of gm_axi_read the base case alone
#
#   gm_atomic                     base case, induction, cover points; the ALU is abstract
#   fifo, skid                    base case, induction, cover points
#   gm_s32_guard, gm_choose       combinational: one step says it all
#   stream_steps, fau_triplet,    base case, induction, cover points
#   acc, attention_ctrl
#   attention_chain               the same, arithmetic abstract: FAU -> ACC -> ACC -> divider
#   attention_engine              base case, induction: who owns the carry; each module's contract with the others
#   attention_whole               the engine at D = 2, abstract arithmetic, some 20 cycles from any reset, in several
#                                 shapes: what each group gives, and when
#   stream_hold, stream_join,     base case, induction, cover points
#   stream_split, axi_lite_port,
#   attention_registers
#   gm_axi_read                   the same: the reads of the atomic unit's bus
#   attention_axi, gm_axi         the same: the buses of the engine and of the atomic unit, which are abstract
#   attention_memory              base case, cover points: rows written while others are in use, and in use
#   lanes                         lanes side by side and one by one give the same, H-FA, D = 32
#
# Exits 0 when all hold, 1 when the solver found a counterexample, 2 when a tool failed.
# z3 with --noincr --unroll: with either left out the same proof takes minutes instead of seconds.
# SPDX-License-Identifier: Apache-2.0
set -u
[ $# -eq 3 ] || [ "${4:-}" = quick ] || { sed -n 's/^# \{0,1\}//; 2,26p' "$0" >&2; exit 2; }
proof=$1
rtl=$2
work=$3
quick=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work" || exit 2

# to_smt2 TOP OPTIONS FILES PARAMETERS
# What a module asks of its surroundings (`ASSUME, rtl/lib/assert.vh) is assumed of TOP's own and proved inside of it.
to_smt2() {
  others=
  for file in $3; do
    [ "$(basename "$file" .v)" = "$1" ] && own=$file || others="$others $file"
  done
  yosys -q -l "$work/yosys.log" -p "
    read_verilog -formal -I$rtl/lib -DASSUMED=assume $2 $own $here/formal_run.v
    ${others:+read_verilog -formal -I$rtl/lib -DASSUMED=assert $2 $others}
    $4
    prep -top $1 -flatten
    async2sync
    dffunmap
    opt_clean
    write_smt2 -wires $work/$proof.smt2
    delete -output
    delete t:\$cover
    write_rtlil $work/$proof.il" >/dev/null || exit 2
}

# run TITLE SMTBMC_OPTIONS...
run() {
  echo "== $proof: $1"
  shift
  yosys-smtbmc -s z3 --noprogress --noincr --unroll "$@" "$work/$proof.smt2" >"$work/smtbmc.log" 2>&1
  status=$?
  grep -E 'Assert failed|Unreached|Status' "$work/smtbmc.log" || { cat "$work/smtbmc.log"; exit 2; }
  [ $status -eq 0 ] || exit 1
}

# whole "P NQ N" OPTIONS: the engine in attention_whole
whole() {
  options=$2
  # shellcheck disable=SC2086
  set -- $1
  title="P $1, NQ $2, N $3"
  to_smt2 attention_whole "$options" "$here/attention_whole.v $rtl/attention/attention_engine.v $rtl/attention/attention_ctrl.v
    $rtl/attention/attention_rows.v $rtl/attention/bf16_row_special.v $(echo "$rtl"/softmax/*.v) $rtl/lib/stream_steps.v $rtl/lib/skid.v $rtl/lib/delay_line.v
    $rtl/fp/bf16_max.v $(echo "$here"/stubs/*.v)" "chparam -set P $1 -set NQ $2 -set N $3 attention_whole"
}

# bounded TITLE CYCLES passes|fails: what to_smt2 has read, by ABC: of a whole engine z3 sees too few cycles.
bounded() {
  echo "== $proof: $1, $2 cycles"
  yosys -q -l "$work/yosys.log" -p "read_rtlil $work/$proof.il; memory_map; techmap; opt -fast -nodffe -nosdff
    abc -g AND -fast; dffunmap; opt_clean; write_aiger -I -B -zinit $work/$proof.aig" >/dev/null || exit 2
  yosys-abc -c "read_aiger $work/$proof.aig; fold; strash; bmc3 -F $2" >"$work/abc.log" 2>&1 || { cat "$work/abc.log"; exit 2; }
  if grep -q 'No output asserted' "$work/abc.log"; then
    got=passes
  elif failed=$(grep -o 'Output .* was asserted in frame [0-9]*' "$work/abc.log"); then
    got=fails
  else
    cat "$work/abc.log"
    exit 2
  fi
  [ $got = "$3" ] && return
  [ $got = fails ] && echo "Assert failed: $failed" || echo "Unreached"
  exit 1
}

case $proof in
gm_atomic)
  # Small parameters: two lanes, 4 addresses so that walks wrap, rows of up to 7 beats, 16 tags for
  # 8 requests at a time. The induction is longer than a beat's flight, so all of that is seen to happen.
  for shape in "1 0" "4 0" "1 1"; do
    stages=${shape% *} types=${shape#* }
    to_smt2 gm_atomic "" "$rtl/gm/gm_atomic.v $here/gm_lane_alu.v $here/gm_lane_function.v
      $rtl/lib/delay_line.v $rtl/lib/pipe_cut.v $rtl/lib/fifo.v" \
      "chparam -set LANES 2 -set ADDR_W 2 -set LEN_W 3 -set TAG_W 4 -set CNT_W 4 -set ALU_STAGES $stages -set TYPES $types gm_atomic"
    run "base case, $stages stages${types#0}" -t $((stages + 7))
    run "induction, $stages stages${types#0}" -i -t $((stages + 4))
    [ -z "$quick" ] || exit 0
  done
  run "cover" -c -t 20
  ;;
fifo)
  for depth in 2 5; do
    to_smt2 fifo -DFORMAL_COVER "$rtl/lib/fifo.v" "chparam -set W 4 -set DEPTH $depth fifo"
    run "base case, $depth words" -t 8
    run "induction, $depth words" -i -t 2
    run "cover, $depth words" -c -t 16
  done
  ;;
gm_s32_guard | gm_choose)
  to_smt2 "$proof" "" "$rtl/gm/$proof.v" ""
  run "all inputs" -t 1
  ;;
stream_steps)
  for steps in 2 3; do
    to_smt2 stream_steps -DFORMAL_COVER "$rtl/lib/stream_steps.v" "chparam -set STEPS $steps stream_steps"
    run "base case, $steps steps" -t 6
    run "induction, $steps steps" -i -t 3
    run "cover, $steps steps" -c -t 12
  done
  ;;
fau_triplet)
  to_smt2 fau_triplet -DFORMAL_COVER "$rtl/softmax/fau_triplet.v $rtl/lib/skid.v" "chparam -set D 1 fau_triplet"
  run "base case" -t 6
  run "induction" -i -t 3
  run "cover" -c -t 12
  ;;
acc)
  to_smt2 acc -DACC_COVER "$rtl/softmax/acc.v $rtl/softmax/acc_lane.v $rtl/softmax/score_order.v $rtl/lib/stream_steps.v
    $rtl/fp/bf16_max.v $here/stubs/*.v" "chparam -set D 1 acc"
  run "base case" -t 7
  run "induction" -i -t 4
  run "cover" -c -t 10
  ;;
attention_ctrl)
  # blocks, queries, rows
  for shape in "3 2 3" "1 1 1" "2 1 4"; do
    # shellcheck disable=SC2086
    set -- $shape
    to_smt2 attention_ctrl -DFORMAL_COVER "$rtl/attention/attention_ctrl.v" \
      "chparam -set P $1 -set NQ $2 -set ROWS $3 attention_ctrl"
    run "base case, P $1, NQ $2, $3 rows" -t 6
    run "induction, P $1, NQ $2, $3 rows" -i -t 3
    run "cover, P $1, NQ $2, $3 rows" -c -t 12
  done
  ;;
skid)
  to_smt2 skid -DFORMAL_COVER "$rtl/lib/skid.v" "chparam -set W 4 skid"
  run "base case" -t 8
  run "induction" -i -t 2
  run "cover" -c -t 16
  ;;
stream_hold)
  to_smt2 stream_hold -DFORMAL_COVER "$rtl/lib/stream_hold.v" "chparam -set W 4 stream_hold"
  run "base case" -t 6
  run "induction" -i -t 2
  run "cover" -c -t 8
  ;;
stream_join | stream_split)
  # 13 bits as beats of 4, 7 and 16
  for beat in 4 7 16; do
    to_smt2 "$proof" -DFORMAL_COVER "$rtl/axi/$proof.v" "chparam -set W 13 -set BEAT_W $beat $proof"
    run "base case, beats of $beat" -t 8
    run "induction, beats of $beat" -i -t 2
    run "cover, beats of $beat" -c -t 14
  done
  ;;
axi_lite_port)
  to_smt2 axi_lite_port -DFORMAL_COVER "$rtl/axi/axi_lite_port.v" "chparam -set ADDR_W 5 axi_lite_port"
  run "base case" -t 8
  run "induction" -i -t 3
  run "cover" -c -t 10
  ;;
attention_registers)
  to_smt2 attention_registers -DFORMAL_COVER "$rtl/axi/attention_registers.v $here/axi/axi_lite_port.v $rtl/lib/fifo.v" "chparam -set D 2 -set P 2 -set NQ 2 -set N 6 attention_registers"
  run "base case" -t 6
  run "induction" -i -t 3
  [ -n "$quick" ] || run "cover" -c -t 9
  ;;
attention_axi)
  # blocks, queries, keys
  for shape in "1 1 2" "2 3 6"; do
    # shellcheck disable=SC2086
    set -- $shape
    to_smt2 attention_axi "" "$rtl/axi/attention_axi.v $rtl/axi/attention_registers.v $here/axi/axi_lite_port.v
      $rtl/lib/fifo.v $rtl/lib/stream_hold.v $rtl/axi/stream_join.v $rtl/axi/stream_split.v $rtl/fp/bf16_mul.v $rtl/fp/bf16_round.v
      $here/axi/attention_engine.v" \
      "chparam -set D 2 -set P $1 -set NQ $2 -set N $3 attention_axi"
    run "base case, P $1, NQ $2, N $3" -t 4
    run "induction, P $1, NQ $2, N $3" -i -t 2
    [ "$1" != 1 ] || [ -n "$quick" ] || run "cover" -c -t 20
  done
  ;;
gm_axi_read)
  # Two lanes, 8 beats of memory and pages of 4, so that bursts end outside, and beyond a page.
  to_smt2 gm_axi_read -DREAD_COVER "$rtl/axi/gm_axi_read.v $rtl/axi/axi_burst.v $rtl/lib/fifo.v $here/axi/axi_rules.v" \
    "chparam -set LANES 2 -set ADDR_W 3 -set AXI_W 7 -set ID_W 2 -set PAGE 32 gm_axi_read"
  run "base case" -t 5
  [ -z "$quick" ] || exit 0
  run "induction" -i -t 2
  run "cover" -c -t 10
  ;;
gm_axi)
  # Two lanes, 8 beats of memory and pages of 4, so that bursts and walks end outside, and beyond a page.
  for part in "" -DLIVE; do
    to_smt2 gm_axi "$part" "$rtl/axi/gm_axi.v $rtl/axi/gm_axi_read.v $rtl/axi/axi_burst.v $rtl/lib/fifo.v
      $here/axi/gm_atomic.v $here/axi/axi_rules.v" \
      "chparam -set LANES 2 -set ADDR_W 3 -set AXI_W 7 -set ID_W 2 -set LEN_W 3 -set CNT_W 4 -set PAGE 32 gm_axi"
    run "base case${part:+, everything ends}" -t 4
    run "induction${part:+, everything ends}" -i -t 2
    run "cover${part:+, everything ends}" -c -t 12
  done
  ;;
attention_memory)
  # Three rows: groups that go around the end, overlap and follow each other, in every order of 8 cycles.
  to_smt2 attention_memory "" "$here/attention_memory.v $rtl/attention/attention_ctrl.v $rtl/attention/attention_rows.v" ""
  run "base case" -t 8
  run "cover" -c -t 8
  ;;
attention_chain)
  to_smt2 attention_chain "" "$here/attention_chain.v $here/stubs/*.v $rtl/softmax/acc.v $rtl/softmax/acc_lane.v
    $rtl/softmax/divide.v $rtl/softmax/fau_triplet.v $rtl/softmax/score_order.v $rtl/lib/stream_steps.v
    $rtl/lib/skid.v $rtl/fp/bf16_max.v" ""
  run "base case" -t 8
  run "induction" -i -t 5
  [ -n "$quick" ] || run "cover" -c -t 22
  ;;
lanes)
  # Arithmetic and D; registers begin alike. ABC finds the two halves' signals that are always the same, which takes it
  # too long of FA-2's multipliers.
  files=$(echo "$here"/lanes.v "$rtl"/softmax/*_lane.v "$rtl"/arith/*.v "$rtl"/hfa/*.v "$rtl"/expmul/*.v "$rtl"/fp/bf16_*.v \
    "$rtl"/lib/delay_line.v)
  for shape in "0 32"; do
    echo "== $proof: ARITHMETIC ${shape% *}, D ${shape#* }"
    yosys -q -l "$work/yosys.log" -p "read_verilog -formal -I$rtl/lib -DASSUMED=assert $files
      chparam -set ARITHMETIC ${shape% *} -set D ${shape#* } lanes; prep -top lanes -flatten; dffunmap; setundef -zero -init; memory_map
      techmap; opt -fast -nodffe -nosdff; abc -g AND -fast; dffunmap; opt_clean; write_aiger -I -B -zinit $work/lanes.aig" >/dev/null || exit 2
    yosys-abc -c "read_aiger $work/lanes.aig; fold; strash; scorr; pdr -T 60" >"$work/abc.log" 2>&1 || { cat "$work/abc.log"; exit 2; }
    grep -q 'Property proved' "$work/abc.log" || { echo "Assert failed: the lanes differ"; exit 1; }
  done
  ;;
attention_engine)
  # blocks, queries, keys
  for shape in "2 1 4" "1 1 1" "1 2 3"; do
    whole "$shape" -DINDUCTION
    bounded "base case, $title" 8 passes
    run "induction, $title" -i -t 4
    [ -z "$quick" ] || exit 0
  done
  whole "1 1 1" "-DINDUCTION -DENGINE_COVER"
  run "cover" -c -t 20
  ;;
attention_whole)
  while read -r cycles shape; do
    whole "$shape" -DSUMS
    bounded "base case, $title" "$cycles" passes
  done <<END
23 1 1 2
21 1 2 2
22 2 1 4
END
  whole "1 1 2" "-DSUMS -DREACH"
  bounded "reached, $title" 23 fails
  ;;
*)
  echo "prove.sh: no proof $proof" >&2
  exit 2
  ;;
esac
