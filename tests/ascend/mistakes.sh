#!/bin/sh
# Mistakes in Ascend C kernels: is each stopped, and named at the source's own line?
# SPDX-License-Identifier: Apache-2.0
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
examples=$SW/ascend/examples
"$MKNPY" x.npy '<f4' 37,100
"$MKNPY" h.npy '<f2' 8192
"$MKNPY" left.npy '<f2' 100,150
"$MKNPY" right.npy '<f2' 150,77
"$MKNPY" bias.npy '<f4' 77

# mistake KERNEL SED MESSAGE LINE: LINE is a text of the line that the message has to name.
mistake() {
  from=$examples/$1.cpp
  [ -f "$from" ] || from=$here/$1.cpp
  sed -E "$2" "$from" >broken.cpp
  ! cmp -s "$from" broken.cpp || fail "$2 changes nothing"
  status=0
  case $1 in
    add) set -- "$@" --arg x=h.npy --arg y=h.npy --arg n=8192 --out 'z:f16[8192]' ;;
    softmax) set -- "$@" --arg x=x.npy --arg rows=37 --arg columns=100 --out 'y:f32[37,100]' ;;
    matmul) set -- "$@" --arg a=left.npy --arg b=right.npy --arg bias=bias.npy --workspace workspace=400000 --arg m=100 \
      --arg n=77 --arg k=150 --arg turned=0 --out 'c:f32[100,77]' ;;
    meet) set -- "$@" --workspace slots=1024 --out 'out:i32[2]' --config ascend910_pair ;;
  esac
  message=$3 line=$4
  shift 4
  "$SIM" run ascend broken.cpp "$@" --quiet 2>err || status=$?
  [ $status -eq 3 ] && grep -qF -e "$message" err || { cat err; fail "$line: exit code $status"; }
  number=$(grep -nF -e "$line" broken.cpp | head -n 1 | cut -d: -f1)
  grep -qF "broken.cpp:$number (" err || { cat err; fail "line $number, $line, is not named"; }
  ! grep -qE '[^a-z](vector|pipe|event|tensor|data_copy|machine|launch|cube|sync)\.h:' err || { cat err; fail "a line of the layer is named"; }
}
mistake add '/WaitFlag<HardEvent::MTE2_V>/d' 'race in UB: no flag orders' 'Add(z_tiles'
mistake add '/WaitFlag<HardEvent::V_MTE3>/d' 'race in UB: no flag orders' 'DataCopy(z_array'
mistake add 's/WaitFlag<HardEvent::V_MTE2>\(event\)/WaitFlag<HardEvent::V_MTE2>(event + 2)/' 'deadlock' 'V_MTE2>(event'
mistake softmax '/out_.EnQue\(y\);/d' 'firmware panic QUEUE' 'y = out_.DeQue'
mistake softmax '/in_.FreeTensor\(x\);/d' 'firmware panic QUEUE' 'x = in_.AllocTensor'
mistake softmax 's/\(in_, 2, bytes\)/(in_, 16, 20000)/' 'firmware panic UB' 'pipe_.InitBuffer(in_'
mistake softmax 's/Exp\(y, y, columns_\)/Exp(y, y, 64, 300, {1, 1, 8, 8})/' 'repeats' 'Exp(y, y, 64'
mistake softmax 's/Exp\(y, y, columns_\)/Exp(y, y[1], columns_)/' 'expected a multiple of 32' 'Exp(y, y[1]'
mistake matmul '/HardEvent::M_FIX>/d' 'race in L0C: no flag orders cube0 FIX' 'Fixpipe(rooms_['
mistake matmul '/HardEvent::FIX_M>/d' 'race in L0C: no flag orders cube0 M' 'Mmad(c1_'
mistake matmul 's/CrossCoreWaitFlag\(READY/(void)(READY/' 'race in GM: no flag orders' 'DataCopyPad(x, rooms_['
mistake matmul 's/CrossCoreWaitFlag\(TAKEN \+ room/(void)(TAKEN + room/' 'race in GM: no flag orders cube0 FIX' 'Fixpipe(rooms_['
mistake matmul '/a1_.EnQue\(a\);/d' 'firmware panic QUEUE' 'from = a1_.DeQue'
mistake matmul 's/\(a2_, 2, TILE_M/(a2_, 9, TILE_M/' 'firmware panic BUFFERS' 'pipe_.InitBuffer(a2_'
mistake matmul 's/if ASCEND_IS_AIV/if (true)/' 'deadlock: nothing can move; cube0 S' 'CrossCoreWaitFlag(READY'
mistake meet '/CrossCoreWaitFlag\(5\)/d' 'race in GM' 'DataCopy(mine[8]'
echo "all as expected"
