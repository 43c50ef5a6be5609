#!/bin/sh
# No wait of a kernel can be removed unnoticed: without any one of them the machine reports a race, an unbalanced flag or a
# deadlock, or the result has wrong bits.
#   waits.sh KERNEL       of those below
# $EVERY says how many there are for one that is tried: 1 in slow tests.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
kernels=$dir/sw/kernels lib=$dir/sw/lib attention=$dir/sw/kernels/attention
mutants=0 missed=0 waiting=0 waits=wait

shared() {   # shared NAME OPTION-OR-FILE...: builds the kernel for the host
  so=$dir/$1.so
  shift
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$so" "$@" "$dir"/sw/hal/*.c
}

quiet() { timeout 60 "$@" >/dev/null 2>>"$dir/log"; }
simulate() {   # simulate KERNEL OPTIONS...: with the kernel as it is now, every bit compared
  kernel=$1
  shift
  quiet "$SIM" run "${kernel%_tiles}" --firmware "$dir/$kernel.so" --gm c --golden none --verify --quiet "$@"
}

# The mutant as it is now; what it is caught by has a word in its message.
expect_caught() {   # expect_caught NAME WORD
  mutants=$((mutants + 1))
  : >"$dir/log"
  build
  if passes || ! grep -q -e "$2" "$dir/log"; then
    echo "MISSED $1"
    missed=$((missed + 1))
  else
    echo "caught ${1%% *}: $(head -1 "$dir/log" | cut -c 1-100)"
  fi
}

remove_waits() {   # remove_waits AT_LEAST FILE...: fails if there are fewer waits, calls with one of $waits in their names
  at_least=$1
  shift
  : >"$dir/log"
  build
  passes || { cat "$dir/log"; echo "the unchanged kernel fails"; exit 1; }
  call="[a-z_]*\\($waits\\)[a-z_]*(.*);"
  for file in "$@"; do
    cp "$file" "$dir/original"
    for line in $(grep -n "^[[:space:]][[:space:]]*$call" "$file" | cut -d: -f1); do
      waiting=$((waiting + 1))
      [ $((waiting % EVERY)) -eq 0 ] || continue
      sed -i "${line}s/$call/;/" "$file"
      expect_caught "${file##*/}:$line $(sed -n "${line}p" "$dir/original")" ''
      cp "$dir/original" "$file"
    done
  done
  [ "$waiting" -ge "$at_least" ] || { echo "$waiting waits, fewer than $at_least"; exit 1; }
}

