#!/bin/sh
# `run lm` end to end: losses and texts that are known, options that must not change a result, what
# they do change, agreement with FP32.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*"; exit 1; }
lm() { "$SIM" run lm --quiet "$@"; }
values() { awk -v name="\"$1\":" '$1 == name { gsub(",", "", $2); print $2 }' "$2"; }
field() { values "$1" "$2" | head -n 1; }
is() { [ "$(field "$1" "$2")" = "$3" ] || fail "$1 is $(field "$1" "$2"), not $3"; }
within() { awk -v low="$1" -v high="$2" -v x="$3" 'BEGIN { exit !(x != "" && x >= low && x <= high) }' ||
  fail "$3 is not within $1 .. $2"; }
text() { sed -n 's/^\t"text":\t"\(.*\)",$/\1/p' "$1"; }
val=$DATA/kjv_val.txt

# FP32: the losses written down when the model was trained. No machine is there.
lm --attention fp32 --eval "$val" --windows 2 --json fp32.json
within 0.83845 0.83855 "$(values nats_per_byte fp32.json | sed -n 2p)"
within 0.90745 0.90755 "$(values nats_per_byte fp32.json | sed -n 3p)"
is predictions fp32.json 2048
is argmax_agreement fp32.json 1
[ "$(values nats_per_byte fp32.json)" = "$(values fp32_nats_per_byte fp32.json)" ] ||
  fail "FP32 is not FP32"
for name in config engine cycles time_us launches traffic pipes text; do
  is $name fp32.json null
done

