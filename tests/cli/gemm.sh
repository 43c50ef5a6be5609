#!/bin/sh
# run w4a16 and run gemm: arrays in and out, JSON, what is refused and how; their reports.
# SPDX-License-Identifier: Apache-2.0
data=$(cd "$(dirname "$0")/../data" && pwd)
. "$(dirname "$0")/refused.sh"

fail() { echo "FAILED $*"; failed=1; }
has() { grep -qE -e "$2" "$1" || fail "no '$2' in $1"; }

"$MKNPY" a.npy '<f2' 3,64
"$MKNPY" a_long.npy '<f2' 3,72
"$MKNPY" a_f4.npy '<f4' 3,64
"$MKNPY" a_1d.npy '<f2' 64
"$MKNPY" a_inf.npy '<f2' 3,64 c 70=fc00
"$MKNPY" w.npy '<i4' 64,5
"$MKNPY" w_short.npy '<i4' 56,5
"$MKNPY" w_u1.npy '|u1' 64,20
"$MKNPY" w_3d.npy '<i4' 64,5,1
"$MKNPY" scale.npy '<f2' 4,40
"$MKNPY" scale_all.npy '<f2' 40
"$MKNPY" scale_5.npy '<f2' 5,40
"$MKNPY" scale_n.npy '<f2' 4,36
"$MKNPY" scale_0.npy '<f2' 4,40 c 85=0000
"$MKNPY" scale_m0.npy '<f2' 4,40 c 41=8000
"$MKNPY" scale_nan.npy '<f2' 4,40 c 41=7e00
"$MKNPY" zero_n.npy '<f2' 4,32
"$MKNPY" zero_rows.npy '<f2' 2,40
"$MKNPY" zero.npy '<f2' 4,40
"$MKNPY" zero_2.npy '<f2' 4,40 c 41=4000
"$MKNPY" scale_neg.npy '<f2' 4,40 c 41=b000
"$MKNPY" b.npy '<f2' 64,11
"$MKNPY" b_short.npy '<f2' 63,11
"$MKNPY" b_i4.npy '<i4' 64,11
"$MKNPY" a_bf16.npy '<u2' 3,64
"$MKNPY" a_bf16_inf.npy '<u2' 3,64 c 70=7f80
"$MKNPY" b_bf16.npy '<u2' 64,11
"$MKNPY" a_s8.npy '|i1' 3,64 c all=80
"$MKNPY" b_s8.npy '|i1' 64,11 c all=7f
"$MKNPY" b_s8_t.npy '|i1' 11,3
"$MKNPY" scale_s8.npy '<f4' 11 c all=3a000000
"$MKNPY" scale_s8_nan.npy '<f4' 11 c 3=7fc00000
"$MKNPY" b_16.npy '|i1' 64,16 c all=7f
"$MKNPY" ones.npy '<f4' 16 c all=3f800000
"$MKNPY" halves.npy '<f4' 64 c all=3f000000
"$MKNPY" a_127.npy '<f2' 2,64 c all=57f0 5=d7f0   # 127, and one -127
head -c 700 w.npy >w_cut.npy
{ cat w.npy; printf x; } >w_over.npy
out="--out out.npy --json out.json"
good="--a a.npy --w w.npy --scale scale.npy $out"

# --- what is refused --------------------------------------------------------------------------

