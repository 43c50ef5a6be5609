#!/bin/sh
# `run lm` end to end: losses and texts that are known, options that must not change a result, what
# they do change, agreement with FP32.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

lm() { "$SIM" run lm --quiet "$@"; }
losses='[.windows[].nats_per_byte]'
val=$DATA/kjv_val.txt

# FP32: the losses written down when the model was trained. No machine is there.
lm --attention fp32 --eval "$val" --windows 2 --json fp32.json
holds "$losses"' | 0.83845 <= .[0] and .[0] <= 0.83855 and 0.90745 <= .[1] and .[1] <= 0.90755' fp32.json
holds '.shape.predictions == 2048 and .argmax_agreement == 1' fp32.json
holds '[., .windows[]] | length == 3 and all(.nats_per_byte == .fp32_nats_per_byte)' fp32.json
holds '[has("config", "engine", "cycles", "time_us", "traffic", "pipes", "text")] | all' fp32.json
holds '[.config, .engine, .cycles, .time_us, .attention.launches, .traffic, .pipes, .text] | all(. == null)' fp32.json

# The recorded continuations, as far as no choice is too close to call.
compared=0
for i in 0 1 2 3; do
  prompt=$(jq -r ".samples[$i].prompt" "$DATA/kjv_lm_reference.json")
  jq -j ".samples[$i].greedy200" "$DATA/kjv_lm_reference.json" >recorded
  [ "$(wc -c <recorded)" -eq 200 ] || fail "sample $i is not 200 bytes"
  tokens=200
  while :; do
    lm --attention fp32 --prompt "$prompt" --tokens "$tokens" --json g.json
    jq -e '.smallest_gap < 0.01' g.json >/dev/null || break
    tokens=$(jq .smallest_gap_at g.json)
    [ "$tokens" -gt 0 ] || fail "'$prompt': the first choice is too close"
  done
  jq -j .text g.json >written
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
  holds '.[0].fp32_nats_per_byte == .[1].nats_per_byte' $arithmetic.json fp32.json
done
above='.[0].nats_per_byte - .[1].nats_per_byte'
holds "$above | 0.002 <= . and . <= 0.05" mitchell.json fp32.json
holds "$above | fabs <= 0.003" corrected.json fp32.json
holds "$above | fabs <= 0.003" fa2.json fp32.json
holds '.argmax_agreement | 0.9 <= . and . <= 0.99' mitchell.json
holds '.argmax_agreement | 0.97 <= . and . <= 0.9999' corrected.json
holds '.[0].cycles == .[1].cycles' mitchell.json corrected.json
holds '.attention | .launches == 6 and .tokens == 400' mitchell.json
holds '(.attention.layers | length == 3 and .[0] > 0) and (.attention.layers | add) == .cycles' mitchell.json

# What does not change a bit of the result: who computes it, and how many.
same() {   # same BASE OPTIONS...: the losses of BASE.json
  base=$1
  shift
  # shellcheck disable=SC2086
  lm $small "$@" --json same.json
  holds "map([.nats_per_byte, $losses]) | .[0] == .[1]" same.json "$base.json"
}
same mitchell --threads 1
holds '.[0].cycles == .[1].cycles' same.json mitchell.json
same mitchell --firmware native
same mitchell --engines 1
holds '.[0].cycles > 2 * .[1].cycles and .[0].engine.engines == 1' same.json mitchell.json
same mitchell --queries 4
holds '.[0].cycles < .[1].cycles' same.json mitchell.json
same mitchell --set engine.rows=512 --chunk 512   # more than there are keys, like 512 of 1024
same corrected --lns corrected --set soc.engines=3 --set engine.load_gbps=20
holds '.set == ["soc.engines=3", "engine.load_gbps=20"]' same.json

# What does: blocks, and with them the chunk. With one block the chunk does not show.
# shellcheck disable=SC2086
{
  lm $small --blocks 1 --json one.json
  lm $small --chunk 64 --json chunk.json
}
holds '.[0].nats_per_byte != .[1].nats_per_byte' one.json mitchell.json
holds '.[0].nats_per_byte != .[1].nats_per_byte' chunk.json mitchell.json
holds '.[0].engine.blocks == 1 and .[0].engine.chunk == 512 and .[1].engine.chunk == 64' one.json chunk.json
same one --blocks 1 --chunk 64

# Products on the cube core: BF16 activations, near FP32; 7 matrices a layer and the head.
lm --attention fp32 --gemm soc --eval "$val" --context 200 --windows 1 --json soc.json
holds '.nats_per_byte - .fp32_nats_per_byte | . != 0 and fabs <= 0.002' soc.json
holds '.[0].fp32_nats_per_byte == .[1].windows[0].nats_per_byte' soc.json fp32.json
holds 'has("engine") and .engine == null and .attention.launches == null and .gemm.launches == 22' soc.json
holds '.attention.cycles == null and .gemm.cycles == .cycles and .cycles > 0' soc.json
# shellcheck disable=SC2086
lm $small --gemm soc --json soc.json
holds '.attention.cycles > 0 and .gemm.cycles > 0 and .cycles == .attention.cycles + .gemm.cycles' soc.json

# A shorter last window, and a byte left over.
head -c 500 "$val" >500
lm --attention fp32 --eval 500 --context 200 --json w.json   # 201, 201 and 98 bytes
holds '.shape.predictions == 497 and [.windows[].predictions] == [200, 200, 97]' w.json
holds '([.windows[] | .predictions * .nats_per_byte] | add) / 497 - .nats_per_byte | fabs < 1e-12' w.json
head -c 403 "$val" >403
lm --attention fp32 --eval 403 --context 200 --json w.json
holds '.shape.predictions == 400' w.json

# A context beyond the model's: each window sees more.
lm --attention fp32 --eval "$val" --context 2000 --windows 1 --json long.json
holds '.shape.predictions == 2000 and .nats_per_byte >= 0.5 and .nats_per_byte <= 3' long.json

# Two equal runs differ in "host" alone; a text too.
for i in 1 2; do
  # shellcheck disable=SC2086
  lm $small --json $i.json
  lm --impl c --prompt "In the beginning " --tokens 30 --json t$i.json
  without_host $i.json >$i.cut
  without_host t$i.json >t$i.cut
done
cmp 1.cut 2.cut
cmp t1.cut t2.cut
holds '(.text | length) == 30 and .prompt == "In the beginning " and .shape.tokens == 30' t1.json
holds 'has("windows") and .windows == null' t1.json
members='[has("kernel", "config", "engine", "shape", "cycles", "time_us", "nats_per_byte", "argmax_agreement",
  "fp32_nats_per_byte", "windows", "attention", "gemm", "text", "smallest_gap", "traffic", "pipes", "host")] +
  [.attention | has("cycles_per_token", "layers")] | all'
holds "$members" 1.json
holds "$members" t1.json
echo "all as expected"
