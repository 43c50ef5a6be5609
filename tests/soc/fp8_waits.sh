#!/bin/sh
# No wait of kernel fp8's own can be removed unnoticed, see remove_waits.sh.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ./remove_waits.sh

run() { timeout 60 "$FP8" "$dir/fp8.so" "$@" >/dev/null 2>>"$dir/log"; }
run_direct() { timeout 60 "$FP8" "$dir/fp8_direct.so" direct=1 "$@" >/dev/null 2>>"$dir/log"; }

# Between them these shapes reach every wait: a pair whose cores share a ring of keys that comes round,
# two row tiles, keys straight into L1, a list without places, units one after the other, a group without rows for a vector core.
passes() {
  run heads=70 tokens=900 block=96 crossover=1 batch=2 &&
    run heads=100 query_tokens=2 tokens=700 block=128 batch=2 rescale=1 preload=1 &&
    run heads=9 cache=sparse topk=200 block=16 tokens=100 query_tokens=2 vary=1 batch=4 crossover=1 sinks=1 &&
    run heads=150 tokens=500 block=128 group=64 &&
    run_direct heads=70 tokens=900 block=256 crossover=1 batch=2 &&
    run_direct heads=130 tokens=700 block=96
}

build_one() {   # build_one NAME FLAGS...
  so=$dir/$1.so
  shift
  "$CC" -std=c11 -O1 -g -w -fPIC -shared "$@" -I"$dir/sw" -o "$so" \
    "$dir"/sw/kernels/fp8/*.c "$dir"/sw/lib/preload.c "$dir"/sw/hal/*.c
}
build() {
  build_one fp8 &
  build_one fp8_direct -DFP8_DIRECT=1
  wait $!
}

remove_waits 27 "$dir"/sw/kernels/fp8/*.[ch] "$dir/sw/kernels/attention/amla_impl.h"