# shellcheck disable=SC2086
{
  refused "--w: missing" run w4a16 --a a.npy --scale scale.npy $out
  refused "--scale: missing" run w4a16 --a a.npy --w w.npy $out
  refused "--a: missing" run w4a16 --w w.npy --scale scale.npy $out
  refused "none.npy" run w4a16 --a none.npy --w w.npy --scale scale.npy $out
  refused "a_f4.npy" run w4a16 --a a_f4.npy --w w.npy --scale scale.npy $out
  refused "a_1d.npy" run w4a16 --a a_1d.npy --w w.npy --scale scale.npy $out
  refused "a_inf.npy: [1,6] is not finite" run w4a16 --a a_inf.npy --w w.npy --scale scale.npy $out
  # INT4 files of the wrong size: rows, kind, dimensions, bytes
  refused "w.npy: shape (64, 5); expected [72,N/8]" run w4a16 --a a_long.npy --w w.npy \
    --scale scale.npy $out
  refused "w_short.npy: shape (56, 5); expected [64,N/8]" run w4a16 --a a.npy --w w_short.npy \
    --scale scale.npy $out
  refused "w_u1.npy" run w4a16 --a a.npy --w w_u1.npy --scale scale.npy $out
  refused "w_3d.npy" run w4a16 --a a.npy --w w_3d.npy --scale scale.npy $out
  refused "w_cut.npy" run w4a16 --a a.npy --w w_cut.npy --scale scale.npy $out
  refused "w_over.npy" run w4a16 --a a.npy --w w_over.npy --scale scale.npy $out
  refused "b.npy" run w4a16 --a a.npy --w b.npy --scale scale.npy $out
  # K and the group, N and eight
  refused "scale_5.npy: 5 rows of scales do not cut the 64 rows of W into groups" run w4a16 \
    --a a.npy --w w.npy --scale scale_5.npy $out
  refused "groups of --group rows" run w4a16 $good --group 32
  refused "groups of --group rows" run w4a16 $good --group 24
  refused "scale_n.npy: shape (4, 36); expected [K/g,40]" run w4a16 --a a.npy --w w.npy \
    --scale scale_n.npy $out
  refused "--n 12: expected a multiple of 8" run w4a16 --n 12 $out
  refused "--k 100: expected a multiple of --group, 128" run w4a16 --k 100 $out
  refused "--k 96: expected a multiple of --group, 64" run w4a16 --k 96 --group 64 $out
  # Scales and zero points
  refused "scale_0.npy: [2,5] is 0" run w4a16 --a a.npy --w w.npy --scale scale_0.npy $out
  refused "scale_m0.npy: [1,1] is 0" run w4a16 --a a.npy --w w.npy --scale scale_m0.npy $out
  refused "scale_nan.npy: [1,1] is not finite" run w4a16 --a a.npy --w w.npy \
    --scale scale_nan.npy $out
  refused "zero_n.npy" run w4a16 $good --zero zero_n.npy
  refused "zero_rows.npy" run w4a16 $good --zero zero_rows.npy
  refused "scale_neg.npy: [1,1] is negative and its zero point a nibble's value" run w4a16 \
    --a a.npy --w w.npy --scale scale_neg.npy --zero zero_2.npy $out
  # The same array where it does not belong, and options that do not fit
  refused "--m 4: a.npy has 3" run w4a16 $good --m 4
  refused "--n 48: w.npy has 40" run w4a16 $good --n 48
  refused "--dist: makes inputs up" run w4a16 $good --dist normal:1
  refused "--seed: makes inputs up" run w4a16 $good --seed 1
  refused "--split-k: expected 1 to 64 or auto" run w4a16 $good --split-k 65
  refused "--split-k: expected 1 to 64 or auto" run w4a16 $good --split-k 0
  refused "--split-k 9: expected at most K, 8" run w4a16 --k 8 --group 8 --split-k 9 $out
  refused "--split-k 2: cannot go with --mode dataparallel" run w4a16 $good --split-k 2 \
    --mode dataparallel
  refused "--mode" run w4a16 $good --mode serial
  refused "--tile-n: expected 64, 128, 256 or auto" run w4a16 $good --tile-n 100
  refused "--path direct: the machine has no such path" run w4a16 $good --path direct
  refused "--nibbles" run w4a16 $good --nibbles odd
  refused "vector.ub_kb = 64: the kernel needs 192" run w4a16 $good --set vector.ub_kb=64
  refused "cube.l1_kb = 256: the kernel needs 512" run gemm --set cube.l1_kb=256 $out
  refused "--dist" run w4a16 --dist normal:9000 $out
  refused "--a: needs values" run w4a16 --timing-only --a a.npy
  refused "--verify: needs values" run w4a16 --timing-only --verify
  refused "--scale: goes with --dtype s8" run gemm --a a.npy --w b.npy --scale scale.npy $out
  refused "b_short.npy: shape (63, 11); expected [64,N]" run gemm --a a.npy --w b_short.npy $out
  refused "b_i4.npy" run gemm --a a.npy --w b_i4.npy $out
  refused "--tile: expected MxN, MxNxK, auto or halving" run gemm --tile 128 $out
  refused "--tile: expected MxN, MxNxK, auto or halving" run gemm --tile 128x256x256x1 $out
  refused "--tile 100x128x0: expected multiples of 16 up to 256x256x4096" run gemm --tile 100x128 $out
  refused "--tile 16x512x0: expected multiples of 16" run gemm --tile 16x512 $out
  refused "--tile 256x256x0: halves of the tile do not fit" run gemm --tile 256x256 $out
  refused "--tile 128x256x1024: halves of the tile do not fit" run gemm --tile 128x256x1024 $out
  refused "--tile halving: takes FP16 in row-major order" run gemm --tile halving --layout dn $out
  refused "--tile halving: takes FP16 in row-major order, and all of K at once" run gemm --tile halving --split-k 2 $out
  refused "--order: expected auto, rows, columns, or rows:3" run gemm --order rows:0 $out
  refused "--order: expected auto, rows, columns, or rows:3" run gemm --order auto:3 $out
  refused "--split-k 9: expected 1 to 8" run gemm --k 8 --split-k 9 $out
  refused "--layout" run gemm --layout zn $out
  refused "b.npy" run gemm --dtype bf16 --a a_bf16.npy --w b.npy $out
  refused "a_bf16_inf.npy: [1,6] is not finite" run gemm --dtype bf16 --a a_bf16_inf.npy --w b_bf16.npy $out
  refused "a.npy" run gemm --dtype s8 --a a.npy --w b_s8.npy $out
  refused "b_s8.npy: shape (64, 11); expected [3,N]" run gemm --dtype s8 --a b_s8_t.npy --w b_s8.npy $out
  refused "scale.npy" run gemm --dtype s8 --a a_s8.npy --w b_s8.npy --scale scale.npy $out
  refused "scale_s8_nan.npy: [3] is not finite" run gemm --dtype s8 --a a_s8.npy --w b_s8.npy --scale scale_s8_nan.npy $out
  refused "--scale made-up: expected a file" run gemm --dtype s8 --a a_s8.npy --w b_s8.npy --scale made-up $out
  refused "--scale scale_s8.npy: expected made-up" run gemm --dtype s8 --m 3 --scale scale_s8.npy $out
  refused "--scale: goes with --dtype s8" run gemm --m 3 --scale made-up $out
  refused "--dtype s8: takes all of K at once" run gemm --dtype s8 --m 3 --split-k 2 $out
  refused "--dtype s8: takes all of K at once, tiles whose columns" run gemm --dtype s8 --m 3 --tile 16x48 $out
  refused "--dtype s8: takes all of K at once" run gemm --dtype s8 --m 3 --out-f32 $out
  refused "--tile halving" run gemm --dtype s8 --m 3 --tile halving $out
  refused "--scale: missing" run w8a8 --a a.npy --w b_s8.npy $out
  refused "b.npy" run w8a8 --a a.npy --w b.npy --scale scale_s8.npy $out
  refused "k is 64 and n 11; expected a multiple of 32 up to 131072, and one of 16" run w8a8 --a a.npy --w b_s8.npy \
    --scale scale_s8.npy $out
  refused "k is 131104 and n 16" run w8a8 --k 131104 --n 16 $out
  refused "ones.npy: shape (16,); expected [64], one for each column of A" run w8a8 --a a.npy --w b_16.npy --scale ones.npy \
    --smooth ones.npy $out
  refused "--smooth made-up: expected a file" run w8a8 --a a.npy --w b_16.npy --scale ones.npy --smooth made-up $out
  refused "--smooth ones.npy: expected made-up" run w8a8 --m 3 --smooth ones.npy $out
  refused "--tile-n" run w8a8 --tile-n 128 $out
  refused "--shape" report w4a16 --shape 100x128
  refused "--shape" report w4a16 --shape 1536
  refused "--m" report w4a16 --m 0
  refused "--m: w4a16_direct takes at most 1" report w4a16_direct --m 1 --m 2
}

