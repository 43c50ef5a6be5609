#!/bin/sh
# No wait of the W4A16 firmware can be removed unnoticed, see remove_waits.sh.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ./remove_waits.sh

run() {
  timeout 60 "$SIM" run w4a16 --firmware "$dir/w4a16.so" --gm c --golden none --verify --quiet \
    --config ascend910_die --set soc.launch_us=0 "$@" >/dev/null 2>>"$dir/log"
}

# Between them these reach every wait: each way through the machine, with more pieces than slots, more
# tiles than slots in UB, chunks of the reduction; and a core that has no unit.
passes() {
  run --m 16 --n 520 --k 3000 --group 100 --split-k 2 --cores 2 &&
    run --m 200 --n 264 --k 2000 --group 100 --split-k 3 --cores 1 &&
    run --m 4 --n 64 --k 512 --mode dataparallel --cores 3 &&
    run --m 16 --n 520 --k 4000 --group 100 --split-k 1 --overlap --cores 1 &&
    run --m 16 --n 520 --k 4000 --group 100 --split-k 1 --path direct --set soc.direct_path=1 \
      --cores 1
}

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/w4a16.so" \
    "$dir"/sw/kernels/w4a16/w4a16*.c "$dir/sw/lib/slice_sum.c" "$dir"/sw/hal/*.c
}

waits='wait\|sync_all'
remove_waits 20 "$dir"/sw/kernels/w4a16/w4a16_cube*.[ch] "$dir"/sw/kernels/w4a16/w4a16_dequant*.[ch] \
  "$dir/sw/lib/slice_sum.c" "$dir/sw/lib/ring.h"
