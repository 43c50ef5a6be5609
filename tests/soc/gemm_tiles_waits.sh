#!/bin/sh
# No wait of the firmware gemm_tiles can be removed unnoticed, see remove_waits.sh.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ./remove_waits.sh

run() {
  timeout 60 "$SIM" run gemm --firmware "$dir/gemm_tiles.so" --gm c --golden none --verify --quiet \
    --config ascend910_die --set soc.launch_us=0 "$@" >/dev/null 2>>"$dir/log"
}

# Between them these reach every wait: more pieces than slots, more parts than slots of L0C, pieces that parts share,
# slices on two cores and one.
passes() {
  run --m 300 --n 600 --k 1500 --tile 128x256 --cores 1 &&
    run --m 300 --n 400 --k 1500 --tile 256x128 --layout dn --split-k 2 --cores 2 &&
    run --m 200 --n 500 --k 300 --tile 64x64 --order columns --split-k 3 --cores 1
}

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/gemm_tiles.so" \
    "$dir/sw/kernels/gemm/gemm_tiles.c" "$dir/sw/lib/slice_sum.c" "$dir"/sw/hal/*.c
}

waits='wait\|sync_all'
remove_waits 9 "$dir/sw/kernels/gemm/gemm_tiles.c" "$dir/sw/lib/ring.h"
