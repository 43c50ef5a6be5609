#!/bin/sh
# Breaks the RTL in known ways and expects the checks to notice: mutations.txt has the mutants, with the file that each
# changes and the check that must fail.
#
#   run.sh BUILD WORK_DIR [NAME...]     all mutants, or those named; BUILD: the build folder
#
# The intact RTL passes the same checks in tests of their own.  Exits 0 when every mutant is caught.
# Checks:
#   prove TOP         tb/formal/prove.sh
#   vectors UNIT      Icarus, on the golden model's vectors of fp32_add, hfa_units, bf16_mul ...
#   unit NAME         NAME_tb in Verilator: bf16_diff, bf16_exp, bf16_div
#   bus TOP           TOP_tb, of a Verilated mutant: gm_slice, attention_axi
#   attention ARGS    attention_tb, on an engine Verilated from the mutant
# SPDX-License-Identifier: Apache-2.0
set -u
[ $# -ge 2 ] || { sed -n 's/^# \{0,1\}//; 2,14p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd) || exit 2
work=$(mkdir -p "$2" && cd "$2" && pwd) || exit 2
shift 2
table=$here/mutations.txt
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(sed -n 's/^\([a-z0-9_]*\): .*/\1/p' "$table")

# As bf16_bank.v counts.
bf16_unit() {
  case $1 in *_mul) echo 0 ;; *_add) echo 1 ;; *_max) echo 2 ;; *_diff) echo 3 ;; *_div) echo 4 ;; *_exp) echo 5 ;; esac
}

testbench() { case $1 in bf16_dot_*) echo "bf16_dot_tb_${1#bf16_dot_}" ;; *) echo "${1}_tb" ;; esac; }

# Vectors that make a mutant show: a product of vectors takes longer.
count() { case $1 in bf16_dot_d4) echo 4096 ;; bf16_dot_*) echo 200 ;; *) echo 8192 ;; esac; }

# vectors UNIT RTL DIR: 0 passed, 1 failed, more: a tool failed
vectors() {
  list=$build/tb/$1_vectors.txt bench=$1 options=
  case $1 in
  fp32_add) list=$root/tb/vectors/f32_add.txt ;;
  bf16_dot_d*) bench=bf16_dot options=-Pbf16_dot_vectors.D=${1#bf16_dot_d} ;;
  bf16_*) bench=bf16 options=-Pbf16_vectors.UNIT=$(bf16_unit "$1") ;;
  esac
  case $1 in bf16_*) list=$3/vectors.txt; "$build/tb/$(testbench "$1")" --emit "$list" --count "$(count "$1")" || return 2 ;; esac
  # shellcheck disable=SC2086
  iverilog -g2005 -I "$2/lib" -s "${bench}_vectors" $options -y "$2/fp" -y "$2/hfa" -y "$2/lib" -y "$root/tb/fp" -y "$root/tb/hfa" -y "$root/tb/icarus" -o "$3/vectors.vvp" \
    "$root/tb/icarus/${bench}_vectors.v" || return 2
  vvp "$3/vectors.vvp" "+vectors=$list" >"$3/vectors.log" || return 2
  grep -q PASS "$3/vectors.log" && return 0
  grep -q FAIL "$3/vectors.log" && return 1
  return 2
}

# unit NAME RTL DIR: the testbench of the build, linked with a Verilated mutant
unit() {
  clocked=false
  [ "$1" != bf16_div ] || clocked=true
  OBJCACHE=$(command -v ccache || true) verilator --cc --exe --build --top-module bf16_bank \
    --prefix Vmutant "-GUNIT=$(bf16_unit "$1")" --x-initial unique --Mdir "$3/obj" "-I$2/lib" -y "$2/lib" -y "$2/fp" -o "$3/tb" \
    -CFLAGS "-I$root/tb/fp -I$root/model -DBF16_BANK_HEADER='\"Vmutant.h\"' -DBF16_BANK_CLASS=Vmutant -DBF16_BANK_CLOCKED=$clocked" \
    "$root/tb/fp/bf16_bank.v" "$root/tb/fp/bf16_bank_shim.cpp" \
    "$build/tb/CMakeFiles/$1_tb.dir/fp/bf16_tb.c.o" "$build/tb/libamalgam_tb.a" \
    "$build/model/num/libamalgam_num.a" \
    -LDFLAGS "-lpthread -lm" >"$3/build.log" 2>&1 || { tail -n 5 "$3/build.log"; return 2; }
  "$3/tb"
}

