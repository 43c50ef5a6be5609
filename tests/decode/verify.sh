#!/bin/sh
# `run decode --verify`: each operation of steps of many kinds has its contract's bits; and a kernel that computes otherwise
# is caught.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

decode() { "$SIM" run decode --gm c --quiet --json v.json "$@"; }

# verified ARGS...: no bit differs, and every kind of operation was there.
verified() {
  decode --verify "$@" || fail "run decode $*"
  holds '(.verify | map(.wrong) | add) == 0 and (.verify | map(.operations) | add) >= (.operations | length) and
    (.verify | keys | contains(["argmax","attention","cache","combine","embed","gate","gather","norm","product","rope","swiglu"]))' v.json
}

verified --tokens 2 --batch 1
verified --tokens 2 --batch 2 --mtp 2 --gm rtl
verified --tokens 2 --batch 5 --launch ops --attention base
verified --tokens 2 --batch 16 --weights w4a16 --firmware native
holds '.verify.w4a16.elements > 0' v.json
verified --tokens 2 --batch 3 --weights w8a8
holds '.verify | .quantise.elements > 0 and .product_s8.elements > 0 and .dequantise.elements > 0' v.json
verified --tokens 2 --batch 5 --weights w4a16 --zero-points --attention fp8 --fp8-scale ue8m0
verified --past 511 --steps 3 --batch 2 --mtp 2                            # over a block's end; other places hold NaN
verified --past 1023 --steps 2 --batch 5 --attention fp8 --firmware native
verified --past 3000 --steps 1 --config ascend910_die --mtp 2              # splits of the keys
verified --past 40 --steps 1 --batch 64 --experts-here 3 --firmware native # experts that are elsewhere
verified --tokens 2 --batch 16 --weights w4a16 --config ascend910_die --firmware native   # ragged tiles
verified --past 7 --steps 1 --batch 2 --config ascend910 --firmware native --attention fp8
verified --eval "$DATA/kjv_val.txt" --windows 2 --context 200 --firmware native --logits l.npy

# V3's kind: a latent of queries, sigmoid gates with biases, more experts than tokens.
mkdir v3
jq '.num_hidden_layers = 3 | .first_k_dense_replace = 1 | .hidden_size = 256 | .intermediate_size = 384 |
  .moe_intermediate_size = 128 | .n_routed_experts = 24 | .num_experts_per_tok = 5 | .n_group = 1 | .topk_group = 1 |
  .num_attention_heads = 8 | .num_key_value_heads = 8 | .q_lora_rank = 128 | .vocab_size = 500 | .initializer_range = 0.3' \
  "$(dirname "$DATA")/../model/config/models/deepseek-v3.json" >v3/config.json
verified --model v3 --random-weights --prompt '1, 2, 499' --tokens 2 --batch 3
verified --model v3 --random-weights --past 20 --steps 1 --batch 7 --weights w4a16

# Broken on purpose: AMLA's kernel in the place of Base's.
status=0
decode --tokens 1 --verify --attention base --firmware "$FIRMWARE/step_amla.elf" 2>err || status=$?
[ $status -eq 1 ] && grep -q 'verify: elements differ from the contract.s, first of attention of layer 0' err ||
  fail "another kernel is not noticed: $(cat err)"
holds '.verify.attention.wrong > 0 and .verify.rope.wrong == 0' v.json

# A token that is not that of the largest logit is exit code 1 without --verify, too.
cp -r "$SW" sw
sed -i 's/.op = VOP_CMP_GT, .rows = rows, .cols = cols, .dst = MASK/.op = VOP_CMP_EQ, .rows = rows, .cols = cols, .dst = MASK/' \
  sw/kernels/step/vector/argmax.c
cmp -s sw/kernels/step/vector/argmax.c "$SW/kernels/step/vector/argmax.c" && fail "argmax.c is as it was"
"$CC" -std=c11 -O1 -g -w -fPIC -shared -Isw -o argmax.so sw/kernels/step/*.c sw/kernels/step/vector/*.c sw/kernels/step/w4a16/*.c \
  sw/kernels/attention/cube/attention_cube_plain.c sw/kernels/attention/vector/attention_merge.c \
  sw/kernels/attention/vector/attention_vector_plain.c sw/kernels/step/attention/step_problem.c sw/kernels/step/attention/step_amla.c \
  sw/lib/preload.c sw/hal/*.c
status=0
decode --tokens 2 --firmware argmax.so 2>err || status=$?
[ $status -eq 1 ] && grep -q 'token 1 of 2 is not that of the largest logit' err || fail "another token is not noticed: $status $(cat err)"
echo "all as expected"
