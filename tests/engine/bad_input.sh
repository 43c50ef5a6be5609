#!/bin/sh
# Bad input for the attention engines: exit code 2, one line on stderr that names what is wrong, and
# no output files.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/refused.sh"
always="--impl c --out out.npy --json out.json"

"$MKNPY" q.npy '<u2' 4,16
"$MKNPY" k.npy '<u2' 20,16
"$MKNPY" v.npy '<u2' 20,16
"$MKNPY" q_3d.npy '<u2' 2,2,16
"$MKNPY" q_d8.npy '<u2' 4,8
"$MKNPY" q_i4.npy '<i4' 4,16
"$MKNPY" q_fortran.npy '<u2' 4,16 fortran
"$MKNPY" q_empty.npy '<u2' 0,16
"$MKNPY" q_wide.npy '<u2' 2,1025
"$MKNPY" q_d1.npy '<u2' 4,1
"$MKNPY" q_huge.npy '<f4' 4,16 c 18=7f7fffff
"$MKNPY" v_short.npy '<u2' 19,16
"$MKNPY" v_d8.npy '<u2' 20,8
"$MKNPY" mask_short.npy '|u1' 4,19
"$MKNPY" mask_f4.npy '<f4' 4,20
"$MKNPY" mask_u2.npy '<u2' 4,20
head -c 200 q.npy >q_cut.npy
printf 'hello' >q_text.npy
touch -d '1 hour ago' ./*
files="--k k.npy --v v.npy"

# shellcheck disable=SC2086
for kernel in hfa fa2; do
  refused "none.npy" run $kernel --q none.npy $files
  refused "q_3d.npy: shape (2, 2, 16); expected [Sq,d]" run $kernel --q q_3d.npy $files
  refused "k.npy: shape (20, 16); expected [S,8]" run $kernel --q q_d8.npy $files
  refused "q_i4.npy" run $kernel --q q_i4.npy $files
  refused "q_fortran.npy" run $kernel --q q_fortran.npy $files
  refused "q_empty.npy" run $kernel --q q_empty.npy $files
  refused "q_cut.npy" run $kernel --q q_cut.npy $files
  refused "q_text.npy" run $kernel --q q_text.npy $files
  refused "q_huge.npy: 3.40282e+38 at [1,2] is beyond BF16" run $kernel --q q_huge.npy $files
  refused "q_wide.npy: d 1025" run $kernel --q q_wide.npy --k q_wide.npy --v q_wide.npy
  refused "q_d1.npy: d 1" run $kernel --q q_d1.npy --k q_d1.npy --v q_d1.npy
  refused "v_short.npy: shape (19, 16); expected [20,16]" run $kernel --q q.npy --k k.npy \
    --v v_short.npy
  refused "v_d8.npy" run $kernel --q q.npy --k k.npy --v v_d8.npy
  refused "mask_short.npy" run $kernel --q q.npy $files --mask mask_short.npy
  refused "mask_f4.npy" run $kernel --q q.npy $files --mask mask_f4.npy
  refused "mask_u2.npy" run $kernel --q q.npy $files --mask mask_u2.npy
  refused "none.npy" run $kernel --seq-q 4 --mask none.npy
  refused "--q: missing" run $kernel --k k.npy --v v.npy
  refused "--k: missing" run $kernel --q q.npy --v v.npy
  refused "--v: missing" run $kernel --q q.npy --k k.npy
  refused "--seed" run $kernel --q q.npy $files --seed 1
  refused "--dist" run $kernel --q q.npy $files --dist normal:1
  refused "--seq-q 5: q.npy has 4" run $kernel --q q.npy $files --seq-q 5
  refused "--seq-kv 21: k.npy has 20" run $kernel --q q.npy $files --seq-kv 21
  refused "--head-dim 8: q.npy has 16" run $kernel --q q.npy $files --head-dim 8
  refused "--softmax-scale" run $kernel --q q.npy $files --softmax-scale nan
  refused "--softmax-scale" run $kernel --q q.npy $files --softmax-scale 1e60
  refused "--dist" run $kernel --dist cauchy:1
  refused "--dist" run $kernel --dist normal:0
  refused "--seq-q" run $kernel --seq-q 0
  refused "--seq-kv" run $kernel --seq-kv -1
  refused "--seq-kv" run $kernel --seq-kv 16777216 --head-dim 64
  refused "--seq-q" run $kernel --seq-q 1000000 --head-dim 1024
  refused "--causal" run $kernel --seq-q 1000000 --seq-kv 100000 --head-dim 2 --causal
  refused "--head-dim" run $kernel --head-dim 1
  refused "--head-dim" run $kernel --head-dim 1025
  refused "--blocks" run $kernel --blocks 0
  refused "--blocks" run $kernel --blocks 33
  refused "--queries" run $kernel --queries 17
  refused "--rows" run $kernel --rows 0
  refused "--rows 30: expected a multiple of --blocks, 4" run $kernel --rows 30
  refused "--clock-mhz" run $kernel --clock-mhz 0
  refused "--clock-mhz" run $kernel --clock-mhz fast
  refused "--threads" run $kernel --threads 0
  refused "--golden" run $kernel --golden half
  refused "--trace: needs --impl rtl" run $kernel --trace w.fst
  refused "unexpected argument 'extra'" run $kernel extra
  refused "--seq-k" run $kernel --seq-k4 3
  refused "--heads: unknown" run $kernel --heads 4
  refused "--seq: may be --seq-q or --seq-kv" run $kernel --seq 4
done
refused "--one-mul: unknown" run hfa --one-mul
refused "--lns: unknown" run fa2 --lns mitchell
refused "--zero-exact: unknown" run fa2 --zero-exact
refused "--lns: expected mitchell|corrected" run hfa --lns exact
refused "did you mean hfa?" run hfaa
refused "there are amla, base, flash, fp8, w4a16, w8a8, gemm, hfa, fa2, expmul, lm, decode, collective, custom and ascend" run fa3

always=
small="run hfa --impl c --seq-kv 8 --head-dim 8"
# shellcheck disable=SC2086
{
  refused "--impl: expected rtl|c" $small --impl verilog
  refused "two outputs" $small --out o.npy --json ./o.npy
  refused "no/such/dir" $small --out no/such/dir/o.npy --json o.json
  refused "Is a directory" $small --out . --json o.json
  refused "/dev/full" $small --out /dev/full --json o.json
  refused "/dev/full" $small --json /dev/full --out o.npy
  refused "--out" $small --out
}
rm -f stdout stderr
left=$(find . -type f -mmin -30)
[ -z "$left" ] || { echo "FAILED: left behind: $left"; failed=1; }
echo "$tests bad inputs"
exit $failed
