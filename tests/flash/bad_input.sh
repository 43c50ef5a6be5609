#!/bin/sh
# What run flash refuses: exit code 2, one line that names file, place or option, nothing written.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/refused.sh"

"$MKNPY" q.npy '<u2' 2,4,5,32
"$MKNPY" q_1d.npy '<u2' 32
"$MKNPY" q_nan.npy '<u2' 2,4,5,32 c 300=7fc0
"$MKNPY" q_inf.npy '<f2' 2,4,5,32 c 300=7c00
"$MKNPY" q_wide.npy '<u2' 5,257
"$MKNPY" k.npy '<u2' 2,2,9,32
"$MKNPY" k_heads.npy '<u2' 2,3,9,32
"$MKNPY" k_batch.npy '<u2' 1,2,9,32
"$MKNPY" k_f2.npy '<f2' 2,2,9,32
"$MKNPY" k_wide.npy '<u2' 9,257
"$MKNPY" v_keys.npy '<u2' 2,2,8,32
"$MKNPY" v_i4.npy '<i4' 2,2,9,32
"$MKNPY" mask.npy '|u1' 4,9
"$MKNPY" mask_half.npy '<f4' 9 c all=0 3=3f000000
"$MKNPY" lengths.npy '<i4' 3 c all=1
"$MKNPY" good_lengths.npy '<i4' 2 c all=1
"$MKNPY" lengths_high.npy '<i4' 2 c 0=9 1=a
"$MKNPY" sinks.npy '<f4' 3 c all=0
"$MKNPY" sinks_nan.npy '<f4' 4 c all=0 2=7fc00000
out="--out out.npy --json out.json"
{
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }"
  printf '\011\000\000\000\000\000\000\000\003\000\000\000\001\000\000\000'   # 9, 2^32 + 3
} >lengths_wide.npy
good="--q q.npy --k k.npy --v k.npy $out"

# shellcheck disable=SC2086
{
  refused "--k: missing" run flash --q q.npy --v k.npy $out
  refused "--seed" run flash $good --seed 1
  refused "q_1d.npy: shape (32,)" run flash --q q_1d.npy --k k.npy --v k.npy $out
  refused "q_nan.npy: NaN at [0,1,4,12]" run flash --q q_nan.npy --k k.npy --v k.npy $out
  refused "q_inf.npy: element [0,1,4,12]" run flash --q q_inf.npy --k k_f2.npy --v k_f2.npy $out
  refused "q_wide.npy: 257 elements of a head; the kernel takes at most 256" run flash --q q_wide.npy --k k_wide.npy --v k_wide.npy $out
  refused "k_heads.npy: 3 heads of keys do not divide the 4 query heads of q.npy" run flash --q q.npy --k k_heads.npy --v k_heads.npy $out
  refused "k_batch.npy: shape" run flash --q q.npy --k k_batch.npy --v k_batch.npy $out
  refused "k_f2.npy: dtype '<f2', and BF16 lacks" run flash --q q.npy --k k_f2.npy --v k.npy $out
  refused "q.npy: '<u2'; expected '<f2'" run flash $good --dtype fp16
  refused "v_keys.npy: shape" run flash --q q.npy --k k.npy --v v_keys.npy $out
  refused "v_i4.npy" run flash --q q.npy --k k.npy --v v_i4.npy $out
  refused "--seq-kv 10: k.npy has 9" run flash $good --seq-kv 10
  refused "mask.npy: shape (4, 9); expected (5, 9) or (9,)" run flash $good --mask mask.npy
  refused "mask_half.npy: 0.5 at [3]; a '<f4' mask holds 0" run flash $good --mask mask_half.npy
  refused "lengths.npy: shape (3,)" run flash $good --lengths lengths.npy
  refused "lengths_high.npy: 10 at [1]" run flash $good --lengths lengths_high.npy
  refused "lengths_wide.npy: 4294967299 at [1]; expected numbers of 32 bits" run flash $good --lengths lengths_wide.npy
  refused "--window: needs --causal" run flash $good --window 3
  refused "--window: needs --causal, and goes without --mask and --lengths" run flash $good --window 3 --causal --lengths good_lengths.npy
  refused "sinks.npy: shape (3,); expected (4,), one for each query head" run flash $good --sinks sinks.npy
  refused "sinks_nan.npy: NaN at [2]" run flash $good --sinks sinks_nan.npy
  refused "mask.npy" run flash $good --sinks mask.npy
  refused "--softcap" run flash $good --softcap 0
  refused "--softcap" run flash $good --softcap nan
  refused "--kv-block 48: expected a multiple of 128, with --paged" run flash $good --paged --kv-block 48
  refused "--kv-block 40" run flash $good --kv-block 40
  refused "--group-rows 40" run flash $good --group-rows 40
  refused "--split-kv" run flash $good --split-kv 65
  refused "--kv-heads: 3 does not divide" run flash --heads 8 --kv-heads 3 $out
  refused "beyond FP16" run flash --dist normal:1e6 --dtype fp16 $out
  refused "--verify" run flash --timing-only --verify
  refused "cube.l1_kb" run flash --set cube.l1_kb=256 $out
  refused "soc.vector_cores = 1" run flash --set soc.vector_cores=1 $out
  refused "an array of" run flash --heads 1024 --batch 1000 --seq-q 4096 $out
}
[ $failed -eq 0 ] && [ $tests -ge 25 ]