# --- arrays in, arrays out --------------------------------------------------------------------

run() { "$SIM" run "$@" --gm c --verify; }
run w4a16 --a a.npy --w w.npy --scale scale.npy --out c.npy --json c.json >text
has text "^verify   0 of 120 elements differ .* 0 of 2560 dequantised weights"
has text "^shape    M 3, N 40, K 64; signed nibbles, groups of 16, no zero points"
holds '.wrong_bits == 0 and (.error.golden | startswith("fp64, untiled"))' c.json
head -c 128 c.npy | grep -qa "'<f2'.*(3, 40)" || fail "c.npy is not '<f2' (3, 40)"
run w4a16 --a a.npy --w w.npy --scale scale.npy --zero zero.npy >text   # scales of either sign
has text "zero points that need FP32"
run w4a16 --a a.npy --w w.npy --scale scale_all.npy --nibbles unsigned >text
has text "unsigned nibbles, groups of 64"
run w4a16 --a a.npy --w w.npy --scale scale.npy --out-f32 --out f.npy --quiet
head -c 128 f.npy | grep -qa "'<f4'.*(3, 40)" || fail "f.npy is not '<f4' (3, 40)"
run gemm --a a.npy --w b.npy --out g.npy --quiet
head -c 128 g.npy | grep -qa "'<f2'.*(3, 11)" || fail "g.npy is not '<f2' (3, 11)"