# bus TOP RTL DIR: the testbench, as tb/axi/axi.cmake has it
bus() {
  case $1 in
  gm_slice) shape='-GLANES=4 -GWORDS=1024 -GAXI_W=16 -GID_W=3 -GLEN_W=6' case=random ;;
  *) shape='-GD=2 -GP=2 -GNQ=2 -GN=12' case=1 ;;
  esac
  # shellcheck disable=SC2086,SC2046
  OBJCACHE=$(command -v ccache || true) verilator --cc --exe --build --top-module "$1" --prefix "V$1" $shape \
    --x-initial unique --x-assign unique --assert --Mdir "$3/obj" "-I$2/lib" $("$2/modules.sh" "$1" "$2"/*/) -o "$3/tb" \
    -CFLAGS "-std=c++17 -I$root/model -I$root/sw" "$root/tb/axi/$1_tb.cpp" "$build/model/num/libamalgam_num.a" \
    -LDFLAGS "-lpthread -lm" >"$3/build.log" 2>&1 || { tail -n 5 "$3/build.log"; return 2; }
  "$3/tb" $case
  [ $? -ne 0 ] && return 1 || return 0
}

# check KIND RTL DIR
check() {
  case $1 in
  'prove '*) "$root/tb/formal/prove.sh" "${1#prove }" "$2" "$3" ;;
  'bus '*) bus "${1#bus }" "$2" "$3" ;;
  'unit '*) unit "${1#unit }" "$2" "$3" ;;
  'vectors '*) vectors "${1#vectors }" "$2" "$3" ;;
  # shellcheck disable=SC2086
  'attention '*) AMALGAM_RTL=$2 "$build/tb/attention_tb" ${1#attention } ;;
  *) echo "run.sh: unknown check '$1'"; return 2 ;;
  esac
}

survivors=0
count=0
for name in "$@"; do
  file=$(awk -v head="$name: " '/^rtl/ { file = $0 } index($0, head) == 1 { print file }' "$table")
  [ -n "$file" ] || { echo "run.sh: no mutant $name in $table" >&2; exit 2; }
  kind=$(sed -n "s/^$name: \([^:]*\): .*/\1/p" "$table")
  dir=$work/$name
  rm -rf "$dir"
  mkdir -p "$dir" || exit 2
  cp -r "$root/rtl" "$dir/rtl" || exit 2
  mutant=$dir/$file
  sed -n "/^$name: /,/^[^ ]/ s/^    //p" "$table" >"$dir/sed" || exit 2
  sed -f "$dir/sed" "$root/$file" >"$mutant" || exit 2
  count=$((count + 1))
  if cmp -s "$root/$file" "$mutant"; then
    echo "$name: changes nothing in $file; update it"
    survivors=$((survivors + 1))
    continue
  fi
  check "$kind" "$dir/rtl" "$dir" >"$dir/check.log" 2>&1
  case $? in
  1) echo "$name: caught by $kind: $(grep -h -m1 -E 'Assert failed|Unreached|expected' \
       "$dir/check.log" "$dir"/vectors.log 2>/dev/null | sed 's/^## *[0-9:]* *//')" ;;
  0) echo "$name: SURVIVED $kind"; survivors=$((survivors + 1)) ;;
  *) echo "$name: $kind did not run"; cat "$dir/check.log"; survivors=$((survivors + 1)) ;;
  esac
done
echo "$count mutants, $survivors not caught: $([ $survivors -eq 0 ] && echo PASS || echo FAIL)"
[ $survivors -eq 0 ]
