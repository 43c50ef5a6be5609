#!/bin/sh
# Ascend C kernels, those shipped and one of many calls: do they give what NumPy gives, with any number of blocks, on
# one core and on many, with faster scalar cores, in RV64 and natively?
# SPDX-License-Identifier: Apache-2.0
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
numpy=python3
"$numpy" -c 'import numpy' 2>/dev/null || numpy=/usr/bin/python3
"$numpy" -c 'import numpy' 2>/dev/null || { echo "no numpy"; exit 77; }
"$numpy" "$here/arrays.py"

ascend() { "$SIM" run ascend "$@" --quiet || fail "run ascend $*: exit code $?"; }

# Same bits, however it is run.
same() {   # same SOURCE RESULT ARGUMENTS...: the result's NAME:TYPE[SHAPE]
  source=$1 result=$2
  shift 2
  ascend "$source" "$@" --out "$result=first.npy" --json r.json
  for way in '--blocks 1' '--blocks 5' '--config ascend910 --cores 4' '--set scalar.cpi=0.25'; do
    # shellcheck disable=SC2086
    ascend "$source" "$@" --out "$result=other.npy" $way
    cmp -s first.npy other.npy || fail "$source: other bits with $way"
  done
  "$SIM" ascend -o native.so "$source"
  ascend native.so "$@" --out "$result=other.npy"
  cmp -s first.npy other.npy || fail "$source: RV64 and native differ"
  fits run_ascend=r.json
}

examples=$SW/ascend/examples
same "$examples/add.cpp" 'z:f16[20480]' --arg x=x16.npy --arg y=y16.npy --arg n=20480 --expect z=sum16.npy
same "$examples/softmax.cpp" 'y:f32[37,100]' --arg x=x.npy --arg rows=37 --arg columns=100 \
  --expect y=softmax.npy --tolerance 1e-6
same "$examples/rmsnorm.cpp" 'y:f16[37,256]' --arg x=rows16.npy --arg w=weight.npy --arg rows=37 \
  --expect y=normal.npy --tolerance 4e-3

# One wide kernel: a row a call, each beside NumPy's.
ascend "$here/calls.cpp" --arg a=a.npy --arg b=b.npy --arg i=i.npy --out 'y:f32[57,100]=y.npy' --out 'n:i32[9,100]=n.npy' \
  --tiling t.bin --workspace w=400 --inout s=s.npy,after.npy
"$numpy" "$here/arrays.py" y.npy n.npy after.npy

# The library in half precision.
"$numpy" "$here/halves.py"
ascend "$here/halves.cpp" --arg x=halves.npy --out 'y:f16[16,512]=halves_y.npy' --no-init-check --allow-overflow
"$numpy" "$here/halves.py" halves_y.npy

# Tiles, with and without what users' compilers put between instructions.
count=$("$numpy" "$here/tiles.py")
for way in on off; do
  ascend "$here/tiles.cpp" --arg x=x.npy --arg w=w.npy --arg h=h.npy --arg g=g.npy --arg i=i.npy --out "y:f32[$count]=y.npy" \
    --allow-overflow --auto-sync $way
  "$numpy" "$here/tiles.py" y.npy
done

