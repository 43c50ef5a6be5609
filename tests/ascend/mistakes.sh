#!/bin/sh
# Mistakes in Ascend C and PTO kernels: is each stopped, or its wrong result followed back, and named at the source's own
# line? What a mask leaves out, which nobody has written, is told where it is read; values that are off are found only if
# somebody says what is expected.
# SPDX-License-Identifier: Apache-2.0
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
examples=$SW/ascend/examples
numpy=python3
"$numpy" -c 'import numpy' 2>/dev/null || numpy=/usr/bin/python3
"$numpy" -c 'import numpy' 2>/dev/null || { echo "no numpy"; exit 77; }
"$numpy" "$here/arrays.py"
"$MKNPY" turned_a.npy '<u2' 100,70
"$MKNPY" turned_b.npy '<u2' 90,100
# M, N, Ka, Kb, the same of a core, and of a tile, little-endian; the rest 0
{ printf '\001\0\0\0\106\0\0\0\132\0\0\0\144\0\0\0\144\0\0\0\106\0\0\0\132\0\0\0\144\0\0\0\040\0\0\0\060\0\0\0\100\0\0\0'
  head -c 156 /dev/zero; } >tiles.bin

# broken KERNEL SED OPTIONS...: runs it with that change. $status, out, err, r.json, broken.cpp.
broken() {
  kernel=$1 change=$2
  shift 2
  case $kernel in
    add) set -- "$@" --arg x=x16.npy --arg y=y16.npy --arg n=20480 --out 'z:f16[20480]' ;;
    softmax) set -- "$@" --arg x=x.npy --arg rows=37 --arg columns=100 --out 'y:f32[37,100]' ;;
    rmsnorm) set -- "$@" --arg x=rows16.npy --arg w=weight.npy --arg rows=37 --out 'y:f16[37,256]' ;;
    hurry) set -- "$@" --arg x=x.npy --out 'y:f32[128]' ;;
    matmul) set -- "$@" --arg a=left.npy --arg b=right.npy --arg bias=bias.npy --workspace workspace=400000 --arg m=100 \
      --arg n=77 --arg k=150 --arg turned=0 --out 'c:f32[100,77]' ;;
    matmul_object) set -- "$@" --entry tiles --arg a=turned_a.npy --arg b=turned_b.npy --tiling tiles.bin --out 'c:f32[70,90]' ;;
    tile_product) set -- "$@" --entry square --arg a=tile_a.npy --arg b=tile_b.npy --out 'd:f32[64,64]' ;;
    meet) set -- "$@" --workspace slots=1024 --out 'out:i32[2]' --config ascend910_pair ;;
    counter) set -- "$@" --inout w=counts.npy --out 'y:i32[2]' --blocks 1 ;;
    shares) set -- "$@" --workspace w=64 --out 'y:i32[2,8]' ;;
  esac
  source=$examples/$kernel.cpp
  [ -f "$source" ] || source=$here/$kernel.cpp
  sed -E "$change" "$source" >broken.cpp
  [ -z "$change" ] || ! cmp -s "$source" broken.cpp || fail "$change changes nothing"
  status=0
  "$SIM" run ascend broken.cpp "$@" --json r.json >out 2>err || status=$?
}
number_of() { grep -nF -e "$1" broken.cpp | head -n 1 | cut -d: -f1; }
named() {   # named LINE FILE: a text of the line, whose number FILE has
  number=$(number_of "$1")
  grep -qF "broken.cpp:$number (" "$2" || { cat "$2"; fail "line $number, $1, is not named"; }
}

# mistake KERNEL SED MESSAGE LINE OPTIONS...
mistake() {
  message=$3 line=$4 of=$1 by=$2
  shift 4
  broken "$of" "$by" "$@"
  [ $status -eq 3 ] && grep -qF -e "$message" err || { cat err; fail "$line: exit code $status"; }
  named "$line" err
  ! grep -qE '[^a-z](vector|pipe|event|tensor|data_copy|machine|launch|cube|sync|matmul|walk|rows|move|library)\.h:' err ||
    { cat err; fail "a line of the layer is named"; }
}

