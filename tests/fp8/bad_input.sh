#!/bin/sh
# What run fp8 refuses: exit code 2, one line that names file and place, nothing written.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/refused.sh"

"$MKNPY" q.npy '<u2' 2,4,576
"$MKNPY" q4.npy '<u2' 3,2,4,576
"$MKNPY" q_flat.npy '<u2' 8,576
"$MKNPY" q_575.npy '<u2' 8,575
"$MKNPY" q_nan.npy '<u2' 2,4,576 c 600=7fc0
"$MKNPY" q_1d.npy '<u2' 576
"$MKNPY" q_many.npy '<u2' 897,1,1,576
"$MKNPY" kv.npy '<u2' 128,576
"$MKNPY" kv_nan.npy '<u2' 128,576 c 58180=7fc0
"$MKNPY" kv3.npy '<u2' 3,40,576
"$MKNPY" kv2.npy '<u2' 2,64,576
"$MKNPY" kv_i4.npy '<i4' 128,576
"$MKNPY" kv_575.npy '<u2' 128,575
"$MKNPY" tok.npy '|u1' 128,656
"$MKNPY" tok_655.npy '|u1' 128,655
"$MKNPY" tok_nan.npy '|u1' 128,656 c 4000=7f
"$MKNPY" idx.npy '<i4' 2,16 c count=128
"$MKNPY" idx_high.npy '<i4' 2,16 c count=16 21=80
"$MKNPY" idx_low.npy '<i4' 2,16 c count=16 3=fffffffe
"$MKNPY" idx_shape.npy '<i4' 3,16 c count=16
"$MKNPY" idx_one.npy '<i4' 16 c count=16
"$MKNPY" idx_empty.npy '<i4' 2,0
"$MKNPY" idx3.npy '<i4' 3,2,16 c count=40
"$MKNPY" idx_f4.npy '<f4' 2,16
"$MKNPY" bt.npy '<i4' 2 c 0=1 1=0
"$MKNPY" bt_high.npy '<i4' 2 c 0=1 1=2
"$MKNPY" bt_low.npy '<i4' 1,2 c 0=ffffffff 1=1
"$MKNPY" bt_shape.npy '<i4' 2,2 c all=0
"$MKNPY" len_20.npy '<i4' 1 c 0=14
"$MKNPY" len_12.npy '<i4' 1 c 0=c
"$MKNPY" len_high.npy '<i4' 1 c 0=81
"$MKNPY" len_low.npy '<i4' 1 c 0=ffffffff
"$MKNPY" len_3.npy '<i4' 3 c count=3
"$MKNPY" tl_high.npy '<i4' 1 c 0=11
"$MKNPY" tl.npy '<i4' 1 c 0=3
"$MKNPY" sink.npy '<f4' 4
"$MKNPY" sink_nan.npy '<f4' 4 c 2=7fc00000
"$MKNPY" sink_3.npy '<f4' 3
out="--out out.npy --json out.json"
good="--q q.npy --kv kv.npy $out"