# ... and on cube cores.
for b in tile_b:0 tile_turned:1; do
  ascend "$here/tile_product.cpp" --entry product --arg a=tile_a.npy --arg b=${b%:*}.npy --arg turned=${b#*:} --workspace work=12288 \
    --out 'c:f16[64,96]' --expect c=tile_c.npy --tolerance 2e-3
done
ascend "$here/tile_product.cpp" --entry square --arg a=tile_a.npy --arg b=tile_b.npy --out 'd:f32[64,64]' \
  --expect d=tile_d.npy --tolerance 1e-3

# Two operands of one instruction in the same banks: the lines and what they cost, and what it would be without.
cat >banks.cpp <<'CPP'
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void banks(GM_ADDR out) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 128 * 1024);
  LocalTensor<float> a = buffer.Get<float>(), b = a[4096], c = a[16384];
  GlobalTensor<float> y;
  y.SetGlobalBuffer((__gm__ float *)out);
  Duplicate(a, 1.0f, 8192);
  PipeBarrier<PIPE_V>();
  for (int i = 0; i < 20; ++i) Add(c, a, b, 4096);
  PipeBarrier<PIPE_ALL>();
  DataCopy(y, c, 4096);
}
CPP
ascend banks.cpp --out 'out:f32[4096]' --blocks 1 --json banks.json
"$SIM" explain banks.json --json why.json --quiet
holds '([.path.links[].cycles] | add) == .cycles' why.json
holds '[.path.links[] | select(.what == "banks")] | length == 1 and (.[0].line | startswith("banks.cpp:12")) and .[0].cycles > 1000' why.json
holds '(.worth[] | select(.name == "bank conflicts").cycles) + ([.path.links[] | select(.what == "banks").cycles] | add) == .cycles' why.json

# Cube cores: beside vector cores, and alone.
product="--arg a=left.npy --arg bias=bias.npy --workspace workspace=400000 --arg m=100 --arg n=77 --arg k=150
  --expect c=activated.npy --tolerance 1e-4"
# shellcheck disable=SC2086
same "$here/matmul.cpp" 'c:f32[100,77]' $product --arg b=right.npy --arg turned=0
# shellcheck disable=SC2086
ascend "$here/matmul.cpp" $product --arg b=turned.npy --arg turned=1 --out 'c:f32[100,77]'
calls=$here/cube_calls.cpp
ascend "$calls" --entry strips --arg a=strips_a.npy --arg b=strips_b.npy --out 'c:f16[2,2,20,16]' --expect c=strips_c.npy \
  --tolerance 0.01
ascend "$calls" --entry integers --arg a=bytes_a.npy --arg b=bytes_b.npy --arg scales=scales.npy --out 'sums:i32[20,40]' \
  --out 'scaled:f16[20,40]' --out 'columns:f16[20,40]' --expect sums=sums.npy --expect scaled=scaled.npy --expect columns=columns.npy
ascend "$calls" --entry again --arg a=again_a.npy --arg b=again_b.npy --arg c=again_c.npy --arg scales=again_scales.npy \
  --out 'out:i32[32,32]' --expect out=again.npy
ascend "$calls" --entry added --arg a=parts_a.npy --arg b=parts_b.npy --inout c=before.npy --blocks 4 --expect c=after_all.npy
"$numpy" "$here/atomics.py"
for way in rtl c; do
  ascend "$here/atomics.cpp" --arg x=atomic_operands.npy --inout y=atomic_before.npy --blocks 1 --gm $way --expect y=atomic_after.npy
  ascend "$calls" --entry halves --arg a=atomic_a.npy --arg b=atomic_b.npy --inout c=atomic_c.npy --blocks 1 --gm $way \
    --expect c=atomic_sum.npy --tolerance 2e-3
done
ascend "$here/meet.cpp" --workspace slots=1024 --out 'out:i32[2]' --config ascend910_pair --expect out=met.npy

ascend "$here/matmul_object.cpp" --entry whole --arg a=object_a.npy --arg b=object_b.npy --out 'c:f16[70,90]' --tiling whole.bin \
  --expect c=object_c.npy --tolerance 0.02 --config ascend910_pair
ascend "$here/matmul_object.cpp" --entry tiles --arg a=turned_a.npy --arg b=turned_b.npy --out 'c:f32[70,90]' --tiling tiles.bin \
  --expect c=turned_c.npy --tolerance 1e-4

# A wrong transpose is no race: blame finds the line.
sed 's/ifTranspose = sizes_.turned == 0/ifTranspose = sizes_.turned != 0/' "$here/matmul.cpp" >wrong.cpp
# shellcheck disable=SC2086
! "$SIM" run ascend wrong.cpp $product --arg b=right.npy --arg turned=0 --out 'c:f32[100,77]' --json r.json --quiet 2>err ||
  fail "a wrong transpose changes nothing"
