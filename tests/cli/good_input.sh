#!/bin/sh
# Inputs that must work, each compared with the contract's C loops bit for bit.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
"$MKNPY" q.npy '<u2' 2,4,64
"$MKNPY" q2.npy '<u2' 8,64
"$MKNPY" q_f4.npy '<f4' 8,64
"$MKNPY" kv.npy '<u2' 1100,64
"$MKNPY" v.npy '<u2' 1100,40
"$MKNPY" mask.npy '|u1' 8,1100
run() { "$SIM" run "$@" --verify --quiet; }

run amla --q q.npy --kv kv.npy --out a.npy
run amla --q q2.npy --kv kv.npy --out b.npy
head -c 70 a.npy | grep -aq "'shape': (2, 4, 64)" || { echo "3-d q: shape of the output"; exit 1; }
head -c 70 b.npy | grep -aq "'shape': (8, 64)" || { echo "2-d q: shape of the output"; exit 1; }
# The same rows either way: equal bytes behind the header.
tail -c 1024 a.npy >a.bits
tail -c 1024 b.npy >b.bits
cmp a.bits b.bits
run amla --q q_f4.npy --kv kv.npy --out-f32 --out c.npy
run base --q q.npy --k kv.npy --v v.npy --out d.npy
run amla --q q.npy --kv kv.npy --mask mask.npy --causal --softmax-scale 0.3 --dv 24 --kv-block 64
# Two equal runs differ in "host" alone.
for i in 1 2; do
  run amla --heads 8 --seq-kv 700 --seed 5 --dist normal:1 --json $i.json
  without_host $i.json >$i.cut
done
cmp 1.cut 2.cut
# An output that is not a regular file is written as it is.
run amla --q q.npy --kv kv.npy --out /dev/null
echo "all as expected"
