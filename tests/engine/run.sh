#!/bin/sh
# Attention engines through the command line: results that are known without any model, options that
# must not change a result, cycles counted by hand. IMPL is rtl or c.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

run() { "$SIM" run "$@" --impl "$IMPL" --verify --quiet; }   # run KERNEL OPTIONS...
small="--head-dim 8 --blocks 2 --rows 64"   # here and below shapes of tests attention/*, which have built their RTL
bits() { tail -c "$2" "$1" | od -An -v -tu2 -w2 | tr -d ' '; }   # bits FILE BYTES

# 22 keys, which 2 blocks of 32 do not fill.
"$MKNPY" q.npy '<u2' 6,8
"$MKNPY" q_f4.npy '<f4' 6,8
"$MKNPY" k.npy '<u2' 22,8
"$MKNPY" v.npy '<f4' 22,8
inputs="--q q.npy --k k.npy --v v.npy"
shape="--blocks 2 --rows 64"
# shellcheck disable=SC2086
files() { kernel=$1; shift; run "$kernel" $inputs $shape "$@"; }

for kernel in hfa fa2 expmul; do
  files $kernel --out a.npy --json a.json
  head -c 80 a.npy | grep -aq "'<u2'.*'shape': (6, 8)" || fail "header of the output"

  # '<f4' is the same, rounded; an explicit scale of 1/sqrt(8) is the same; threads do not matter.
  run $kernel --q q_f4.npy --k k.npy --v v.npy $shape --threads 2 --out b.npy
  cmp a.npy b.npy
  files $kernel --softmax-scale 0.35355339059327379 --out b.npy
  cmp a.npy b.npy
  files $kernel --softmax-scale 0.2 --out b.npy
  cmp -s a.npy b.npy && fail "the scale does not matter"

  # FP32 output: the same bits, upper half of a word.
  files $kernel --out-f32 --out b.npy
  head -c 80 b.npy | grep -aq "'<f4'.*'shape': (6, 8)" || fail "header of the FP32 output"
  tail -c 192 b.npy | od -An -v -tu4 -w4 | awk '{ print $1 / 65536 }' >b.bits
  bits a.npy 96 | cmp - b.bits

  # Causal is a mask, with a mask both hold: token i of 6 sees keys 0 .. 16 + i.
  "$MKNPY" causal.npy '|u1' 6,22 c $(awk 'BEGIN { for (i = 0; i < 6; ++i) for (j = 0; j < 22; ++j)
    print i * 22 + j "=" (j <= 16 + i) }')
  files $kernel --causal --out b.npy --json b.json
  files $kernel --mask causal.npy --out c.npy --json c.json
  cmp b.npy c.npy
  cmp -s a.npy b.npy && fail "--causal does not matter"
  holds '.keys == 117 and .flops == 4 * 8 * 117' b.json   # 17 + 18 + .. + 22
  holds '.keys == 117' c.json
  "$MKNPY" mask.npy '|u1' 6,22 c 0=0 50=1
  files $kernel --mask mask.npy --causal --out b.npy --json b.json
  both=$(tail -c 132 mask.npy | od -An -v -tu1 -w1 | awk '{ i = int((NR - 1) / 22)
    sum += $1 && (NR - 1) % 22 <= 16 + i } END { print sum }')
  holds ".keys == $both" b.json

  # No key at all: zero, and no error. One key: its value, to the bit.
  "$MKNPY" none.npy '|u1' 22 c $(seq -f '%.0f=0' 0 21)
  files $kernel --mask none.npy --out b.npy --json b.json
  tail -c 96 b.npy | tr -d '\000' | cmp - /dev/null || fail "no key is not zero"
  holds '.keys == 0 and .fu == 0 and .error.rel_fro == 0' b.json
  "$MKNPY" one.npy '|u1' 22 c $(seq -f '%.0f=0' 0 21) 20=1
  "$MKNPY" v_bits.npy '<u2' 22,8
  files $kernel --mask one.npy --out b.npy
  bits v_bits.npy 352 | awk 'NR > 20 * 8 && NR <= 21 * 8' >one
  bits b.npy 96 | awk 'NR > 5 * 8' | cmp - one || fail "one key is not its value"
  "$MKNPY" k1.npy '<u2' 1,8
  "$MKNPY" v1.npy '<u2' 1,8
  run $kernel --q q.npy --k k1.npy --v v1.npy $shape --out b.npy --json b.json
  bits v1.npy 16 >one
  bits b.npy 96 | awk 'NR <= 8' | cmp - one || fail "the only key is not its value"
  holds '.shape.seq_kv == 1' b.json
