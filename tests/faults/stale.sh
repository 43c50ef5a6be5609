#!/bin/sh
# An engine that was built is not taken for one of other sources: whatever of them changes, by the compiler's own list of
# what it reads, it is to be built anew; and is the same again when the change is taken back, and in a copy of the tree.
# Verilator is stood in for.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

mkdir -p "$dir/tree/model" "$dir/tree/sw" "$dir/bin"
for folder in model/engine model/waves model/num model/core model/soc sw/hal; do
  cp -r "$ROOT/$folder" "$dir/tree/${folder%/*}/"
done
cp -r "$ROOT/rtl" "$dir/tree/rtl"
cat >"$dir/bin/verilator" <<'END'
#!/bin/sh
while [ "$1" != --Mdir ]; do
  [ "$1" != --version ] || { echo "Verilator 0"; exit; }
  shift
done
mkdir -p "$2"
: >"$2/Vunit_classes.mk"
printf 'library:\n\t: >../unit.so.new\n' >"$2/Vunit.mk"
END
chmod +x "$dir/bin/verilator"
export PATH="$dir/bin:$PATH"

unit() {   # unit find|build TREE WORDS...
  how=$1 tree=$2
  shift 2
  "$tree/model/engine/build_unit.sh" "$how" "$dir/units" "$@"
}

files=0 done=
# What the compiler reads of ours to make these, but for what Verilator writes; and some of what Verilator reads. Each once.
asked() {   # asked SOURCES WORDS...
  sources=$1
  shift
  library=$(unit build "$dir/tree" "$@")
  [ "$(cd "$dir/tree" && unit find . "$@")" = "$library" ] || fail "$*: not found"
  for file in $(cd "$dir/tree" && for source in $sources; do
    ${CXX:-c++} -MM -MG -Imodel -Isw -DENGINE_TRACE -include model/waves/verilated_waves.h "$source"
  done | tr -d '\\' | tr -s ' ' '\n' | grep -E '^(model|sw)/' | sort -u) \
    rtl/lib/assert.vh rtl/simulators.vlt $verilog; do
    case " $done " in *" $file "*) continue ;; esac
    done="$done $file"
    cp -p "$dir/tree/$file" "$dir/kept"
    echo "// other" >>"$dir/tree/$file"
    ! unit find "$dir/tree" "$@" >"$dir/out" || fail "$*: stale after a change of $file"
    cp -p "$dir/kept" "$dir/tree/$file"
    files=$((files + 1))
  done
  [ "$(unit find "$dir/tree" "$@")" = "$library" ] || fail "$*: not the same with all changes taken back"
  cp -r "$dir/tree" "$dir/copy"
  [ "$(unit find "$dir/copy" "$@")" = "$library" ] || fail "$*: another in a copy of the tree"
  rm -r "$dir/copy"
}
waves='model/waves/verilated_waves.cpp model/waves/verilated_stop.cpp'
verilog='rtl/attention/attention_ctrl.v rtl/hfa/hfa_lns_add.v'
asked "model/engine/engine_axi_unit.cpp $waves" hfa 0 16 2 1 4 2 axi
asked "model/engine/engine_unit.cpp $waves" hfa 0 16 2 1 4 2
verilog='rtl/gm/gm_lane_alu.v'
asked "model/soc/slices/gm_traced_unit.cpp $waves" gm_atomic
[ $files -gt 20 ] || fail "only $files files were changed"
echo "$files changes, none stale"