run gemm --dtype bf16 --a a_bf16.npy --w b_bf16.npy --layout nz --out h.npy --json h.json --golden none --quiet
head -c 128 h.npy | grep -qa "'<u2'.*(3, 11)" || fail "h.npy is not '<u2' (3, 11)"
holds '.dtype == "bf16" and .layout == "nz" and .wrong_bits == 0 and .tile.m == 16 and .tile.estimate_us > 0' h.json
# -128 x 127 x 64 in each element, and 2^-11 times that
for layout in nd dn nz; do
  run gemm --dtype s8 --a a_s8.npy --w b_s8.npy --layout $layout --out s.npy --json s.json --quiet
  head -c 128 s.npy | grep -qa "'<i4'.*(3, 11)" || fail "s.npy is not '<i4' (3, 11)"
  [ "$(tail -c +129 s.npy | od -An -v -w4 -td4 | sort -u | tr -d ' ')" = -1040384 ] || fail "$layout: other sums"
  holds '.dtype == "s8" and .wrong_bits == 0 and .error.rel_fro == 0' s.json
done
# Sums beyond S32 wrap, as the contract has it; FP64 says that they are wrong.
"$MKNPY" long_a.npy '|i1' 1,140000 c all=7f
"$MKNPY" long_b.npy '|i1' 140000,1 c all=7f
status=0
"$SIM" run gemm --dtype s8 --a long_a.npy --w long_b.npy --verify --json wrapped.json --quiet 2>err || status=$?
[ $status -eq 1 ] && holds '.wrong_bits == 0 and .error.rel_fro > 1' wrapped.json || fail "sums that wrap: exit code $status"
run gemm --dtype s8 --a a_s8.npy --w b_s8.npy --scale scale_s8.npy --out s.npy --quiet
[ "$(tail -c +129 s.npy | od -An -v -w2 -tx2 | sort -u | tr -d ' ')" = dff0 ] || fail "other scaled sums"
# 62 x 127 x 127 in all columns of the first row and 64 x 127 x 127 in those of the second; factors halve them.
for smooth in "" "--smooth halves.npy"; do
  # shellcheck disable=SC2086
  run w8a8 --a a_127.npy --w b_16.npy --scale ones.npy $smooth --out-f32 --out w8.npy --json w8.json --quiet
  tail -c +129 w8.npy | od -An -v -w4 -tf4 | tr -d ' ' | sort -u >have
  awk -v half="$smooth" 'BEGIN { f = half == "" ? 1 : 0.5; printf "%.9g\n%.9g\n", f * 62 * 16129, f * 64 * 16129 }' | sort -u >want
  awk '{ printf "%.9g\n", $1 }' have | sort -u | cmp - want || fail "w8a8 $smooth: other sums"
  holds '.kernel == "w8a8" and .wrong_bits == 0 and ([.phases[].name] == ["quantise", "multiply", "dequantise"])' w8.json