# The recorded continuations, as far as no choice is too close to call.
# sample I: prompt and recorded text, as JSON has them.
sample() { awk -v i="$1" -F '": "' '/"prompt"/ { if (n++ == i) { sub(/",$/, "", $2); print $2 } }
  /"greedy200"/ { if (m++ == i) { sub(/",$/, "", $2); print $2 } }' "$DATA/kjv_lm_reference.json"; }
compared=0
for i in 0 1 2 3; do
  prompt=$(sample $i | sed -n 1p)
  printf '%b' "$(sample $i | sed -n 2p)" >recorded
  [ "$(wc -c <recorded)" -eq 200 ] || fail "sample $i is not 200 bytes"
  tokens=200
  while :; do
    lm --attention fp32 --prompt "$prompt" --tokens "$tokens" --json g.json
    awk -v gap="$(field smallest_gap g.json)" 'BEGIN { exit !(gap < 0.01) }' || break
    tokens=$(field smallest_gap_at g.json)
    [ "$tokens" -gt 0 ] || fail "'$prompt': the first choice is too close"
  done
  printf '%b' "$(text g.json)" >written
  head -c "$tokens" recorded | cmp - written || fail "'$prompt'"
  compared=$((compared + tokens))
  echo "'$prompt': $tokens bytes as recorded"
done
[ $compared -gt 600 ] || fail "only $compared bytes could be compared"

# The engines: a loss near FP32's, and more so in better arithmetic.
small="--eval $val --context 200 --windows 2 --impl c"
# shellcheck disable=SC2086
{
  lm $small --json mitchell.json
  lm $small --lns corrected --json corrected.json
  lm $small --attention fa2 --json fa2.json
  lm --attention fp32 --eval "$val" --context 200 --windows 2 --json fp32.json
}
for arithmetic in mitchell corrected fa2; do
  [ "$(field fp32_nats_per_byte $arithmetic.json)" = "$(field nats_per_byte fp32.json)" ] ||
    fail "the FP32 beside $arithmetic is another"
done
above() { awk -v a="$(field nats_per_byte "$1.json")" -v b="$(field nats_per_byte fp32.json)" \
  'BEGIN { print a - b }'; }
within 0.002 0.05 "$(above mitchell)"
within -0.003 0.003 "$(above corrected)"
within -0.003 0.003 "$(above fa2)"
within 0.9 0.99 "$(field argmax_agreement mitchell.json)"
within 0.97 0.9999 "$(field argmax_agreement corrected.json)"
[ "$(field cycles mitchell.json)" = "$(field cycles corrected.json)" ] || fail "--lns has cycles"
is launches mitchell.json 6
is tokens mitchell.json 400
awk -v all="$(field cycles mitchell.json)" \
  -v a="$(sed -n 's/.*"layers":.\[\(.*\)\].*/\1/p' mitchell.json)" 'BEGIN {
    split(a, x, ", "); exit !(x[1] > 0 && x[1] + x[2] + x[3] == all) }' ||
  fail "cycles of the layers"

# What does not change a bit of the result: who computes it, and how many.
same() {   # same BASE OPTIONS...: the losses of BASE.json
  base=$1
  shift
  # shellcheck disable=SC2086
  lm $small "$@" --json same.json
  [ "$(values nats_per_byte same.json)" = "$(values nats_per_byte "$base.json")" ] ||
    fail "$* changes the loss"
}
same mitchell --threads 1
[ "$(field cycles same.json)" = "$(field cycles mitchell.json)" ] || fail "--threads has cycles"
same mitchell --firmware native
same mitchell --engines 1
[ "$(field cycles same.json)" -gt "$((2 * $(field cycles mitchell.json)))" ] ||
  fail "one engine is not slower than four"
is engines same.json 1
same mitchell --queries 4
[ "$(field cycles same.json)" -lt "$(field cycles mitchell.json)" ] || fail "four queries are slower"
same mitchell --set engine.rows=512 --chunk 512   # more than there are keys, like 512 of 1024
same corrected --lns corrected --set soc.engines=3 --set engine.load_gbps=20
grep -q '"set":.\["soc.engines=3", "engine.load_gbps=20"\]' same.json || fail "no set in the JSON"

# What does: blocks, and with them the chunk. With one block the chunk does not show.
# shellcheck disable=SC2086
{
  lm $small --blocks 1 --json one.json
  lm $small --chunk 64 --json chunk.json
}
[ "$(field nats_per_byte one.json)" != "$(field nats_per_byte mitchell.json)" ] || fail "--blocks"
[ "$(field nats_per_byte chunk.json)" != "$(field nats_per_byte mitchell.json)" ] || fail "--chunk"
is blocks one.json 1
is chunk chunk.json 64
is chunk one.json 512
same one --blocks 1 --chunk 64

# Products on the cube core: BF16 activations, near FP32; 7 matrices a layer and the head.
lm --attention fp32 --gemm soc --eval "$val" --context 200 --windows 1 --json soc.json
within -0.002 0.002 "$(awk -v a="$(field nats_per_byte soc.json)" \
  -v b="$(field fp32_nats_per_byte soc.json)" 'BEGIN { print a - b }')"
[ "$(field nats_per_byte soc.json)" != "$(field fp32_nats_per_byte soc.json)" ] || fail "--gemm soc"
[ "$(field fp32_nats_per_byte soc.json)" = "$(values nats_per_byte fp32.json | sed -n 2p)" ] ||
  fail "the FP32 beside --gemm soc is another"
is engine soc.json null
[ "$(values launches soc.json | tr '\n' ' ')" = "null 22 " ] || fail "launches of products"
[ "$(values cycles soc.json | tr '\n' ' ')" = \
  "$(field cycles soc.json) null $(field cycles soc.json) " ] || fail "cycles of products"
# shellcheck disable=SC2086
lm $small --gemm soc --json soc.json
values cycles soc.json | tr '\n' ' ' | awk '{ exit !($2 > 0 && $3 > 0 && $1 == $2 + $3) }' ||
  fail "cycles of attention and products"

# A shorter last window, and a byte left over.
head -c 500 "$val" >500
lm --attention fp32 --eval 500 --context 200 --json w.json   # 201, 201 and 98 bytes
values predictions w.json | tr '\n' ' ' | grep -qx '497 200 200 97 ' || fail "windows of 500 bytes"
awk -v all="$(field nats_per_byte w.json)" -v n="$(values nats_per_byte w.json | tr '\n' ' ')" \
  'BEGIN { split(n, x, " "); mean = (200 * x[2] + 200 * x[3] + 97 * x[4]) / 497
           exit !(all - mean < 1e-12 && mean - all < 1e-12) }' || fail "the mean of the windows"
head -c 403 "$val" >403
lm --attention fp32 --eval 403 --context 200 --json w.json
is predictions w.json 400

# A context beyond the model's: each window sees more.
lm --attention fp32 --eval "$val" --context 2000 --windows 1 --json long.json
is predictions long.json 2000
within 0.5 3 "$(field nats_per_byte long.json)"

# Two equal runs differ in "host" alone; a text too.
for i in 1 2; do
  # shellcheck disable=SC2086
  lm $small --json $i.json
  lm --impl c --prompt "In the beginning " --tokens 30 --json t$i.json
  sed '/"host"/,$d' $i.json >$i.cut
  sed '/"host"/,$d' t$i.json >t$i.cut
done
cmp 1.cut 2.cut
cmp t1.cut t2.cut
[ "$(text t1.json | wc -c)" -eq 31 ] || fail "not 30 bytes of text"
is prompt t1.json '"In'
is tokens t1.json 30
is windows t1.json null
for name in kernel config engine shape cycles time_us nats_per_byte argmax_agreement \
  fp32_nats_per_byte windows attention cycles_per_token layers gemm text smallest_gap traffic pipes \
  host; do
  grep -q "\"$name\":" 1.json && grep -q "\"$name\":" t1.json || fail "no $name in the JSON"
done
echo "all as expected"
