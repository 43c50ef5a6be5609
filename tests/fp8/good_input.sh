#!/bin/sh
# Files of every shape that run fp8 takes, each result compared with the contract's C loops bit for bit;
# what nobody attends to is NaN.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

run() { "$SIM" run fp8 "$@" --verify --quiet --gm c || fail "$*"; }
shape() { head -c 128 "$1" | grep -aqF "'descr': '$2', 'fortran_order': False, 'shape': ($3)" || fail "$1: $(head -c 100 "$1" | tail -c 90)"; }
bits() { tail -c +129 "$1" >"$1.bits"; }
same() { bits "$1"; bits "$2"; cmp "$1.bits" "$2.bits" || fail "$1 and $2 differ"; }

"$MKNPY" q.npy '<u2' 2,5,576
"$MKNPY" q_flat.npy '<u2' 10,576
"$MKNPY" q_f4.npy '<f4' 2,5,576
"$MKNPY" q_batch.npy '<u2' 3,2,5,576
"$MKNPY" q_sparse.npy '<u2' 3,1,5,576
# Keys 96 and up are NaN in every column.
nan=$(i=0; while [ $i -lt 576 ]; do printf '%d=7fc0 ' $((96 * 576 + i)); i=$((i + 1)); done)
# shellcheck disable=SC2086
"$MKNPY" kv.npy '<u2' 97,576 c $nan
"$MKNPY" kv_good.npy '<u2' 96,576
"$MKNPY" kv_batch.npy '<u2' 3,40,576
"$MKNPY" len96.npy '<i4' 1 c 0=60
"$MKNPY" sink.npy '<f4' 5 c 0=7f800000 1=ff800000 2=42000000 3=c0000000 4=447a0000

# The shapes of queries; FP32 queries; the slot of NaN is beyond the length.
run --q q.npy --kv kv.npy --lengths len96.npy --out a.npy --lse al.npy
shape a.npy '<u2' '2, 5, 512'
shape al.npy '<f4' '2, 5'
run --q q_flat.npy --seq-q 2 --kv kv_good.npy --out b.npy --lse bl.npy
shape b.npy '<u2' '10, 512'
shape bl.npy '<f4' '10,'
same a.npy b.npy
same al.npy bl.npy
# A pair of AI cores with as many vector cores as there can be.
for vector_cores in 1 3 4; do
  run --q q.npy --kv kv.npy --lengths len96.npy --set soc.vector_cores=$vector_cores --out v.npy
  same a.npy v.npy
done
run --q q_f4.npy --kv kv_good.npy --out-f32 --out f.npy
shape f.npy '<f4' '2, 5, 512'

# Tokens, and keys that become the same tokens.
for scale in amax ue8m0; do
  "$SIM" convert kv_good.npy tok.npy --fp8-scale $scale --quiet
  run --q q.npy --kv tok.npy --out t.npy
  run --q q.npy --kv kv_good.npy --fp8-scale $scale --out k.npy
  same t.npy k.npy
done

# The keys that the tokens stand for, through amla: the same bits.
"$SIM" convert tok.npy keys.npy --quiet
"$SIM" run amla --q q.npy --kv keys.npy --out m.npy --gm c --quiet
same t.npy m.npy
"$SIM" run amla --q q.npy --kv keys.npy --causal --kv-block 32 --softmax-scale 0.07 --out m.npy --gm c --quiet
run --q q.npy --kv tok.npy --causal --kv-block 32 --softmax-scale 0.07 --out t.npy
same t.npy m.npy
# A sink of +inf empties its head, in both tokens; one of -inf changes nothing, nor does any to a log-sum-exp.
run --q q.npy --kv kv_good.npy --out k.npy --lse kl.npy
run --q q.npy --kv kv_good.npy --sink sink.npy --out s.npy --lse sl.npy
row() { tail -c +$((129 + $2 * 1024)) "$1" | head -c 1024; }
for token in 0 5; do
  [ "$(row s.npy $token | od -An -v -tx2 | tr -s ' ' '\n' | sort -u | tr -d '\n')" = 00008000 ] || fail "a sink of +inf"
  row k.npy $((token + 1)) >k.row
  row s.npy $((token + 1)) | cmp - k.row || fail "a sink of -inf"
  row k.npy $((token + 2)) >k.row
  row s.npy $((token + 2)) | cmp -s - k.row && fail "a finite sink"
done
cmp kl.npy sl.npy || fail "a sink in the log-sum-exp"

# A batch: a cache for each entry, or one for all; lengths, 0 among them; causal.
"$MKNPY" len.npy '<i4' 3 c 0=28 1=0 2=11
run --q q_batch.npy --kv kv_batch.npy --lengths len.npy --out c.npy --lse cl.npy
shape c.npy '<u2' '3, 2, 5, 512'
[ "$(tail -c +$((129 + 2 * 5 * 512 * 2)) c.npy | head -c $((2 * 5 * 512 * 2)) | tr -d '\0' | wc -c)" -eq 0 ] ||
  fail "an entry without tokens gives 0"
[ "$(tail -c +$((129 + 40)) cl.npy | head -c 40 | od -An -tx4 -v | tr -s ' \n' '\n\n' | sort -u | tr -d '\n')" = 7f800000 ] ||
  fail "and +inf"
run --q q_batch.npy --kv kv_batch.npy --lengths len.npy --causal --sink sink.npy
run --q q_batch.npy --kv kv_good.npy
# One token of two sees nothing.
"$MKNPY" len1.npy '<i4' 1 c 0=1
run --q q.npy --kv kv.npy --lengths len1.npy --causal --lse l.npy
[ "$(tail -c +129 l.npy | head -c 20 | od -An -tx4 -v | tr -s ' \n' '\n\n' | sort -u | tr -d '\n')" = 7f800000 ] || fail "causal"