line=$(grep -n 'LoadData(to\[i \* columns' wrong.cpp | cut -d: -f1)
"$SIM" blame r.json >out
grep -qF "to blame wrong.cpp:$line (Split)" out && grep -qF 'with: transpose 1 instead of 0' out ||
  { cat out; fail "blame: a wrong transpose"; }

# A row that nobody loads is told where it is read; padding of ragged ends is not told.
# shellcheck disable=SC2086
"$SIM" run ascend "$here/matmul.cpp" $product --arg b=right.npy --arg turned=0 --out 'c:f32[100,77]' >out 2>&1
! grep -q 'nobody wrote' out || { cat out; fail "padding counts as unwritten"; }
sed 's/p.nValue = rows/p.nValue = rows - 1/' "$here/matmul.cpp" >wrong.cpp
# shellcheck disable=SC2086
! "$SIM" run ascend wrong.cpp $product --arg b=right.npy --arg turned=0 --out 'c:f32[100,77]' >out 2>&1 || fail "a missing row"
line=$(grep -n 'LoadData(to\[i \* inner' wrong.cpp | cut -d: -f1)
grep -q "nobody wrote: read by cube0 MTE1: LOAD_FRACTALS .* at wrong.cpp:$line (Split)" out || { cat out; fail "a missing row"; }

# As many arrays as there may be, beside those of the layer.
numbers=$(seq 0 47)
{ echo '#include "kernel_operator.h"'
  echo "extern \"C\" __global__ __aicore__ void many($(printf 'GM_ADDR p%s, ' $numbers | sed 's/, $//')) { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); }"
} >many.cpp
# shellcheck disable=SC2046
ascend many.cpp $(printf -- '--inout p%s=s.npy ' $numbers) --vary 2 --json many.json
holds '(.vary | length) == 2 and (.vary | map(.same) | all)' many.json

# Several launches: results by name, read and written, and by another name; once more, for what made the last one.
cat >scale.cpp <<'CPP'
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void scale(__gm__ float *y, float by) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 4096);
  LocalTensor<float> x = buffer.Get<float>();
  GlobalTensor<float> all;
  all.SetGlobalBuffer(y);
  DataCopy(x, all, 1024);
  PipeBarrier<PIPE_ALL>();
  Muls(x, x, by, 1024);
  PipeBarrier<PIPE_ALL>();
  DataCopy(all, x, 1024);
}
CPP
"$numpy" -c "
import numpy as np
y = np.arange(1024, dtype='f4')
np.save('y0.npy', y), np.save('y3.npy', 24 * y), np.save('y4.npy', 24.5 * y)"
chain="scale.cpp --inout y=y0.npy,y1.npy --arg by=2 --blocks 1 --json r1.json --then scale.cpp --arg by=3 --blocks 1
  --then scale.cpp --inout y=y,y3.npy.out --arg by=4 --blocks 1 --json r3.json --config ascend910 --cores 1"
# shellcheck disable=SC2086
ascend $chain --expect y=y3.npy
cmp -s y3.npy y3.npy.out || fail "three launches: other results"
holds '.cores == 1 and (has("earlier") | not)' r1.json
holds '(.earlier | length) == 2 and .earlier[0].cycles > 0 and .arguments[0].result == "y" and .arguments[0].role == "inout"' r3.json
fits run_ascend=r3.json
# shellcheck disable=SC2086
! "$SIM" run ascend $chain --expect y=y4.npy --quiet 2>/dev/null || fail "three launches: a wrong result is not told"
"$SIM" blame r3.json >out && grep -q 'scale.cpp:12' out || { cat out; fail "blame of a third launch"; }
"$SIM" explain r3.json --quiet || fail "explain of a third launch"

