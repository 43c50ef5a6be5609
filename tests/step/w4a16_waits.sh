#!/bin/sh
# No wait of W4A16 in a step can be removed unnoticed, see remove_waits.sh.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ../soc/remove_waits.sh

run() { timeout 60 "$W4A16" "$dir/step.so" "$@" >/dev/null 2>>"$dir/log"; }

# More pieces than slots, more tiles than slots in UB, several units and products, one after the other, a core without any.
passes() {
  run groups=2 m=16 n=264 k=4000 group=100 zeros=1 &&
    run groups=4 tokens=9 top=2 n=72 k=2048 tile=64 zeros=1 times=3 config=ascend910_die cores=3
}

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/step.so" "$dir"/sw/kernels/step/step.c \
    absent.c "$dir"/sw/kernels/step/w4a16/*.c "$dir"/sw/hal/*.c
}

# Those of the other ways through the machine are kernel w4a16's.
sed -i 's/cross_core_wait_flag(PIPE_MTE1, FLAG_READY)/cross_core_WAIT(PIPE_MTE1, FLAG_READY)/
  s/cross_core_wait_flag(PIPE_MTE2, FLAG_DEQUANTISED)/cross_core_WAIT(PIPE_MTE2, FLAG_DEQUANTISED)/
  /^static void load_b(/,/^}/s/ring_wait_free/ring_WAIT_free/' "$dir/sw/kernels/w4a16/w4a16_cube_impl.h"
echo '#define cross_core_WAIT cross_core_wait_flag' >>"$dir/sw/hal/hal.h"
echo '#define ring_WAIT_free ring_wait_free' >>"$dir/sw/lib/ring.h"
remove_waits 10 "$dir"/sw/kernels/w4a16/w4a16_cube_impl.h "$dir"/sw/kernels/w4a16/w4a16_dequant_impl.h "$dir/sw/lib/ring.h" \
  "$dir/sw/kernels/step/step.c"
