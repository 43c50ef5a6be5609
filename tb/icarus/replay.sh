#!/bin/sh
# A unit in both simulators: what its testbench saw in Verilator, pin by pin and cycle by cycle, is played to Icarus.
#
#   replay.sh TB WORK_DIR attention OPTIONS...          TB: attention_tb; its options, of `random`
#   replay.sh TB WORK_DIR gm_atomic TEST OPTIONS...     TB: gm_atomic_tb_lN[_types]; its test and options
#
# Exits 0 if all outputs agree, 1 if not.
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -ge 3 ] || { sed -n 's/^# \{0,1\}//; 2,7p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
tb=$1 work=$2 kind=$3
unit=$work/unit.vvp record=$work/record
mkdir -p "$work"
shift 3

# compile BENCH FOLDERS [OPTIONS...]: with the RTL of these folders
compile() {
  bench=$1 folders=$2
  shift 2
  # shellcheck disable=SC2046,SC2086
  iverilog -g2005 -Wall -I "$root/rtl/lib" -DRAM_COLLISION_X -s "$bench" "$@" $(printf -- "-y $root/rtl/%s " $folders) \
    -o "$unit" "$root/tb/icarus/$bench.v"
}

# The engine's parameters, out of the testbench's options.
attention() {
  design=hfa corrected=0 zero_exact=0 one_mul=0 sizes=
  while [ $# -gt 0 ]; do
    case $1 in
    --design) design=$2; shift ;;
    --d | --p | --nq | --n) sizes="$sizes -Pattention_replay.$(echo "${1#--}" | tr "[:lower:]" "[:upper:]")=$2"; shift ;;
    --corrected) corrected=1 ;;
    --zero-exact) zero_exact=1 ;;
    --one-mul) one_mul=1 ;;
    *) shift ;;
    esac
    shift
  done
  case $design in
  hfa) arithmetic=0 variant=$((corrected + 2 * zero_exact)) ;;
  fa2) arithmetic=1 variant=$one_mul ;;
  expmul) arithmetic=2 variant=0 ;;
  esac
  # shellcheck disable=SC2086
  compile attention_replay "fp lib hfa expmul arith softmax attention" "-Pattention_replay.ARITHMETIC=$arithmetic" \
    "-Pattention_replay.VARIANT=$variant" $sizes
}

case $kind in
attention)
  attention "$@"
  "$tb" random "$@" --record "$record" ;;
gm_atomic)
  types=0 lanes=${tb##*_l}
  [ "$lanes" = "${lanes%_types}" ] || types=1
  compile gm_atomic_replay "fp gm lib" "-Pgm_atomic_replay.LANES=${lanes%_types}" "-Pgm_atomic_replay.TYPES=$types"
  "$tb" "$@" --record "$record" ;;
esac
vvp -n "$unit" "+record=$record" | tee "$work/log"
rm -f "$record"
grep -q PASS "$work/log"
