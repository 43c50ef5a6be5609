#!/bin/sh
# `run decode` on the shipped model: losses and continuations beside those of Hugging Face's implementation, stages beside
# the model in FP64, what is asked of times and bytes.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

decode() { "$SIM" run decode --gm c --quiet "$@"; }
val=$DATA/kjv_val.txt
reference=$DATA/kjv_mla/reference.json

# near FILE NUMBERS LIMIT: the loss of each of the file's windows is the reference's up to LIMIT.
near() {
  jq -e --slurpfile run "$1" "$2 as \$should | \$run[0].nats_by_window | to_entries |
    map(.value - \$should[.key] | fabs) | max <= $3" "$reference" >/dev/null ||
    fail "$1: losses $(jq -c .nats_by_window "$1") are not within $3 of the reference's $2"
}

# Losses; a last window that is shorter does not disturb the others. The fast test leaves out what others of it hold.
for attention in amla fp8 ${ALL:+base}; do
  decode --firmware native --attention $attention --eval "$val" --windows "$WINDOWS" --json $attention.json
  near $attention.json .loss_by_window 0.003
  holds '.nats_per_token > 0.5 and (.nats_by_window | length) == '"$WINDOWS" $attention.json
done
near fp8.json .quantised.fp8_cache 0.003
if [ -n "${ALL:-}" ]; then
  decode --firmware native --weights w4a16 --eval "$val" --windows "$WINDOWS" --json w4.json
  near w4.json .quantised.w4_signed 0.005
fi
decode --firmware native --weights w4a16 --zero-points --eval "$val" --windows "$WINDOWS" --json w4z.json
near w4z.json .quantised.w4_zero 0.005
head -c 1225 "$val" >short
decode --firmware native --eval short --batch 2 --json short.json
holds '(.nats_by_window | length) == 2 and .nats_by_window[1] > 0.3' short.json
[ "$(jq '.nats_by_window[0]' short.json)" = "$(jq '.nats_by_window[0]' amla.json)" ] || fail "a window beside a short one"

# Continuations. (Where FP32's two best logits are less than 0.03 apart, another one would do, too.)
for how in "--attention amla" "--attention base --mtp 2 --batch 2"; do
  for i in 0 1 ${ALL:+2 3}; do
    # shellcheck disable=SC2086
    decode --firmware native --prompt "$(jq -r ".samples[$i].prompt" "$reference")" --tokens "$TOKENS" --json text.json $how
    [ "$(jq -c .text text.json)" = "$(jq -c ".samples[$i].greedy200[:$TOKENS]" "$reference")" ] ||
      fail "sample $i with $how: $(jq -c .text text.json)"
  done
done

# A DeepSeek-V3 of transformers: experts in groups, RoPE by YaRN. Its tokens are the reference's up to the first that
# rounding may change.
zoo=$DATA/zoo/deepseek_v3
decode --firmware native --model "$zoo" --prompt "$(jq -r '.tokens | map(tostring) | join(" ")' "$zoo/reference.json")" \
  --tokens 24 --verify --json zoo.json
jq -e --slurpfile run zoo.json '(.margins | map(. < 0.1) | index(true)) as $sure |
  $sure > 9 and $run[0].tokens[:$sure] == .greedy[:$sure]' "$zoo/reference.json" >/dev/null ||
  fail "another text: $(jq -c .tokens zoo.json)"

# Stages: small everywhere; and what the tolerance is for.
decode --eval "$val" --context 64 --windows 2 --check stages --json stages.json
holds '(.check.stages | length) == 65 and (.check.stages | map(.error) | max) < 0.01 and
  ([.check.stages[] | select(.stage == "cache" and .rows == 128)] | length) == 3' stages.json
status=0
decode --prompt abc --tokens 3 --check stages --tolerance 1e-3 2>err || status=$?
[ $status -eq 1 ] && grep -q 'check: cache of layer 0 is the first bad one' err || fail "--check finds nothing: $(cat err)"
decode --batch 2 --past 70 --steps 2 --mtp 2 --attention fp8 --check stages --json past.json
holds '.check.stages | map(.error) | max < 0.05' past.json

# Logits are the same bits in whatever way they are made, and times are the sum of operations.
decode --prompt 'In the ' --tokens 4 --logits a.npy --json a.json
for how in "--launch ops" "--firmware native" "--gm rtl" "--config ascend910_die" "--cores 1 --threads 1" "--batch 3"; do
  # shellcheck disable=SC2086
  decode --prompt 'In the ' --tokens 4 --logits b.npy --json b.json $how
  cmp a.npy b.npy || fail "other logits with $how"
done
holds '((.operations | map(.cycles) | add) / .step_cycles - 1 | fabs) < 0.05 and .decode.launches == 3 and .launches == 4' a.json
decode --prompt 'In the ' --tokens 4 --launch ops --json ops.json
holds '.[0].step_cycles > .[1].step_cycles and .[0].launches == 4 * (.[0].operations | length)' ops.json a.json

# Bytes from HBM are those of weights and cache, whatever is in Verilog; weights beyond what atomic slices reach.
decode --model deepseek-v2-lite --layers 1 --timing-only --config ascend910_die --batch 8 --past 1024 --steps 1 --json v2.json
holds '((.operations | map(.hbm_read) | add) / (.model.matrix_bytes + 8 * 1024 * 1152) - 1 | fabs) < 0.01' v2.json
decode --model deepseek-v2-lite --layers 5 --timing-only --config ascend910 --firmware native --weights fp16 --batch 32 \
  --past 64 --steps 1 --json far.json
holds '.model.matrix_bytes > 4.3e9 and .traffic.hbm_read > 4.3e9 and .tokens_per_second > 0' far.json
decode --model deepseek-v3 --layers 4 --experts-here 8 --timing-only --config ascend910 --firmware native --attention fp8 \
  --weights w4a16 --batch 4 --past 64 --steps 1 --json v3.json
holds '.model.experts_here == 8 and .model.experts == 256' v3.json
echo "all as expected"