done

# More tokens than keys: the first ones see nothing.
"$MKNPY" k4.npy '<u2' 4,8
"$MKNPY" v4.npy '<u2' 4,8
run hfa --q q.npy --k k4.npy --v v4.npy $shape --causal --out b.npy --json b.json
holds '.keys == 10' b.json
bits b.npy 96 | awk 'NR <= 16 { zero += $1 == 0 } NR > 16 { some += $1 != 0 }
  END { exit !(zero == 16 && some > 25) }' || fail "more tokens than keys"

# An infinity in key 20, a NaN in its value, are for those who see it: tokens 4 and 5 of a causal run. NaN in a query is
# for itself. The others are as if it were not there.
"$MKNPY" k_bad.npy '<u2' 22,8 c $((20 * 8 + 7))=ff80
"$MKNPY" v_bad.npy '<u2' 22,8 c $((20 * 8 + 3))=ffff
"$MKNPY" q_bad.npy '<u2' 6,8 c 10=7fc1
run hfa --q q_bad.npy --k k_bad.npy --v v_bad.npy $shape --causal --out b.npy --json b.json
files hfa --causal --out c.npy
holds '.poisoned_rows == 3 and (.error.golden | contains("3 of 6 rows"))' b.json
holds '.error.rel_fro | 1e-4 < . and . < 0.5' b.json
bits c.npy 96 | awk '{ row = int((NR - 1) / 8); print (row == 1 || row > 3 ? 32704 : $1) }' >want
bits b.npy 96 | cmp - want || fail "poison"
"$SIM" run hfa --q q_bad.npy --k k_bad.npy --v v.npy $shape --causal --impl "$IMPL" |
  grep -q 'warning  3 of 6 rows' || fail "no warning"
run hfa --q q.npy --k k_bad.npy --v v_bad.npy $shape --mask none.npy --json b.json
holds '.poisoned_rows == 0 and .error.rel_fro == 0' b.json

# One block: that the C model is cut into chunks of 32 keys does not show; triplets go on.
"$SIM" run hfa --impl c --seq-q 5 --seq-kv 100 --head-dim 8 --blocks 1 --seed 4 --out a.npy --quiet
run hfa --seq-q 5 --seq-kv 100 --head-dim 8 --blocks 1 --rows 64 --seed 4 --out b.npy --json b.json
cmp a.npy b.npy
holds '.load_cycles == 100 and .groups == 10 and .keys == 500' b.json
run fa2 --seq-q 5 --seq-kv 100 --head-dim 8 $shape --causal --json b.json
holds '.groups == 10' b.json

# Cycles: 11 rows, 12 + 6 through the pipeline, 3 for the merge.
run fa2 --seq-q 1 --seq-kv 22 --head-dim 8 $shape --clock-mhz 100 --json b.json
holds '.cycles == 11 + 12 + 6 + 3 and .time_us == 0.32' b.json
holds '.config.rows == 64 and .rows == 11' b.json

# The other arithmetic has other bits in the same cycles; one multiplier has the same bits.
variant() { run "$@" $small --seq-q 12 --seq-kv 30 --seed 2; }   # variant KERNEL OPTIONS...
variant hfa --out a.npy --json a.json
variant hfa --zero-exact --json b.json
holds '.config.zero_exact' b.json
variant hfa --lns corrected --out b.npy --json b.json
holds '.config.lns == "corrected"' b.json
cmp -s a.npy b.npy && fail "--lns does not matter"
holds '.[0].cycles == .[1].cycles' a.json b.json
holds '.[0].error.rel_fro > 0.1 and .[1].error.rel_fro < 0.05' a.json b.json
variant fa2 --causal --out a.npy --json a.json
variant fa2 --causal --one-mul --out b.npy --json b.json
cmp a.npy b.npy
holds '.config.one_mul' b.json

# Queries side by side: fewer cycles.
side() { run hfa --head-dim 4 --blocks 2 --rows 32 --seq-q 12 --seq-kv 30 --causal "$@"; }
IMPL=c side --out a.npy --json a.json
side --queries 4 --out b.npy --json b.json
cmp a.npy b.npy
holds '.[0].groups == 12 and .[1].groups == 3 and .[1].cycles < .[0].cycles' a.json b.json

# Two equal runs differ in "host" alone.
for i in 1 2; do
  run hfa --seq-q 3 --seq-kv 30 --head-dim 8 $shape --seed 5 --dist uniform:2 --json $i.json
  without_host $i.json >$i.cut
done
cmp 1.cut 2.cut
echo "all as expected"
