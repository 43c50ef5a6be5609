#!/bin/sh
# Builds a Verilated unit as a shared library and prints its path: a shape of the attention engine, or a slice of
# global memory with waveforms. A library that is there already is not built again: its folder carries a checksum
# of all that went in.
#
#   build_unit.sh find|build CACHE hfa|fa2|expmul VARIANT D P NQ N TRACE [axi]
#   build_unit.sh find|build CACHE gm_atomic
#
#   find   do not build: exit 3 without it      build  build it if it is not there
#   CACHE  folder for the libraries
#   hfa|fa2|expmul, VARIANT: the arithmetic of attention_engine, see rtl/README.md
#   axi    the engine behind its buses, rtl/axi/attention_axi.v
#   TRACE  0: no waveforms; 1: an outline, control and streams up to 64 bits wide; 2: of everything
#
# AMALGAM_RTL names another folder to take the RTL from; its libraries go to a folder beside it.
# AMALGAM_UNIT_FLAGS are other flags for the compiler than -O3 -march=native, AMALGAM_VERILATOR_FLAGS more of Verilator's.
# Exits 1, with the last lines of the log on stderr, if it cannot be built.
# SPDX-License-Identifier: Apache-2.0
set -eu
usage() { sed -n 's/^# \{0,1\}//; 2,17p' "$0" >&2; exit 2; }
[ $# -ge 3 ] || usage
how=$1 cache=$2 top=$3
shift 3
root=$(cd "$(dirname "$0")/../.." && pwd)
rtl=${AMALGAM_RTL:-$root/rtl}
[ -z "${AMALGAM_RTL:-}" ] || cache=$AMALGAM_RTL.units
# Verilator, make and flags in one text take no folder with a space, a quote, a dollar or the like: it has another
# name for as long as this takes.
answer=$cache plain=
case $root$rtl$cache in
*[!A-Za-z0-9_./,+@=-]*)
  [ -d "$cache" ] || [ "$how" = build ] || exit 3
  mkdir -p "$cache"
  plain=$(mktemp -d -p /tmp)
  trap 'rm -rf "$plain"' EXIT
  trap 'exit 130' HUP INT TERM
  ln -s "$(cd "$cache" && pwd)" "$plain/units"
  ln -s "$(cd "$rtl" && pwd)" "$plain/rtl"
  ln -s "$root" "$plain/root"
  cache=$plain/units rtl=$plain/rtl root=$plain/root ;;
esac

# The files of ours that these include, and those that they include, and so on.
included() {   # included FILE...
  found='' new=$*
  while [ -n "$new" ]; do
    next=
    # shellcheck disable=SC2086
    for name in $(sed -nE 's/^ *# *include "([^"]+)".*/\1/p' $new | sort -u); do
      for file in "$root/model/$name" "$root/sw/$name"; do
        case " $found $next " in *" $file "*) ;; *) [ ! -e "$file" ] || next="$next $file" ;; esac
      done
    done
    found="$found $next" new=$next
  done
  echo "$found"
}

# What each is made of: RTL, the C++ around it, parameters, and a name.
include="-I$root/model -I$root/sw" own='' define='' shown='' outlined=''
case $top in
hfa | fa2 | expmul)
  [ $# -eq 6 ] || [ "$#${7:-}" = 7axi ] || usage
  case $top in hfa) arithmetic=0 ;; fa2) arithmetic=1 ;; expmul) arithmetic=2 ;; esac
  file=$rtl/attention/attention_engine.v
  own_sources=$root/model/engine/engine_unit.cpp
  bus=${7:-}
  if [ -n "$bus" ]; then
    file=$rtl/axi/attention_axi.v
    own_sources=$root/model/engine/engine_axi_unit.cpp
  fi
  own="-GARITHMETIC=$arithmetic -GVARIANT=$1 -GD=$2 -GP=$3 -GNQ=$4 -GN=$5"
  define="-DENGINE_NAME=$top -DENGINE_D=$2 -DENGINE_P=$3 -DENGINE_NQ=$4 -DENGINE_N=$5" kind=v$1
  params='--trace-fst --no-trace-params'
  case $6 in
  0) ;;
  1) shown=$params kind=$kind-outline outlined=yes ;;
  2) shown="$params --trace-max-width 100000" kind=$kind-trace ;;
  *) usage ;;
  esac
  name=$top${bus:+-$bus}-d$2-p$3-q$4-n$5-$kind
  # Loops over lanes stay loops; those of generate may have sixteen times as many turns.
  turns=$2
  [ -z "$bus" ] || turns=$(($2 * $4))
  verilate="-O3 --x-assign fast --x-initial unique --unroll-count $((turns / 16 + 8))" ;;
