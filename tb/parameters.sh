#!/bin/sh
# Does each tool refuse parameters that a module cannot have, with the sentence of its `PARAMETER (rtl/lib/assert.vh)?
#
#   parameters.sh RTL WORK_DIR      RTL: the folder of the RTL
#
# Exits 1 if one is taken, or refused without its sentence.
# SPDX-License-Identifier: Apache-2.0
set -u
[ $# -eq 2 ] || { sed -n 's/^# \{0,1\}//; 2,6p' "$0" >&2; exit 2; }
rtl=$1 work=$2 failed=0 count=0
mkdir -p "$work" || exit 2
log=$work/log
search=$(printf -- "-y %s " "$rtl"/*/)

# elaborate TOOL MODULE FILES PARAMETER=VALUE...
elaborate() {
  tool=$1 module=$2 files=$3 set=
  file=${files%% *}
  shift 3
  for pair; do
    case $tool in
    verilator) set="$set -G$pair" ;;
    iverilog) set="$set -P$module.$pair" ;;
    yosys) set="$set -chparam ${pair%%=*} ${pair#*=}" ;;
    esac
  done
  # shellcheck disable=SC2086
  case $tool in
  verilator) verilator --lint-only -Wno-fatal $set $search --top-module "$module" "$file" ;;
  iverilog) iverilog -g2005 -I "$rtl/lib" $set $search -s "$module" -t null "$file" ;;
  yosys) yosys -q -p "read_verilog -I$rtl/lib $files; hierarchy -check -top $module $set" ;;
  esac >"$log" 2>&1
}

# refused SENTENCE MODULE PARAMETER=VALUE...; taken MODULE PARAMETER=VALUE...
refused() {
  sentence=$1 module=$2
  shift 2
  files=$("$rtl/modules.sh" "$module" "$rtl"/*/ | tr '\n' ' ')
  for tool in verilator iverilog yosys; do
    count=$((count + 1))
    if elaborate $tool "$module" "$files" "$@"; then
      echo "$tool takes $module $*"
      failed=1
    elif ! grep -q "$sentence" "$log"; then
      echo "$tool refuses $module $*, and says something else than $sentence:"
      head -n 3 "$log"
      failed=1
    fi
  done
}
taken() {
  module=$1
  shift
  files=$("$rtl/modules.sh" "$module" "$rtl"/*/ | tr '\n' ' ')
  for tool in verilator iverilog yosys; do
    elaborate $tool "$module" "$files" "$@" || { echo "$tool refuses $module $*:"; head -n 3 "$log"; failed=1; }
  done
}

# The rest is right, and small.
engine() { refused "$1" attention_engine D=2 P=2 N=4 "$2"; }
engine N_must_be_a_multiple_of_P N=5
refused N_must_be_a_multiple_of_P attention_engine D=2 P=3 N=50
engine D_must_be_at_least_2 D=1
engine NQ_must_be_at_least_1 NQ=0
engine ARITHMETIC_must_be_0_to_2 ARITHMETIC=3
engine VARIANT_must_be_one_of_the_ARITHMETIC VARIANT=4
refused VARIANT_must_be_one_of_the_ARITHMETIC attention_engine D=2 P=2 N=4 ARITHMETIC=2 VARIANT=1
refused VARIANT_must_be_one_of_the_ARITHMETIC fau D=2 ARITHMETIC=1 VARIANT=2
refused D_must_be_at_least_2 bf16_dot D=1
refused LANES_must_be_at_least_1 bf16_add LANES=0
refused CNT_W_must_be_wide_enough_to_hold_LANES gm_atomic LANES=4 CNT_W=1
refused CNT_W_must_be_wide_enough_to_hold_LANES gm_atomic LANES=4 CNT_W=2
refused ALU_STAGES_must_be_1_to_6 gm_atomic LANES=2 ALU_STAGES=7
refused STAGES_must_be_1_to_6 gm_lane_alu STAGES=0
refused FRACTION_must_be_23_or_10_with_TYPES fp32_add FRACTION=10
refused DEPTH_must_be_at_least_2 delay_line DEPTH=1
refused DEPTH_must_be_at_least_2 fifo DEPTH=1
refused STEPS_must_be_at_least_2 stream_steps STEPS=1
refused LANES_must_be_2_4_8_16_or_32 gm_axi LANES=3 ADDR_W=4 LEN_W=3
refused AXI_W_must_be_more_than_the_memory_has gm_axi LANES=2 ADDR_W=4 AXI_W=7 LEN_W=3
refused LEN_W_must_be_at_most_ADDR_W gm_axi LANES=2 ADDR_W=4 LEN_W=5
refused PAGE_must_be_a_power_of_two_of_a_beat_or_more gm_axi LANES=2 ADDR_W=4 LEN_W=3 PAGE=48
refused WORDS_must_be_a_power_of_two gm_slice LANES=2 WORDS=6 LEN_W=2
refused P_must_be_at_most_255 attention_registers D=2 P=256 N=512
refused STREAM_W_must_be_a_multiple_of_8 attention_axi D=2 P=2 N=4 STREAM_W=12
refused DELAY_must_be_at_least_2 attention_rows DELAY=1
refused ADDR_W_must_be_at_least_3 axi_lite_port ADDR_W=2
taken attention_engine D=2 P=1 N=1
taken gm_slice LANES=2 WORDS=2 LEN_W=1 AXI_W=5
taken attention_engine D=3 P=3 NQ=2 N=6 ARITHMETIC=1 VARIANT=1
taken gm_atomic LANES=3 CNT_W=2
taken gm_atomic LANES=2 ALU_STAGES=1 TYPES=1
echo "$count refusals asked for: $([ $failed = 0 ] && echo PASS || echo FAIL)"
exit $failed
