#!/bin/sh
# No wait of the walker of lists, of its routing and of PRODUCT can be removed unnoticed, see soc/remove_waits.sh. Those of
# attention are attention_waits' and fp8_waits'.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ../soc/remove_waits.sh

passes() {
  timeout 120 "$SCHEDULE" "$dir/step_amla.so" >"$dir/log" 2>&1 &&
    STEP_FIRMWARE=$dir/step_amla.so timeout 120 "$PRODUCT" every_bit >"$dir/log" 2>&1
}

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/step_amla.so" \
    "$dir/sw/kernels/step/step.c" absent.c "$dir/sw/kernels/step/product.c" \
    "$dir/sw/kernels/step/attention/step_problem.c" \
    "$dir/sw/kernels/step/attention/step_amla.c" "$dir/sw/kernels/attention/cube/attention_cube_plain.c" \
    "$dir/sw/kernels/attention/vector/attention_merge.c" \
    "$dir/sw/kernels/attention/vector/attention_vector_plain.c" "$dir/sw/lib/preload.c" "$dir"/sw/hal/*.c
}

waits='wait\|sync_all\|pass_on\|read_gm'
remove_waits 22 "$dir/sw/kernels/step/step.c" "$dir/sw/kernels/step/product.c" "$dir/sw/kernels/step/routing.h"