done
fits run_w8a8=w8.json
# Layouts and tiles are in no bit, slices are.
for options in "--layout dn --tile 64x32x48" "--layout nz --order rows:1 --cores 5" "--tile halving"; do
  # shellcheck disable=SC2086
  run gemm --m 70 --n 90 --k 1000 --split-k 1 --config ascend910_die $options --out-f32 --out "x$tests.npy" --quiet
  [ ! -e x.npy ] || cmp x.npy "x$tests.npy" || fail "$options: other bits"
  mv "x$tests.npy" x.npy
done
run gemm --m 70 --n 90 --k 1000 --split-k 5 --out-f32 --out x5.npy --json x5.json --quiet
! cmp -s x.npy x5.npy || fail "five slices have the bits of one"
holds '.split_k == 5 and [.phases[].name] == ["multiply", "reduce"]' x5.json

# The same command line twice, and its output is the same but for "host".
for i in 1 2; do
  "$SIM" run w4a16 --m 4 --n 256 --k 1024 --dist normal:1 --gm c --quiet --json $i.json
  without_host $i.json >$i.part
done
cmp 1.part 2.part || fail "two equal runs differ"

# The books of arrays and of phases add up to those of the run.
"$SIM" run w4a16 --timing-only --m 4 --n 1024 --k 2048 --split-k 3 --l2 cold --gm c --quiet \
  --set gm.l2_mb=1 --json j.json
books='[.hbm_read, .hbm_write, .l2_read, .l2_write]'
for part in phases arrays; do
  holds "(.traffic | $books) == ([.$part[] | $books] | transpose | map(add)) and .traffic.l2_read > 0" j.json
done
# The nibbles come from HBM; B, which L2 does not hold, goes there and comes back.
holds '.traffic.hbm_read >= 4194304 and .traffic.hbm_write >= 2097152' j.json
holds '["dequantise", "reduce"] - [.phases[].name] == []' j.json

# Out of tolerance is 1.
status=0
"$SIM" run gemm --gm c --quiet --tolerance 1e-6 2>err || status=$?
[ $status -eq 1 ] || fail "exit code $status with a tolerance that cannot be met"
has err "out of tolerance"

# --- reports ----------------------------------------------------------------------------------

"$SIM" report w4a16 w4a16_traffic w4a16_direct --shape 256x1024 --shape 512x640 --cores 4 --out r \
  --quiet
for name in w4a16 w4a16_traffic w4a16_direct; do
  for ending in json md svg; do
    [ -s r/$name.$ending ] || fail "r/$name.$ending"
  done
done
count() { echo "[.. | objects | select(has(\"$1\"))] | length"; }   # of what has that member
holds "$(count over_dataparallel) == 10" r/w4a16.json
holds "$(count phase) >= 10" r/w4a16_traffic.json
holds "$(count over_fp16) == 20" r/w4a16_direct.json
has r/w4a16.md "0 values differ from the contract's"
"$SIM" report w4a16_traffic --shape 256x1024 --m 3 --out r2 --quiet
has r2/w4a16_traffic.md "M = 3,"

# The shipped data, near FP64 as rounding to FP16 is.
for options in "w4a16" "w4a16 --split-k 16" "gemm"; do
  # shellcheck disable=SC2086
  run $options --tolerance 2.5e-4 --quiet || fail "run $options"
done
run w4a16 --a "$data/w4a16_real_a.npy" --w "$data/w4a16_real_w.npy" \
  --scale "$data/w4a16_real_scale.npy" --out named.npy --quiet
"$SIM" run w4a16 --gm c --quiet --out shipped.npy
cmp named.npy shipped.npy || fail "the shipped data by name"
echo "$tests refused"
[ "$failed" -eq 0 ]