gm_atomic)
  [ $# -eq 0 ] || usage
  file=$rtl/gm/gm_atomic.v
  own_sources=$root/model/soc/slices/gm_traced_unit.cpp
  shown=--trace-fst name=gm_atomic-trace own=-GTYPES=1
  verilate="-O3 --x-assign fast --x-initial fast" ;;
*) echo "build_unit.sh: no top $top" >&2; exit 2 ;;
esac
compile="${AMALGAM_UNIT_FLAGS:--O3 -march=native} -fPIC -DVL_USER_STOP -include waves/verilated_memory.h $include $define"
verilate="$verilate $shown ${AMALGAM_VERILATOR_FLAGS:-}"
if [ -n "$shown" ]; then
  compile="$compile -DENGINE_TRACE -include waves/verilated_waves.h"
  own_sources="$own_sources $root/model/waves/verilated_waves.cpp"
fi

# An engine has one arithmetic: the others' modules are named in it, and not there.
others=
for arithmetic in hfa expmul; do
  [ "$top" = $arithmetic ] || others="$others ! -name $arithmetic"
done
module=$(basename "$file" .v)
# shellcheck disable=SC2046,SC2086
modules=$("$root/rtl/modules.sh" "$module" $(find "$rtl/" -mindepth 1 -maxdepth 1 -type d $others | sort))
# shellcheck disable=SC2086
folders=$(dirname $modules | sort -u)
config=$rtl/simulators.vlt
own_sources="$own_sources $root/model/waves/verilated_stop.cpp"
# shellcheck disable=SC2086
sources="$modules $config $own_sources $(included $own_sources) $root/model/waves/verilated_memory.h $rtl/lib/assert.vh"
# What an outline shows: nothing of lanes, dot products, dividers and memories.
write_outline() {
  echo "\`verilator_config"
  for source in $sources; do
    case $source in
    */attention_axi.v | */attention_registers.v | */attention_engine.v | */attention_ctrl.v) ;;
    *.v) echo "tracing_off -file \"$source\"" ;;
    esac
  done
}
needs() {
  for tool; do
    command -v "$tool" >/dev/null || { echo "the RTL cannot be built without $tool: install it" >&2; exit 1; }
  done
}
needs verilator
# shellcheck disable=SC2086
sum=$( { cat $sources; verilator --version; echo "$verilate $compile" | sed "s|$root/||g"; } | sha256sum | cut -c1-12)
unit=$cache/$name-$sum
library=$unit/unit.so answer=$answer/$name-$sum/unit.so
[ ! -e "$library" ] || { echo "$answer"; exit 0; }
[ "$how" = build ] || exit 3
needs make g++

# Two runs that want the same unit: the second waits and finds it.
mkdir -p "$unit"
exec 9>"$unit/lock"
flock 9
[ ! -e "$library" ] || { echo "$answer"; exit 0; }
rm -rf "$unit/obj"   # half of an object file, of one that was killed
made=${plain:-$unit}   # make goes by the real name of its folder
outline=
if [ -n "$outlined" ]; then
  outline=$made/outline.vlt
  write_outline >"$outline"
fi
# A small file's headers take longer than itself: those of what runs once are one file to compile, and those of what runs
# in every cycle another.
classes() {   # classes FAST|SLOW: Verilator's files
  awk -v kind="_$1\$" '/^VM_/ { in_it = $1 ~ kind && $1 !~ /GLOBAL/; next } in_it && /^[ \t]/ { print $1 }' \
    "$made/obj/Vunit_classes.mk"
}
join() {
  large=
  : >"$made/obj/Vunit_parts.cpp"   # there may be none
  for class in $(classes FAST); do
    if [ "$(stat -c %s "$made/obj/$class.cpp")" -gt 150000 ]; then
      large="$large $class"
    else
      echo "#include \"$class.cpp\"" >>"$made/obj/Vunit_parts.cpp"
    fi
  done
  classes SLOW | sed 's/.*/#include "&.cpp"/' >"$made/obj/Vunit_slow.cpp"
}
# Newer Verilators precompile headers, which compilers find only with the very same flags: they are read as they are.
# shellcheck disable=SC2086
make_library() {
  OBJCACHE=$(command -v ccache || true)
  export OBJCACHE
  verilator --cc --exe $verilate $own --top-module "$module" --prefix Vunit --Mdir "$made/obj" \
    $(printf -- '-y %s ' $folders) -CFLAGS "$compile" -LDFLAGS -shared -o ../unit.so.new \
    $outline "$config" "$file" $own_sources &&
    join &&
    make -C "$made/obj" -f Vunit.mk -j 2 OPT_FAST= OPT_SLOW=-O0 VK_PCH_I_FAST= VK_PCH_I_SLOW= \
      VM_SUPPORT_FAST= VM_SUPPORT_SLOW= VM_GLOBAL_FAST='verilated verilated_threads' \
      VM_CLASSES_SLOW=Vunit_slow VM_CLASSES_FAST="$large Vunit_parts"
}
make_library >"$unit/log" 2>&1 ||
  { tail -n 5 "$unit/log" >&2; echo "build_unit.sh: $top could not be built, see ${answer%/*}/log" >&2; exit 1; }
[ -z "$plain" ] || mv "$made/unit.so.new" "$unit/unit.so.new"
mv "$unit/unit.so.new" "$library"
rm -rf "$made/obj"
echo "$answer"
