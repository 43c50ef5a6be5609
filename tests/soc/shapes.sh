#!/bin/sh
# Shapes and values at the edges, each equal to the contract's C loops in every bit.
# SPDX-License-Identifier: Apache-2.0
set -eu
count=0
check() {
  for kernel in amla base; do
    "$SIM" run $kernel "$@" --gm c --out-f32 --verify --golden none --quiet ||
      { echo "failed: run $kernel $*"; exit 1; }
    count=$((count + 1))
  done
}

for heads in 1 2 15 16 17 33 127 128; do
  check --heads $heads --seq-kv 1100 --dist normal:1 --seed $heads
done
for keys in 1 15 16 17 511 512 513 1024 1537; do
  check --heads 16 --seq-kv $keys --dist normal:2 --seed $keys
done
check --heads 128 --seq-q 2 --seq-kv 1700 --dist normal:1
check --heads 128 --seq-q 2 --seq-kv 1700 --dist uniform:60 --causal
check --heads 5 --seq-q 7 --seq-kv 600 --dist normal:5 --causal
check --heads 3 --seq-q 9 --seq-kv 5 --dist normal:1 --causal
check --heads 8 --seq-kv 900 --dk 40 --dv 7 --dist normal:1
check --heads 8 --seq-kv 900 --dk 129 --dv 33 --dist normal:1
check --heads 20 --seq-kv 1000 --kv-block 48 --dist normal:1
check --heads 20 --seq-kv 1000 --kv-block 256 --dist normal:1 --softmax-scale 0.5
check --heads 20 --seq-kv 700 --batch 3 --dist normal:1
for preload in 0 1 2; do
  check --heads 128 --seq-kv 2500 --preload $preload --dist normal:1
  check --heads 20 --seq-q 2 --seq-kv 900 --batch 2 --preload $preload --dist normal:1
done
for seed in 1 2 3; do
  "$SIM" run amla --heads 30 --seq-kv 3000 --rescale row --seed $seed --dist normal:3 --gm rtl \
    --out-f32 --verify --golden none --quiet
done
echo "$count runs and 3 by row: no bit differs"