# queues, flags and barriers
mistake softmax '/out_.EnQue\(y\);/d' 'firmware panic QUEUE' 'y = out_.DeQue'
mistake softmax '/in_.FreeTensor\(x\);/d' 'firmware panic QUEUE' 'x = in_.AllocTensor'
mistake add '/WaitFlag<HardEvent::MTE2_V>/d' 'race in UB: no flag orders' 'Add(z_tiles'
mistake add '/WaitFlag<HardEvent::V_MTE3>/d' 'race in UB: no flag orders' 'DataCopy(z_array'
mistake add 's/WaitFlag<HardEvent::V_MTE2>\(event\)/WaitFlag<HardEvent::V_MTE2>(event + 2)/' 'deadlock' 'V_MTE2>(event'
mistake rmsnorm '/ wait_flag\(PIPE_MTE2, PIPE_V, event\)/d' 'race in UB: no flag orders' 'TCVT(values, in)'
mistake rmsnorm 's/wait_flag\(PIPE_V, PIPE_MTE2, event\)/wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID5)/' 'deadlock' 'PIPE_MTE2, EVENT_ID5'
mistake rmsnorm '' 'no PIPE_BARRIER orders' 'TMUL(square' --auto-sync off
mistake softmax '' 'race in UB: no flag orders' 'value.GetValue(0), columns_' --auto-sync off
# places and sizes
mistake softmax 's/\(in_, 2, bytes\)/(in_, 16, 20000)/' 'firmware panic UB' 'pipe_.InitBuffer(in_'
mistake rmsnorm 's/TASSIGN\(scale, 0xa800\)/TASSIGN(scale, 0x2ff00)/' 'firmware panic UB' 'TASSIGN(scale'
mistake rmsnorm 's/TASSIGN\(out, 0x2000/TASSIGN(out, 0x1000/' 'race in UB: no flag orders' 'TLOAD(in'
mistake softmax 's/Exp\(y, y, columns_\)/Exp(y, y, 64, 300, {1, 1, 8, 8})/' 'repeats' 'Exp(y, y, 64'
mistake softmax 's/Exp\(y, y, columns_\)/Exp(y, y, 128, 2, {1, 1, 8, 8})/' 'firmware panic MASK' 'Exp(y, y, 128'
mistake softmax 's/Exp\(y, y, columns_\)/Exp(y, y[1], columns_)/' 'expected a multiple of 32' 'Exp(y, y[1]'
mistake rmsnorm 's/Stride<1, 1, 1, COLUMNS, 1>/Stride<1, 1, 1, 2 * COLUMNS, 1>/' 'out of bounds' 'TLOAD(in'
# what a scalar core's cache keeps
broken counter ''
[ $status -eq 0 ] || { cat err; fail "a line that is written back and dropped: exit code $status"; }
mistake counter '/for MTE2/d' 'stays in a scalar core'"'"'s cache: no CLEAN_LINES' 'DataCopy(numbers, count'
mistake counter '/of MTE3/d' 'stale line in a scalar core'"'"'s cache: no CLEAN_LINES' 'count.GetValue(0));'
# cores
mistake shares '/SyncAll/d' 'no flag orders' 'DataCopy(b, work'
mistake shares 's/work\[block \* 8\]/work[0]/' 'no flag orders' 'DataCopy(work[0]'
mistake matmul '/HardEvent::M_FIX>/d' 'race in L0C: no flag orders cube0 FIX' 'Fixpipe(rooms_['
mistake tile_product '/ wait_flag\(PIPE_FIX, PIPE_MTE1/d' 'race in L1: no flag orders cube0 FIX: FIX_L1' 'NormalRelu>(p, sums)'
mistake matmul '/HardEvent::FIX_M>/d' 'race in L0C: no flag orders cube0 M' 'Mmad(c1_'
mistake matmul 's/CrossCoreWaitFlag\(READY/(void)(READY/' 'race in GM: no flag orders' 'DataCopyPad(x, rooms_['
mistake matmul 's/CrossCoreWaitFlag\(TAKEN \+ room/(void)(TAKEN + room/' 'race in GM: no flag orders cube0 FIX' 'Fixpipe(rooms_['
mistake matmul '/a1_.EnQue\(a\);/d' 'firmware panic QUEUE' 'from = a1_.DeQue'
mistake matmul 's/\(a2_, 2, TILE_M/(a2_, 9, TILE_M/' 'firmware panic BUFFERS' 'pipe_.InitBuffer(a2_'
mistake matmul 's/if ASCEND_IS_AIV/if (true)/' 'deadlock: nothing can move; cube0 S' 'CrossCoreWaitFlag(READY'
mistake meet '/CrossCoreWaitFlag\(5\)/d' 'race in GM' 'DataCopy(mine[8]'
mistake matmul_object '/tiled.End/d' 'deadlock: nothing can move; cube0' 'REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), tiled'
# forms that are not there: the second of two calls that check theirs
mistake add 's/^  TPipe pipe;/  SetDeqScale(half(1));\n  SetDeqScale(half(2));\n  TPipe pipe;/' 'firmware panic FORM' 'half(2)'

