#!/bin/sh
# amalgam convert: there and back, the shipped INT4 weights, and what is refused.
# SPDX-License-Identifier: Apache-2.0
data=$(CDPATH='' cd -- "$(dirname -- "$0")/../data" && pwd)
. "$(dirname "$0")/refused.sh"

convert() { "$SIM" convert "$@"; }
shape() { head -c 128 "$1" | grep -aqF "'descr': '$2', 'fortran_order': False, 'shape': ($3)" || fail "$1: $(head -c 100 "$1" | tail -c 90)"; }

# FP8: what was decoded from tokens gives the same tokens again, and the same keys.
kv=$data/mla_real_kv_bf16bits.npy
for scale in amax ue8m0; do
  convert "$kv" tokens.npy --fp8-scale $scale >text
  grep -q '4096 keys' text || fail "text: $(cat text)"
  shape tokens.npy '|u1' '4096, 656'
  convert tokens.npy keys.npy --quiet
  shape keys.npy '<u2' '4096, 576'
  convert keys.npy again.npy --fp8-scale $scale >text
  convert again.npy keys2.npy >text
  case $scale in
    # A power of two leaves 448 * scale or less as it is.
    ue8m0) cmp keys.npy keys2.npy || fail "ue8m0 there and back" ;;
    amax) cmp -s keys.npy "$kv" && fail "no loss" ;;
  esac
  mv tokens.npy tokens_$scale.npy
done
cmp -s tokens_amax.npy tokens_ue8m0.npy && fail "--fp8-scale makes no difference"
convert "$kv" tokens.npy --quiet
cmp tokens.npy tokens_amax.npy || fail "amax is not the default"
convert "$kv" --out tokens_out.npy --quiet
cmp tokens.npy tokens_out.npy || fail "--out"
# A token by hand: codes 0x38 (1.0) at scale 0.5, RoPE as it is.
{
  printf '\223NUMPY\1\0\166\0'
  printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 656), }"
  i=0
  while [ $i -lt 512 ]; do printf 8; i=$((i + 1)); done
  i=0
  while [ $i -lt 4 ]; do printf '\0\0\0\077'; i=$((i + 1)); done
  i=0
  while [ $i -lt 64 ]; do printf 'ab'; i=$((i + 1)); done
} >hand.npy
convert hand.npy hand_keys.npy --quiet
[ "$(tail -c 1152 hand_keys.npy | od -An -v -tx2 -w2 | sort | uniq -c | awk '{ print $1, $2 }' | tr '\n' ' ')" = \
  "512 3f00 64 6261 " ] || fail "a token by hand"
"$MKNPY" three.npy '<f4' 2,5,576
convert three.npy three_tokens.npy --quiet
shape three_tokens.npy '|u1' '2, 5, 656'

# INT4: there and back, both kinds; the shipped weights from the FP16 ones they were made of.
words=$data/w4a16_real_w.npy
for nibbles in signed unsigned; do
  convert "$words" values.npy --nibbles $nibbles --quiet
  shape values.npy '|i1' '4096, 256'
  convert values.npy again.npy --nibbles $nibbles --quiet
  cmp "$words" again.npy || fail "$nibbles there and back"
  mv values.npy $nibbles.npy
done
cmp -s signed.npy unsigned.npy && fail "--nibbles makes no difference"
convert "$data/w4a16_real_w_fp16.npy" w.npy --group 128 --scale s.npy >text
cmp "$words" w.npy || fail "the shipped words"
cmp "$data/w4a16_real_scale.npy" s.npy || fail "the shipped scales"
convert "$data/w4a16_real_w_fp16.npy" w.npy --group 64 --nibbles unsigned --scale s.npy --zero z.npy --quiet
shape s.npy '<f2' '64, 256'
shape z.npy '<f2' '64, 256'

"$MKNPY" i1.npy '|i1' 4,16 c 0=4 1=f8
"$MKNPY" i1_odd.npy '|i1' 4,12
"$MKNPY" k_nan.npy '<u2' 3,576 c 577=7fc0
"$MKNPY" k_575.npy '<u2' 3,575
"$MKNPY" t_655.npy '|u1' 3,655
"$MKNPY" empty.npy '<u2' 0,576
"$MKNPY" f4.npy '<f4' 6,16
"$MKNPY" f4_inf.npy '<f4' 6,16 c 17=7f800000
"$MKNPY" f4_big.npy '<f4' 6,16 c 17=7f000000
"$MKNPY" i4_3d.npy '<i4' 2,3,8
refused "two files" convert i1.npy
refused "out2.npy" convert i1.npy out2.npy --out out.npy
refused "extra" convert i1.npy out.npy extra
refused "none.npy" convert none.npy out.npy
refused "[1,1]" convert k_nan.npy out.npy
refused "k_575.npy" convert k_575.npy out.npy
refused "t_655.npy" convert t_655.npy out.npy
refused "empty.npy" convert empty.npy out.npy
refused "f4.npy" convert f4.npy out.npy
refused "i4_3d.npy" convert i4_3d.npy out.npy
refused "i1_odd.npy" convert i1_odd.npy out.npy
refused "[0,1]" convert i1.npy out.npy --nibbles unsigned
refused "w4a16_real_a.npy" convert "$data/w4a16_real_a.npy" out.npy
refused "--scale" convert f4.npy out.npy --group 2
refused "--group" convert f4.npy out.npy --group 4 --scale s2.npy
refused "--group" convert f4.npy out.npy --group 0 --scale s2.npy
refused "--zero" convert f4.npy out.npy --group 2 --scale s2.npy --nibbles unsigned
refused "[1,1]" convert f4_inf.npy out.npy --group 2 --scale s2.npy
refused "f4_big.npy" convert f4_big.npy out.npy --group 2 --scale s2.npy
refused "two outputs" convert f4.npy out.npy --group 2 --scale out.npy
refused "--nibbles" convert "$kv" out.npy --nibbles signed
refused "--fp8-scale" convert tokens.npy out.npy --fp8-scale amax
refused "--group" convert "$words" out.npy --group 2 --scale s2.npy
refused "--fp8-scale" convert "$kv" out.npy --fp8-scale half
refused "no/such" convert "$kv" no/such/out.npy
[ ! -e s2.npy ] || fail "scales without words"
echo "$tests bad inputs"
exit $failed
