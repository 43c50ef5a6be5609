#!/bin/sh
# Kernel fp8 on the SoC: every bit of output and log-sum-exp as the contract's C loops have it, over
# query tokens, heads, top-k, lengths and kinds of cache; with the RTL and the C model of the slices (in
# the same cycles), on the instruction set simulator and natively, alone and in pairs.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0

run() {   # run FILE ARGS...
  "$FP8" "$@" >"$dir/out" || { echo "failed: fp8 $*"; cat "$dir/out"; exit 1; }
  count=$((count + 1))
}
cycles() { sed -n 's/^\([0-9]*\) cycles.*/\1/p' "$dir/out"; }

four_ways() {   # four_ways KERNEL ARGS...
  kernel=$FIRMWARE/$1
  shift
  run "$kernel.elf" gm=rtl "$@"
  rtl=$(cycles)
  run "$kernel.elf" "$@"
  [ "$(cycles)" = "$rtl" ] || { echo "$(cycles) cycles, $rtl with the RTL: $*"; exit 1; }
  run "$kernel.so" "$@"
}
# Alone, and in pairs.
check() {
  four_ways fp8 "$@"
  four_ways fp8 "$@" crossover=1
}
check_direct() {
  four_ways fp8_direct direct=1 "$@"
  four_ways fp8_direct direct=1 "$@" crossover=1
}

check heads=64 tokens=1600
check heads=128 query_tokens=2 tokens=1537 causal=1 bf16=1 group=128
check heads=40 tokens=1600 trend=1 rescale=1
check heads=40 tokens=1600 trend=2 skip=1
check heads=33 tokens=1100 trend=3 sinks=1
check heads=64 query_tokens=2 batch=5 tokens=900 vary=1 causal=1 sinks=1
check heads=16 batch=6 cache=paged page=64 tokens=700 vary=1
check heads=16 query_tokens=2 batch=3 cache=paged page=13 tokens=300 vary=1 causal=1 block=112
for topk in 1 64 2048; do
  check heads=64 query_tokens=2 cache=sparse topk=$topk tokens=900
done
check heads=128 cache=sparse topk=1500 tokens=3000 trend=1 sinks=1
check heads=20 query_tokens=2 batch=4 cache=sparse topk=600 tokens=500 vary=1 block=48
# Keys straight into L1, in rings that come round, alone and in pairs.
check_direct heads=64 tokens=1600
check_direct heads=64 query_tokens=2 tokens=1537 causal=1 bf16=1
check_direct heads=33 tokens=1100 trend=3 sinks=1 preload=1
check_direct heads=64 query_tokens=2 batch=5 tokens=900 vary=1 block=176 rescale=1
check_direct heads=64 query_tokens=2 cache=sparse topk=700 tokens=900 trend=2 skip=1
check_direct heads=16 batch=6 cache=paged page=64 tokens=700 vary=1 block=64
for cores in 1 2 4 6; do
  run "$FIRMWARE/fp8.elf" heads=50 batch=5 tokens=500 vary=1 block=96 cores=$cores group=32
done
for cores in 2 4 8; do
  run "$FIRMWARE/fp8.elf" heads=50 batch=5 tokens=500 vary=1 block=96 cores=$cores group=16 crossover=1
done
run "$FIRMWARE/fp8.elf" config=ascend910 heads=128 query_tokens=2 batch=14 cache=sparse topk=300 tokens=2000 \
  crossover=1 group=64 set=gm.slices=64

kernel=fp8
# What comes from HBM: a token is 656 bytes, read once by a pair too, and the queries 1152 a row.
traffic() {   # traffic BYTES ARGS...
  expected=$1
  shift
  run "$FIRMWARE/$kernel.elf" timing=1 "$@"
  grep -q "HBM read $expected," "$dir/out" || { echo "not $expected from HBM: $*"; cat "$dir/out"; exit 1; }
}
traffic $((4096 * 656 + 64 * 1152)) heads=64 tokens=4096
traffic $((4096 * 656 + 128 * 1152)) heads=128 tokens=4096 group=64 crossover=1
traffic $((4096 * 656 + 128 * 1152)) heads=128 tokens=4096 group=64 cores=2
traffic $((4096 * 656 + 256 * 1152 + 4 * 64)) heads=256 tokens=4096 cache=paged page=64
kernel=fp8_direct
traffic $((4096 * 656 + 128 * 1152)) heads=128 tokens=4096 group=64 crossover=1 direct=1

# A pair is faster where making keys is what takes the time, never slower.
faster() {   # faster PERCENT ARGS...: at least so much of the time without
  percent=$1
  shift
  run "$FIRMWARE/fp8.elf" timing=1 tokens=16384 "$@" cores=2
  alone=$(cycles)
  run "$FIRMWARE/fp8.elf" timing=1 tokens=16384 "$@" crossover=1
  [ $((alone * 100)) -ge $(($(cycles) * percent)) ] ||
    { echo "$alone cycles alone, $(cycles) in a pair, expected $percent %: $*"; exit 1; }
}
faster 105 heads=128 group=64
faster 125 heads=128 group=64 set=vector.e4m3_emulated=1
faster 118 heads=256 group=128 set=vector.e4m3_emulated=1
# With 64 rows a pair waits for loads to L1 and L0 and for the cube's scalar core; where these keep up it
# is more.
quick='set=cube.load_gbps=400 set=cube.l0b_bytes_per_cycle=256 set=scalar.cpi=0.3'
faster 124 heads=128 group=64 $quick
faster 144 heads=128 group=64 $quick set=vector.e4m3_emulated=1
echo "$count runs, no bit differs"
