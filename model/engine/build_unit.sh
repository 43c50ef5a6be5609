#!/bin/sh
# Builds one shape of the attention engine's RTL as a shared library and prints its path. A library
# that is there already is not built again: its folder carries a checksum of all that went in.
#
#   build_unit.sh find|build CACHE TOP D P NQ N LNS ZERO_EXACT ONE_MUL TRACE
#
#   find   do not build: exit 3 without it      build  build it if it is not there
#   CACHE  folder for the libraries            TOP    hfa_top or fa2_top
#   LNS, ZERO_EXACT (hfa_top), ONE_MUL (fa2_top): 0 or 1, see rtl/README.md
#   TRACE  0: no waveforms; 1: an outline, control and streams up to 64 bits wide; 2: of everything
#
# AMALGAM_RTL names another folder to take the RTL from; its libraries go to a folder beside it.
# AMALGAM_UNIT_FLAGS are other flags for the compiler than -O3 -march=native.
# Exits 1, with the last lines of the log on stderr, if it cannot be built.
# SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -eq 11 ] || { sed -n 's/^# \{0,1\}//; 2,14p' "$0" >&2; exit 2; }
how=$1
shift
cache=$1 top=$2 d=$3 p=$4 nq=$5 n=$6 lns=$7 zero_exact=$8 one_mul=$9
shift 9
trace=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
rtl=${AMALGAM_RTL:-$root/rtl}
[ -z "${AMALGAM_RTL:-}" ] || cache=$AMALGAM_RTL.units

case $top in
hfa_top) own="-GLNS=$lns -GZERO_EXACT=$zero_exact" kind=lns$lns-zero$zero_exact arithmetic=hfa ;;
fa2_top) own="-GONE_MUL=$one_mul" kind=mul$one_mul arithmetic=fa2 ;;
*) echo "build_unit.sh: no top $top" >&2; exit 2 ;;
esac
verilate="-O3 --x-assign fast --x-initial unique --noassert"
compile="${AMALGAM_UNIT_FLAGS:--O3 -march=native} -fPIC -I$root/model -DENGINE_TOP=$top -DENGINE_D=$d -DENGINE_P=$p -DENGINE_NQ=$nq -DENGINE_N=$n"
own_sources= headers= global=
case $trace in
0) ;;
1) verilate="$verilate --trace-fst --no-trace-params" kind=$kind-outline ;;
*) verilate="$verilate --trace-fst --no-trace-params --trace-max-width 100000" kind=$kind-trace ;;
esac
if [ "$trace" != 0 ]; then
  compile="$compile -DENGINE_TRACE -include waves/verilated_waves.h"
  own_sources="$root/model/waves/verilated_waves.cpp"
  headers="$root/model/waves/verilated_waves.h"
  global="VM_GLOBAL_FAST='verilated verilated_threads'"
fi

folders="$rtl/fp $rtl/lib $rtl/softmax $rtl/$arithmetic $rtl/attention"
# shellcheck disable=SC2086
sources="$(find $folders -name '*.v' | sort)
  $root/model/engine/engine_unit.cpp $root/model/engine/engine_unit.h $root/model/num/num_triplet.h
  $root/model/waves/waves_port.h $own_sources $headers"
# What an outline shows: nothing of lanes, dot products, dividers and memories.
write_outline() {
  echo "\`verilator_config"
  for file in $sources; do
    case $file in
    *_top.v | */attention_engine.v | */attention_ctrl.v) ;;
    *.v) echo "tracing_off -file \"$file\"" ;;
    esac
  done
}
# shellcheck disable=SC2086
sum=$( { cat $sources; verilator --version; echo "$verilate $compile"; } | sha256sum | cut -c1-12)
unit=$cache/$top-d$d-p$p-q$nq-n$n-$kind-$sum
library=$unit/unit.so
[ ! -e "$library" ] || { echo "$library"; exit 0; }
[ "$how" = build ] || exit 3

# Two runs that want the same unit: the second waits and finds it.
mkdir -p "$unit"
exec 9>"$unit/lock"
flock 9
[ ! -e "$library" ] || { echo "$library"; exit 0; }
outline=
if [ "$trace" = 1 ]; then
  outline=$unit/outline.vlt
  write_outline >"$outline"
fi
# shellcheck disable=SC2086
OBJCACHE=$(command -v ccache || true) verilator --cc --exe --build -j 2 $verilate $own \
  -GD="$d" -GP="$p" -GNQ="$nq" -GN="$n" --top-module "$top" --prefix Vunit --Mdir "$unit/obj" \
  $(printf -- '-y %s ' $folders) \
  -MAKEFLAGS "OPT_FAST= OPT_SLOW=-O0 $global" -CFLAGS "$compile" -LDFLAGS -shared -o ../unit.so.new \
  $outline "$rtl/attention/$top.v" "$root/model/engine/engine_unit.cpp" $own_sources >"$unit/log" 2>&1 ||
  { tail -n 5 "$unit/log" >&2; echo "build_unit.sh: $top could not be built, see $unit/log" >&2; exit 1; }
mv "$unit/unit.so.new" "$library"
rm -rf "$unit/obj"
echo "$library"
