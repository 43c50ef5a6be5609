#!/bin/sh
# Built-in kernels with a wrong line each, which blame names: what is right it has from the kernel's contract. And of right
# results the element that is furthest from FP64, with nothing to blame.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../script.sh"

# Right ones.  right ARRAY KERNEL OPTION...
right() {
  array=$1
  shift
  "$SIM" run "$@" --gm c --quiet --json r.json
  "$SIM" blame r.json --worst --quiet --json why.json
  holds '.off == 0 and .by == "FP64" and .line == "" and .end.from == "input"' why.json
  holds ".element | startswith(\"$array[\")" why.json
  holds '(.value - .expected | fabs) <= 0.01 * (1 + (.expected | fabs)) and .value != .expected' why.json
  "$SIM" blame r.json --quiet --json why.json
  holds '.off == 0 and .by == "the contract" and .value == .expected' why.json
}
flash='--heads 2 --kv-heads 1 --seq-q 40 --seq-kv 96 --head-dim 32 --kv-block 48'
w4a16='--m 8 --n 64 --k 256 --group 64 --split-k 2 --cores 1'
fp8='--heads 16 --seq-kv 96 --kv-block 48'
gemm='--m 20 --n 40 --k 300 --cores 1'
# shellcheck disable=SC2086   # options
{
  right out flash $flash --causal
  right out flash $flash --dtype fp16 --out-f32
  right out fp8 $fp8
  right c w4a16 $w4a16
  right c gemm $gemm
  right c gemm $gemm --dtype bf16
}

# wrong KERNEL FILE SED-PROGRAM OPTION...: that line, of a file in kernels/, is changed, and is to be named.
wrong() {
  kernel=$1 file=$2 program=$3
  shift 3
  rm -rf sw
  cp -r "$SW" sw
  sed -i "$program" "sw/kernels/$file"
  line=$(diff "$SW/kernels/$file" "sw/kernels/$file" | sed -n 's/^\([0-9]*\)c[0-9]*$/\1/p')
  [ -n "$line" ] || fail "$program: expected to change one line of $file"
  sources=$(echo "sw/kernels/${kernel%_tiles}/$kernel"*.c)
  # shellcheck disable=SC2086   # files
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -DROW_SUM_TREE=1 -Isw -o "$kernel.so" $sources sw/lib/preload.c sw/lib/slice_sum.c sw/hal/*.c
  status=0
  "$SIM" run "${kernel%_tiles}" "$@" --firmware "$kernel.so" --gm c --golden none --verify --quiet --json r.json 2>err || status=$?
  [ $status -eq 1 ] || fail "$kernel, $program: exit code $status, $(cat err)"
  "$SIM" blame r.json --allow-native --json why.json >why.txt
  echo "$kernel: $(jq -r '.line + ": " + .why' why.json)"
  # The statement may begin some lines further up.
  jq -r .line why.json | awk -F '[: ]' -v file="${file##*/}" -v line="$line" '{ exit !($1 == file && $2 <= line && $2 > line - 4) }' ||
    fail "$kernel: line $line of $file is wrong; $(cat why.txt)"
}
# shellcheck disable=SC2086
{
  wrong flash flash/flash_vector.c 's/row_op(n, .op = VOP_MUL, .dst = divisor/row_op(n, .op = VOP_ADD, .dst = divisor/' $flash
  wrong w4a16 w4a16/w4a16_dequant_impl.h 's/vector_op(.op = VOP_SUB, .rows = s->rows/vector_op(.op = VOP_ADD, .rows = s->rows/' $w4a16
  wrong fp8 fp8/fp8_keys.c 's/vector_op(.op = VOP_SCALE, .rows = rows,/vector_op(.op = VOP_SCALE, .rows = rows - 1,/' $fp8
  wrong gemm_tiles gemm/gemm_tiles.c 's/depth, .accumulate = k == 0 ? 0 : 1, /depth, .accumulate = 0, /' $gemm
}
echo "each line is named"