# Wrong numbers are followed back: a rounding that is not the one that is meant, and lanes that are left out.
wrong() {   # wrong KERNEL SED LINE OPTIONS...
  of=$1 by=$2 line=$3
  shift 3
  broken "$of" "$by" "$@"
  [ $status -eq 1 ] || { cat err; fail "$line: exit code $status"; }
  "$SIM" blame r.json >blamed 2>&1 || { cat blamed; fail "blame: exit code $?"; }
  named "$line" blamed
}
wrong add 's/Add\(z_tiles\[at\]/Sub(z_tiles[at]/' 'Sub(z_tiles' --expect z=sum16.npy
wrong rmsnorm 's/TCVT\(out, values\)/TCVT(out, values, RoundMode::CAST_CEIL)/' 'CAST_CEIL' --expect y=normal16.npy
broken softmax 's/Exp\(y, y, columns_\)/Exp(y, y, 32, 1, {1, 1, 8, 8})/'
! grep -q 'nobody wrote' out || fail "lanes that Exp leaves out are what Adds has written"

# Each of the orders of waits.cpp left out.
"$SIM" ascend --auto-sync off -o waits.elf "$here/waits.cpp"
removed=0
while [ $removed -le 22 ]; do
  status=0
  "$SIM" run ascend waits.elf --auto-sync off --arg a=waits_a.npy --arg b=waits_b.npy --workspace room=4096 --out 'y:f32[2,32,32]' \
    --out 'z:f32[2,32,32]' --out 'seen:f32[2,8]' --arg removed=$removed --expect y=waits_y.npy --expect z=waits_z.npy \
    --flags-left ok >out 2>err || status=$?
  if [ $removed -eq 0 ]; then
    [ $status -eq 0 ] || { cat err; fail "waits.cpp: exit code $status"; }
  else
    { [ $status -eq 3 ] && grep -qE 'race in|orders' err && grep -q 'waits.cpp:' err; } ||
      { cat err; fail "waits.cpp: order $removed is not missed: exit code $status"; }
  fi
  removed=$((removed + 1))
done

# All races of a run, and machines on which they matter.
broken add '/WaitFlag<HardEvent::(MTE2_V|V_MTE3)>/d; /SetFlag<HardEvent::(MTE2_V|V_MTE3)>/d' --check sync
[ $status -eq 3 ] && grep -q 'needed a flag from MTE2 to V, such as event 0' out && grep -q 'flag from V to MTE3' out ||
  { cat out err; fail "--check sync: exit code $status"; }
named 'Add(z_tiles' out
named 'DataCopy(x_tiles' out
holds '[.races[] | select(.space == "UB" and .compiler == false)] | length >= 3' r.json
fits run_ascend=r.json
broken hurry '' --check sync --vary 20
[ $status -eq 3 ] && grep -q 'needed a flag from V to MTE2, such as event 0' out && grep -q 'vary .* [1-9][0-9]* leave other bits' out ||
  { cat out err; fail "--vary: exit code $status"; }
named 'DataCopy(a, from' out
named 'Add(b, b, a' out
broken hurry '' --vary 20
[ $status -eq 1 ] && grep -q 'machines the kernel leaves other bits' err || { cat out err; fail "--vary: exit code $status"; }
fits run_ascend=r.json
broken add '' --check sync --vary 20 --expect z=sum16.npy
[ $status -eq 0 ] && grep -q 'flags order all accesses' out && grep -q 'vary     20 machines, .* 0 leave other bits' out ||
  { cat out err; fail "a kernel without mistakes: exit code $status"; }
broken rmsnorm '' --check sync --auto-sync off
[ $status -eq 3 ] && grep -q "a barrier of V .*; users' compilers put it there" out || { cat out; fail "barriers"; }
echo "all as expected"
