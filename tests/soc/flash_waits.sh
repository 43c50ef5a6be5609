#!/bin/sh
# No wait of kernel flash can be removed unnoticed, see remove_waits.sh.  Those of the parts that it shares with base and amla are here
# too: O stays in UB, and more blocks are in flight.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ./remove_waits.sh

run() {   # run OPTIONS...
  timeout 60 "$SIM" run flash "$@" --gm c --firmware "$dir/flash.so" --out-f32 --verify --golden none --quiet \
    >/dev/null 2>>"$dir/log"
}

# Between them these shapes reach every wait: more blocks than are in flight, one group after the other, a head wider than a
# tile, splits, a group that leaves a vector core without rows, one whose first and last block go in parts.
passes() {
  run --heads 2 --kv-heads 1 --seq-q 100 --seq-kv 700 --head-dim 32 --kv-block 64 --causal &&
    run --heads 1 --seq-q 20 --seq-kv 900 --head-dim 200 --kv-block 112 --batch 2 &&
    run --heads 2 --seq-q 17 --seq-kv 300 --head-dim 16 --kv-block 48 --group-rows 16 &&
    run --heads 1 --seq-q 256 --seq-kv 700 --head-dim 32 --kv-block 512 &&
    run --heads 1 --seq-q 9 --seq-kv 700 --head-dim 32 --kv-block 64 --split-kv 4 --config ascend910_die --cores 2
}

build() {
  kernels=$dir/sw/kernels
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -DROW_SUM_TREE=1 -I"$dir/sw" -o "$dir/flash.so" \
    "$kernels"/flash/*.c "$dir/sw/lib/preload.c" "$dir"/sw/hal/*.c
}

attention=$dir/sw/kernels/attention
# Not in flash: O is not in memory, and order frees slots of S.
sed -i '/wait_flag(.*\(EVENT_O_STORED\|FLAG_S_FREE\));/d' "$attention/vector/attention_output.h" "$attention/cube/attention_cube_multiply.h"
remove_waits 34 "$attention"/cube/*.h "$attention"/vector/*.h "$dir/sw/lib/ring.h" "$dir/sw/kernels/flash/flash_parts.h"