# passes() runs shapes which between them reach every wait.
case $1 in
  attention)   # one and two row tiles, several blocks, a ragged end, both ways to rescale, a second batch entry, splits, a
    # group that leaves a vector core without rows
    build() {
      for kernel in amla base; do
        shared $kernel "$attention/$kernel.c" "$attention"/*/*.c "$attention/attention_problem_plain.c" "$lib"/*.c
      done
    }
    run() { simulate "$@" --dist normal:1 --out-f32; }
    passes() {
      run amla --heads 40 --seq-kv 2100 --preload 2 &&
        run amla --heads 70 --seq-q 3 --seq-kv 1600 --preload 1 --rescale row --batch 2 &&
        run amla --heads 150 --seq-kv 500 --kv-block 128 --group-rows 64 &&
        run base --heads 70 --seq-q 3 --seq-kv 2100 --preload 2 &&
        run base --heads 20 --seq-kv 700 --kv-block 128 --split-kv 4 --config ascend910_die --cores 2
    }
    # The first step of a kernel that has it by itself, as flash.
    sed -i '/if (late) {/,/}/d' "$attention/cube/attention_cube_multiply.h"
    remove_waits 36 "$attention"/*.[ch] "$attention"/*/*.[ch] "$lib"/*.h ;;
  flash)   # more blocks than are in flight, one group after the other, a head wider than a tile, splits, a group that leaves
    # a vector core without rows, one whose first and last block go in parts
    build() { shared flash -DROW_SUM_TREE=1 "$kernels"/flash/*.c "$lib/preload.c"; }
    run() { simulate flash "$@" --out-f32; }
    passes() {
      run --heads 2 --kv-heads 1 --seq-q 100 --seq-kv 700 --head-dim 32 --kv-block 64 --causal &&
        run --heads 1 --seq-q 20 --seq-kv 900 --head-dim 200 --kv-block 112 --batch 2 &&
        run --heads 2 --seq-q 17 --seq-kv 300 --head-dim 16 --kv-block 48 --group-rows 16 &&
        run --heads 1 --seq-q 256 --seq-kv 700 --head-dim 32 --kv-block 512 &&
        run --heads 1 --seq-q 9 --seq-kv 700 --head-dim 32 --kv-block 64 --split-kv 4 --config ascend910_die --cores 2
    }
    # Not in flash: O is not in memory, and order frees slots of S.
    sed -i '/wait_flag(.*\(EVENT_O_STORED\|FLAG_S_FREE\));/d' "$attention/vector/attention_output.h" "$attention/cube/attention_cube_multiply.h"
    remove_waits 34 "$attention"/cube/*.h "$attention"/vector/*.h "$lib/ring.h" "$kernels/flash/flash_parts.h" ;;
  fp8)   # a pair whose cores share a ring of keys that comes round, two row tiles, keys straight into L1, a list without
    # places, units one after the other, a group without rows for a vector core
    build() {
      shared fp8 "$kernels"/fp8/*.c "$lib"/preload.c &
      shared fp8_direct -DFP8_DIRECT=1 "$kernels"/fp8/*.c "$lib"/preload.c
      wait $!
    }
    run() { quiet "$FP8" "$dir/fp8.so" "$@"; }
    run_direct() { quiet "$FP8" "$dir/fp8_direct.so" direct=1 "$@"; }
    passes() {
      run heads=70 tokens=900 block=96 crossover=1 batch=2 &&
        run heads=100 query_tokens=2 tokens=700 block=128 batch=2 rescale=1 preload=1 &&
        run heads=9 cache=sparse topk=200 block=16 tokens=100 query_tokens=2 vary=1 batch=4 crossover=1 sinks=1 &&
        run heads=150 tokens=500 block=128 group=64 &&
        run_direct heads=70 tokens=900 block=256 crossover=1 batch=2 &&
        run_direct heads=130 tokens=700 block=96
    }
    remove_waits 27 "$kernels"/fp8/*.[ch] "$attention/amla_impl.h" ;;
  gemm)   # pieces of b that stay and that pass, halves and quarters of L0C, more than one core
    build() { shared gemm "$kernels/gemm/gemm.c"; }
    run() { quiet "$GEMM" "$dir/gemm.so" "$@"; }
    passes() { run 400 600 300 && run 400 600 900 && run 300 400 200 f16 cores=2; }
    remove_waits 9 "$kernels"/gemm/gemm.c "$kernels"/gemm/gemm_[ilmp]*.h "$lib/ring.h" ;;
  gemm_tiles)   # more pieces than slots, more parts than slots of L0C, pieces that parts share, slices on two cores and one
    build() { shared gemm_tiles "$kernels/gemm/gemm_tiles.c" "$lib/slice_sum.c"; }
    run() { simulate gemm_tiles --config ascend910_die --set soc.launch_us=0 "$@"; }
    passes() {
      run --m 300 --n 600 --k 1500 --tile 128x256 --cores 1 &&
        run --m 300 --n 400 --k 1500 --tile 256x128 --layout dn --split-k 2 --cores 2 &&
        run --m 200 --n 500 --k 300 --tile 64x64 --order columns --split-k 3 --cores 1
    }
    waits='wait\|sync_all'
    remove_waits 9 "$kernels/gemm/gemm_tiles.c" "$lib/ring.h" ;;
  collective)   # more pieces than slots, both on the way and in sums; two vector cores
    kernel=$kernels/collective/collective.c
    build() { shared collective "$kernel"; }
    run() { quiet "$SIM" run collective --firmware "$dir/collective.so" --gm c --quiet --cores 1 --dies 3 "$@"; }
    passes() { run --op all-reduce --bytes 500000 && run --op all-gather --bytes 500000; }
    remove_waits 7 "$kernel" "$lib/ring.h"
    cp "$kernel" "$dir/original"
    sed -i '/^static void scatter/,/^}/{s/^    tell(.*/;/;s/^    const share_t theirs.*/&\n    tell(r, SENT, to);/;}' "$kernel"
    expect_caught flag-before-data 'race in GM'
    cp "$dir/original" "$kernel" ;;
  w4a16)   # each way through the machine, more pieces than slots, more tiles than slots in UB, chunks of the reduction, a core
    # that has no unit
    build() { shared w4a16 "$kernels"/w4a16/w4a16*.c "$lib/slice_sum.c"; }
    run() { simulate w4a16 --config ascend910_die --set soc.launch_us=0 "$@"; }
    passes() {
      run --m 16 --n 520 --k 3000 --group 100 --split-k 2 --cores 2 &&
        run --m 200 --n 264 --k 2000 --group 100 --split-k 3 --cores 1 &&
        run --m 4 --n 64 --k 512 --mode dataparallel --cores 3 &&
        run --m 16 --n 520 --k 4000 --group 100 --split-k 1 --overlap --cores 1 &&
        run --m 16 --n 520 --k 4000 --group 100 --split-k 1 --path direct --set soc.direct_path=1 --cores 1
    }
    waits='wait\|sync_all'
    remove_waits 20 "$kernels"/w4a16/w4a16_cube*.[ch] "$kernels"/w4a16/w4a16_dequant*.[ch] "$lib/slice_sum.c" "$lib/ring.h" ;;
  engine)   # several chunks with two places for keys and with one, three units of one chunk, masks, tiles
    kernel=$kernels/engine/engine.c
    build() { shared engine "$kernels/engine/engine.c"; }
    run() { quiet "$ENGINE_KERNEL" "$dir/engine.so" native=1 d=16 "$@"; }
    passes() {
      run heads=4 kv_heads=2 tokens=9 keys=70 chunk=16 rows=64 buffer_kb=4 causal=1 &&
        run heads=2 tokens=5 keys=100 chunk=64 rows=64 mask=1 &&
        run heads=10 kv_heads=5 keys=20 chunk=24 rows=64 engines=2 queries=4
    }
    waits='wait\|barrier\|drain'
    remove_waits 11 "$kernel" "$lib/ring.h"
    cp "$kernel" "$dir/original"
    for ring in kv q out; do
      sed -i -e "s/ring_\\(wait\\|set\\)_[a-z]*(&plan->$ring,.*);/;/" \
        -e "s/ring_\\(open\\|drain\\)(&plan.$ring);/;/" "$kernel"
      expect_caught "no-flags-of-$ring" 'race in'
      cp "$dir/original" "$kernel"
    done ;;
  step)   # products and attention of a list; those of whole kernels are theirs
    build() {
      shared step_amla "$kernels/step/step.c" ../step/absent.c "$kernels/step/product.c" "$kernels/step/attention/step_problem.c" \
        "$kernels/step/attention/step_amla.c" "$attention/cube/attention_cube_plain.c" "$attention/vector/attention_merge.c" \
        "$attention/vector/attention_vector_plain.c" "$lib/preload.c"
    }
    passes() {
      timeout 120 "$TEST_STEP_SCHEDULE" "$dir/step_amla.so" >"$dir/log" 2>&1 &&
        STEP_FIRMWARE=$dir/step_amla.so timeout 120 "$TEST_STEP_PRODUCT" every_bit >"$dir/log" 2>&1
    }
    waits='wait\|sync_all\|pass_on\|read_gm'
    remove_waits 22 "$kernels/step/step.c" "$kernels/step/product_impl.h" "$kernels/step/routing.h" ;;
  step_vector)   # one vector core after the other has more tiles than slots; with few cores each has some
    build() { shared step "$kernels/step/step.c" ../step/absent.c "$kernels"/step/vector/*.c; }
    passes() { timeout 100 "$STEP_VECTOR" "$dir/step.so" 1 1 2 >"$dir/log" 2>&1; }
    waits='wait\|read_gm\|routing_read'
    remove_waits 30 "$kernels"/step/vector/*.c ;;
  step_w4a16)   # more pieces than slots, more tiles than slots in UB, several units and products, one after the other, a core
    # without any
    build() { shared step "$kernels"/step/step.c ../step/absent.c "$kernels"/step/w4a16/*.c; }
    run() { quiet "$STEP_W4A16" "$dir/step.so" "$@"; }
    passes() {
      run groups=2 m=16 n=264 k=4000 group=100 zeros=1 &&
        run groups=4 tokens=9 top=2 n=72 k=2048 tile=64 zeros=1 times=3 config=ascend910_die cores=3
    }
    # Those of the other ways through the machine are kernel w4a16's.
    sed -i 's/cross_core_wait_flag(PIPE_MTE1, FLAG_READY)/cross_core_WAIT(PIPE_MTE1, FLAG_READY)/
      s/cross_core_wait_flag(PIPE_MTE2, FLAG_DEQUANTISED)/cross_core_WAIT(PIPE_MTE2, FLAG_DEQUANTISED)/
      /^static void load_b(/,/^}/s/ring_wait_free/ring_WAIT_free/' "$kernels/w4a16/w4a16_cube_impl.h"
    echo '#define cross_core_WAIT cross_core_wait_flag' >>"$dir/sw/hal/hal.h"
    echo '#define ring_WAIT_free ring_wait_free' >>"$lib/ring.h"
    remove_waits 10 "$kernels"/w4a16/w4a16_cube_impl.h "$kernels"/w4a16/w4a16_dequant_impl.h "$lib/ring.h" "$kernels/step/step.c" ;;
  *) echo "waits.sh: no kernel '$1'" >&2; exit 2 ;;
esac
echo "$mutants of $waiting waits removed one at a time, $missed missed"
[ "$missed" -eq 0 ]
