#!/bin/sh
# No wait of the attention firmware can be removed unnoticed, see remove_waits.sh.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ./remove_waits.sh
attention=$dir/sw/kernels/attention

run() {   # run KERNEL OPTIONS...
  timeout 60 "$SIM" run "$@" --dist normal:1 --gm c --firmware "$dir/$1.so" --out-f32 --verify \
    --golden none --quiet >/dev/null 2>>"$dir/log"
}

# Between them these shapes reach every wait: one and two row tiles, several blocks, a ragged end,
# both ways to rescale, a second batch entry, splits, a group that leaves a vector core without rows.
passes() {
  run amla --heads 40 --seq-kv 2100 --preload 2 &&
    run amla --heads 70 --seq-q 3 --seq-kv 1600 --preload 1 --rescale row --batch 2 &&
    run amla --heads 150 --seq-kv 500 --kv-block 128 --group-rows 64 &&
    run base --heads 70 --seq-q 3 --seq-kv 2100 --preload 2 &&
    run base --heads 20 --seq-kv 700 --kv-block 128 --split-kv 4 --config ascend910_die --cores 2
}

build() {
  for kernel in amla base; do
    "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/$kernel.so" \
      "$attention/$kernel.c" "$attention"/*/*.c "$attention/attention_problem_plain.c" "$dir"/sw/lib/*.c "$dir"/sw/hal/*.c
  done
}

# The first step of a kernel that has it by itself, as flash.
sed -i '/if (late) {/,/}/d' "$attention/cube/attention_cube_multiply.h"
remove_waits 36 "$attention"/*.[ch] "$attention"/*/*.[ch] "$dir"/sw/lib/*.h