# What a file of kernels is asked for, and what is refused.
refused() {   # refused FRAGMENT ARGUMENTS...
  fragment=$1
  shift
  status=0
  "$SIM" run ascend "$@" >out 2>err || status=$?
  [ $status -eq 2 ] && tail -n 1 err | grep -qF -e "$fragment" || { cat err; fail "$*: exit code $status"; }
}
refused "name a kernel's source"
refused "none.cpp: cannot read" none.cpp
refused "parameter x is not given" "$examples/add.cpp"
refused "has no parameter k" "$examples/add.cpp" --arg k=1
refused "expected NAME=..." "$examples/add.cpp" --arg n
refused "n is a number, and no array" "$examples/add.cpp" --out 'n:f32[4]'
refused "z is given twice" "$examples/add.cpp" --out 'z:f32[4]' --out 'z:f32[4]'
refused "whole number from 0 of 32 bits" "$examples/add.cpp" --arg n=-1
refused "expected NAME:TYPE[SHAPE]" "$examples/add.cpp" --out 'z:f99[4]'
refused "expected NAME:TYPE[SHAPE]" "$examples/add.cpp" --out 'z:f32'
refused "no parameter whose name begins with tiling" "$examples/add.cpp" --tiling t.bin
cat >typed.cpp <<'CPP'
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void typed(__gm__ half *x, __gm__ int32_t *y) { y[0] = x != nullptr; }
CPP
refused "x: the array is f32; kernel typed has a pointer to f16" typed.cpp --arg x=x.npy --out 'y:i32[1]'
refused "y: the array is i64; kernel typed has a pointer to i32" typed.cpp --arg x=x16.npy --out 'y:i64[1]'
refused "parameter by is not given" scale.cpp --inout y=y0.npy,none.npy --arg by=1 --then scale.cpp
refused "z: No such file" scale.cpp --inout y=y0.npy,none.npy --arg by=1 --then scale.cpp --arg by=1 --inout y=z
refused "gone.cpp: cannot read" scale.cpp --inout y=y0.npy,none.npy --arg by=1 --then gone.cpp
refused "--then: needs a value" scale.cpp --inout y=y0.npy,none.npy --arg by=1 --then
[ ! -f none.npy ] || fail "a launch that cannot be has left a file"
refused "--tolerance: needs" "$examples/add.cpp" --tolerance 1
refused "has no Ascend C kernel" "$FIRMWARE/amla.elf"
refused "unexpected argument" "$examples/add.cpp" more.cpp
printf '#include "kernel_operator.h"\nextern "C" __global__ __aicore__ void f(GM_ADDR x) { AscendC::NoSuchCall(x); }\n' >missing.cpp
refused "the layer lacks NoSuchCall" missing.cpp --arg x=null
printf 'int x;\n' >none.cpp
refused "no kernel" none.cpp

# What the layer has is what the page says it has, and all of it counts as there.
"$SIM" ascend --calls >calls.md
sed -n '/^From `.\/amalgam ascend --calls`/,/^## /p' "$ROOT/docs/ascend.md" | grep '^|' | cmp -s - calls.md ||
  fail "docs/ascend.md: its last table is not what amalgam ascend --calls prints"
mkdir all
sed -nE 's/^\| [a-z]+\/[^|]* \| (.*) \|$/\1/p' calls.md | tr -d ' ' | tr ',' '\n' | sed 's/.*/AscendC::&();/' >all/k.cpp
"$SIM" ascend --coverage all | grep -q ', 100.0 %; 0 names are missing$' || fail "coverage: names that the layer has are missing"
! "$SIM" ascend --calls x 2>err || fail "ascend --calls x"
grep -q 'takes no value' err || fail "ascend --calls x: $(cat err)"
"$SIM" ascend --coverage "$examples" >out
grep -q '^\([0-9]*\) of \1 call sites of [0-9]* names in 3 files are there, 100.0 %; 0 names are missing$' out ||
  { cat out; fail "coverage of the examples"; }
mkdir tree
sed 's/Exp(/AscendC::Digamma(/' "$examples/softmax.cpp" >tree/k.cpp
"$SIM" ascend --coverage tree | grep -qx ' *1  Digamma' || fail "coverage: a missing name"
echo "all as expected"