# Sparse: any order, duplicates, -1, top-k lengths behind which there is anything.
"$MKNPY" idx.npy '<i4' 2,7 c 0=5f 1=ffffffff 2=3 3=3 4=0 5=ffffffff 6=32 7=ffffffff 8=1 9=2 10=5f 11=5e 12=0 13=1
run --q q.npy --kv kv.npy --indices idx.npy --out s.npy
run --q q.npy --kv kv.npy --lengths len96.npy --indices idx.npy --sink sink.npy --causal
"$MKNPY" idx_none.npy '<i4' 2,3 c all=ffffffff
run --q q.npy --kv kv.npy --indices idx_none.npy --lse n.npy
"$MKNPY" idx_batch.npy '<i4' 3,2,9 c count=17 20=7fffffff
"$MKNPY" topk.npy '<i4' 3 c 0=9 1=1 2=0
run --q q_batch.npy --kv kv_batch.npy --indices idx_batch.npy --topk-lengths topk.npy
run --q q_batch.npy --kv kv.npy --indices idx_batch.npy --topk-lengths topk.npy --sink sink.npy
"$MKNPY" idx_one.npy '<i4' 3,4 c count=12
run --q q_sparse.npy --kv kv_batch.npy --indices idx_one.npy

# One list for both tokens.
"$MKNPY" idx_all.npy '<i4' 3 c 0=7 1=5e 2=7
"$MKNPY" idx_both.npy '<i4' 2,3 c 0=7 1=5e 2=7 3=7 4=5e 5=7
run --q q.npy --kv kv.npy --indices idx_all.npy --out x1.npy
run --q q.npy --kv kv.npy --indices idx_both.npy --out x2.npy
cmp x1.npy x2.npy || fail "one list for both tokens"
# Whole blocks of -1, before, between and after others.
# shellcheck disable=SC2046
"$MKNPY" holes.npy '<i4' 2,80 c count=80 \
  $(for i in 0 32 48 64 80 96 144; do j=0; while [ $j -lt 16 ]; do printf '%d=ffffffff ' $((i + j)); j=$((j + 1)); done; done)
run --q q.npy --kv kv.npy --indices holes.npy --kv-block 16
run --q q.npy --kv kv.npy --indices holes.npy --kv-block 16 --causal --crossover off

# Pages: the same keys, in pages of 16 in another order, give the same bits; with page 6 of NaN.
"$MKNPY" table.npy '<i4' 6 c 0=0 1=1 2=2 3=3 4=4 5=5
run --q q.npy --kv kv_good.npy --block-table table.npy --page-size 16 --out p.npy
run --q q.npy --kv kv_good.npy --out k.npy
same p.npy k.npy
head -c 128 kv_good.npy | sed 's/(96,576,), } /(7,16,576), }/' >kv_pages.npy
{
  for page in 3 1 5 0 4 2; do tail -c +$((129 + page * 18432)) kv_good.npy | head -c 18432; done
  i=0
  while [ $i -lt 1152 ]; do printf '\377\177\377\177\377\177\377\177\377\177\377\177\377\177\377\177'; i=$((i + 1)); done
} >>kv_pages.npy
"$MKNPY" table.npy '<i4' 1,9 c all=6 0=3 1=1 2=5 3=0 4=4 5=2
run --q q.npy --kv kv_pages.npy --block-table table.npy --lengths len96.npy --out p.npy
same p.npy k.npy
run --q q.npy --kv kv_pages.npy --block-table table.npy --lengths len96.npy --indices idx.npy --out p.npy
same p.npy s.npy
"$MKNPY" tables.npy '<i4' 3,2 c 0=5 1=0 2=6 3=6 4=1 5=6
"$MKNPY" len_pages.npy '<i4' 3 c 0=20 1=0 2=f
run --q q_batch.npy --kv kv_pages.npy --block-table tables.npy --lengths len_pages.npy --causal

# What must not show in the bits.
base="--q q_batch.npy --kv kv_batch.npy --lengths len.npy --sink sink.npy --kv-block 16"
# shellcheck disable=SC2086
{
  run $base --out o.npy --lse ol.npy
  for other in "--crossover off" "--convert emulated" "--firmware native" "--cores 1" "--preload 0" "--rescale row" \
    "--group-rows 16" "--threads 3" "--path direct --set soc.direct_path=1" \
    "--path direct --set soc.direct_path=1 --crossover off --preload 1" "--config ascend910_die --cores 6"; do
    run $base $other --out x.npy --lse xl.npy
    cmp o.npy x.npy || fail "$other"
    cmp ol.npy xl.npy || fail "$other"
  done
  "$SIM" run fp8 $base --gm rtl --verify --quiet --out x.npy || fail "--gm rtl"
  cmp o.npy x.npy || fail "--gm rtl"
  run $base --skip-noop
}
# The same cycles without arithmetic.
for shape in "--seq-q 2 --heads 16 --seq-kv 300" "--heads 16 --seq-kv 300 --top-k 64 --page-size 32 --seed 3"; do
  # shellcheck disable=SC2086
  {
    "$SIM" run fp8 $shape --gm c --quiet --json a.json
    "$SIM" run fp8 $shape --gm c --quiet --json b.json --timing-only
  }
  holds '.[0].cycles == .[1].cycles and .[0].cycles > 0' a.json b.json
done
echo "all as expected"