# shellcheck disable=SC2086
{
  refused "--kv" run fp8 --q q.npy $out
  refused "--q" run fp8 --kv kv.npy $out
  refused "none.npy" run fp8 --q none.npy --kv kv.npy $out
  refused "q_575.npy" run fp8 --q q_575.npy --kv kv.npy $out
  refused "q_nan.npy: NaN at [0,1,24]" run fp8 --q q_nan.npy --kv kv.npy $out
  refused "q_1d.npy" run fp8 --q q_1d.npy --kv kv.npy $out
  refused "kv_i4.npy" run fp8 --q q.npy --kv kv_i4.npy $out
  refused "kv_575.npy" run fp8 --q q.npy --kv kv_575.npy $out
  refused "tok_655.npy" run fp8 --q q.npy --kv tok_655.npy $out
  refused "kv_nan.npy: NaN or infinity in token 101" run fp8 --q q.npy --kv kv_nan.npy $out
  refused "tok_nan.npy: NaN or infinity in token 6" run fp8 --q q.npy --kv tok_nan.npy $out
  refused "--fp8-scale" run fp8 --q q.npy --kv tok.npy --fp8-scale amax $out
  refused "kv3.npy" run fp8 --q q.npy --kv kv3.npy $out
  refused "kv2.npy" run fp8 --q q4.npy --kv kv2.npy $out
  refused "--heads" run fp8 --q q_flat.npy --kv kv.npy --heads 3 $out
  refused "--seq-q" run fp8 $good --seq-q 3
  refused "--batch" run fp8 $good --batch 3
  refused "--seq-kv" run fp8 $good --seq-kv 127
  refused "--dist" run fp8 $good --dist normal:1
  refused "--seed" run fp8 $good --seed 3
  refused "idx_high.npy: 128 at [1,5]" run fp8 $good --indices idx_high.npy
  refused "idx_low.npy: -2 at [0,3]" run fp8 $good --indices idx_low.npy
  refused "idx.npy: 20 at [1,4]" run fp8 $good --indices idx.npy --lengths len_20.npy --top-k 16
  refused "idx_shape.npy" run fp8 $good --indices idx_shape.npy
  refused "idx_one.npy: 12 at [12]" run fp8 $good --indices idx_one.npy --lengths len_12.npy
  refused "idx_empty.npy" run fp8 $good --indices idx_empty.npy
  refused "idx3.npy" run fp8 $good --indices idx3.npy
  refused "idx_f4.npy" run fp8 $good --indices idx_f4.npy
  refused "--top-k" run fp8 $good --indices idx.npy --top-k 8
  refused "idx.npy" run fp8 --q q4.npy --kv kv.npy --indices idx.npy $out
  refused "--page-size" run fp8 $good --block-table bt.npy
  refused "--page-size" run fp8 $good --block-table bt.npy --page-size 60
  refused "--page-size" run fp8 --q q.npy --kv kv2.npy --block-table bt.npy --page-size 60 $out
  refused "bt_high.npy: page 2 at [0,1]" run fp8 $good --block-table bt_high.npy --page-size 64
  refused "bt_low.npy: page -1 at [0,0]" run fp8 $good --block-table bt_low.npy --page-size 64
  refused "bt_shape.npy" run fp8 $good --block-table bt_shape.npy --page-size 64
  refused "--block-table" run fp8 --block-table bt.npy --page-size 64 $out
  refused "len_high.npy: 129 at [0]" run fp8 $good --lengths len_high.npy
  refused "len_low.npy: -1 at [0]" run fp8 $good --lengths len_low.npy
  refused "len_3.npy" run fp8 $good --lengths len_3.npy
  refused "--topk-lengths" run fp8 $good --topk-lengths tl.npy
  refused "tl_high.npy: 17 at [0]" run fp8 $good --indices idx.npy --topk-lengths tl_high.npy
  refused "sink_nan.npy: NaN at [2]" run fp8 $good --sink sink_nan.npy
  refused "sink_3.npy" run fp8 $good --sink sink_3.npy
  refused "q_many.npy" run fp8 --q q_many.npy --kv kv.npy $out
  refused "--crossover on" run fp8 $good --cores 1 --crossover on
  refused "--crossover" run fp8 $good --crossover maybe
  refused "cube.l1_kb = 508: the kernel needs 512" run fp8 $good --set cube.l1_kb=508
  refused "--path" run fp8 $good --path magic
  refused "--path direct: the machine has no such path" run fp8 $good --path direct
  refused "--group-rows 144" run fp8 $good --path direct --set soc.direct_path=1 --group-rows 144
  refused "--preload 0" run fp8 $good --path direct --set soc.direct_path=1 --preload 0
  refused "--convert" run fp8 $good --convert magic
  refused "--kv-block" run fp8 $good --kv-block 100
  refused "--lse" run fp8 --timing-only --lse out.npy
  refused "--q" run fp8 --timing-only --q q.npy --kv kv.npy
  refused "--fp8-scale" run fp8 --timing-only --fp8-scale amax
  refused "two outputs" run fp8 $good --lse ./out.npy
  refused "no/such" run fp8 $good --lse no/such/l.npy
  refused "--mask" run fp8 $good --mask mask.npy
  refused "--tiling" run fp8 $good --tiling tuned
  refused "--split-kv" run fp8 $good --split-kv 2
  refused "extra" run fp8 extra $out
}
echo "$tests bad inputs"
exit $failed
