#!/bin/sh
# No wait or barrier of the engines' firmware can be removed unnoticed, see remove_waits.sh; nor all
# flags of a ring, which leaves none unbalanced: a race is all there is to see.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ./remove_waits.sh

run() { timeout 60 "$ENGINE_KERNEL" "$dir/engine.so" native=1 d=16 "$@" >/dev/null 2>>"$dir/log"; }

# Between them these shapes reach every wait: several chunks with two places for keys and with one,
# three units of one chunk, masks, tiles.
passes() {
  run heads=4 kv_heads=2 tokens=9 keys=70 chunk=16 rows=64 buffer_kb=4 causal=1 &&
    run heads=2 tokens=5 keys=100 chunk=64 rows=64 mask=1 &&
    run heads=10 kv_heads=5 keys=20 chunk=24 rows=64 engines=2 queries=4
}

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/engine.so" \
    "$dir/sw/kernels/engine/engine.c" "$dir"/sw/hal/*.c
}

kernel=$dir/sw/kernels/engine/engine.c
waits='wait\|barrier\|drain'
remove_waits 11 "$kernel" "$dir/sw/lib/ring.h"

cp "$kernel" "$dir/original"
for ring in kv q out; do
  sed -i -e "s/ring_\\(wait\\|set\\)_[a-z]*(&plan->$ring,.*);/;/" \
    -e "s/ring_\\(open\\|drain\\)(&plan.$ring);/;/" "$kernel"
  expect_caught "no-flags-of-$ring" 'race in'
  cp "$dir/original" "$kernel"
done
[ "$missed" -eq 0 ]
