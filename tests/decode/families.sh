#!/bin/sh
# `run model` on each family: small models with random weights, prompts in chunks and then single tokens, bit for bit and
# beside the walk in FP64, which test_zoo.c holds to Hugging Face's implementation.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

model() { "$SIM" run model --gm c --firmware native --quiet "$@"; }

# family NAME KEYS [OPTIONS]: two layers of 4 heads over 2, and KEYS.
family() {
  name=$1 keys=$2
  shift 2
  jq -n "{model_type: \"$name\", vocab_size: 320, hidden_size: 64, intermediate_size: 96, num_hidden_layers: 2,
    num_attention_heads: 4, num_key_value_heads: 2, head_dim: 32, max_position_embeddings: 512,
    initializer_range: 0.1} + $keys" >"$name.json"
  model --model "$name.json" --random-weights --prompt "$(seq -s ' ' 3 7 260)" --chunk 17 --tokens 3 --batch 3 \
    --verify --check stages --json "$name.out" "$@" || fail "$name: verify or check"
  holds '([.verify[].wrong] | add) == 0 and (.check.stages | length) > 20' "$name.out"
}

window='sliding_window: 12'
experts='num_experts: 6, num_experts_per_tok: 2, moe_intermediate_size: 32'
family mixtral '{num_local_experts: 3, num_experts_per_tok: 1}' --weights bf16
holds '.weights == "bf16"' mixtral.out
family llama '{rope_theta: 5e5, attention_bias: true, rope_scaling: {rope_type: "llama3", factor: 8,
  low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 16}}'
family mistral "{$window}" --weights w4a16 --tolerance 0.5
family qwen2 "{use_sliding_window: true, max_window_layers: 1, $window, tie_word_embeddings: true}"
family qwen3 '{head_dim: 64, rope_scaling: {type: "linear", factor: 2}}'
family qwen3_moe "{$experts, norm_topk_prob: true}"
family mixtral '{num_local_experts: 4, num_experts_per_tok: 2}'
family glm4_moe "{n_routed_experts: 8, num_experts_per_tok: 2, n_shared_experts: 1, moe_intermediate_size: 32,
  first_k_dense_replace: 1, attention_bias: true, use_qk_norm: true}" --weights w8a8 --tolerance 0.3
holds '.verify.product_s8.elements > 0 and .verify.quantise.operations < .verify.product_s8.operations' glm4_moe.out
family gpt_oss "{num_local_experts: 4, num_experts_per_tok: 2, hidden_size: 48, $window}" --weights w8a8 --tolerance 0.3 # 48: 16 bits
holds '.verify | .product.elements > .product_s8.elements' gpt_oss.out
family gpt_oss "{num_local_experts: 4, num_experts_per_tok: 2, $window}" --weights w8a8 --tolerance 0.3 # biases
family gemma3_text "{head_dim: 128, num_key_value_heads: 1, query_pre_attn_scalar: 96, sliding_window_pattern: 2, $window,
  hidden_activation: \"gelu_pytorch_tanh\"}" --weights w8a8 --tolerance 0.3
family phi3 "{partial_rotary_factor: 0.5, $window}"
family olmo2 '{num_key_value_heads: 4}'
family glm4_moe "{n_routed_experts: 8, num_experts_per_tok: 2, n_shared_experts: 1, moe_intermediate_size: 32,
  first_k_dense_replace: 1, attention_bias: true, use_qk_norm: true, partial_rotary_factor: 0.5}"
family gpt_oss "{num_local_experts: 4, num_experts_per_tok: 2, $window, rope_scaling: {rope_type: \"yarn\",
  factor: 4, truncate: false, original_max_position_embeddings: 32}}"
family gemma3_text "{head_dim: 128, num_key_value_heads: 1, query_pre_attn_scalar: 96, sliding_window_pattern: 2, $window,
  hidden_activation: \"gelu_pytorch_tanh\"}"

# Prompts of several lengths in a batch, and steps in which some are still read while others write, give what each gives
# by itself.
printf '%s\n' '1 2 3 4 5 6 7' 9 "$(seq -s ' ' 11 57)" '' '31, 32, 33, 34, 35, 36, 37' '2 2 2 2 2 2 2' >lines
mixed() {
  model "$@" --prompt-tokens lines --chunk 16 --tokens 5 --verify --json m.out || fail "mixed: $*"
  holds '.batch == 5 and [.prompts[].length] == [7, 1, 47, 7, 7] and .prefill.steps == 3 and .decode.steps == 4 and
    .prefill.tokens == 69 + 2 + 2 + 2 + 2 and ([.verify[].wrong] | add) == 0 and .tokens == .prompts[0].tokens' m.out
  grep . lines >full
  i=0
  while read -r line; do
    echo "$line" >line
    model "$@" --prompt-tokens line --chunk 16 --tokens 5 --json one.out
    jq -e --slurpfile all m.out ".tokens == \$all[0].prompts[$i].tokens" one.out >/dev/null ||
      fail "mixed: $*: prompt $i: $(jq -c .tokens one.out), not $(jq -c ".prompts[$i].tokens" m.out)"
    i=$((i + 1))
  done <full
}
mixed --model "$DATA/zoo/gpt_oss"
fits run_decode=m.out
mixed --model "$DATA/zoo/gpt_oss" --kv-cache int8
mixed --model "$DATA/zoo/qwen2" --weights w8a8 --config ascend910_die
mixed --model "$DATA/kjv_mla"
mixed --model "$DATA/kjv_mla" --attention fp8
tr ' ' '\n' <line >column   # one prompt, as ever
model --model "$DATA/zoo/qwen2" --prompt-tokens column --tokens 1 --json one.out
holds '(.prompt_tokens | length) == 7 and .batch == 1 and .prompts == null' one.out
for bad in "--batch 3" "--check stages" "--mtp 2"; do
  # shellcheck disable=SC2086
  model --model "$DATA/zoo/qwen2" --prompt-tokens lines $bad 2>err && fail "$bad with prompts of several lengths"
  grep -q 'lines.* 5 prompts' err || fail "$bad: $(cat err)"
done

# A cache in 8 bits, over ends of chunks and blocks, after a past, alone and with windows.
for cache in int8 fp8; do
  family qwen3 '{max_position_embeddings: 2048}' --kv-cache $cache --tolerance 0.1
  holds '.kv_cache == "'$cache'" and .verify.pack.elements > 0 and .verify.unpack.elements > .verify.pack.elements' qwen3.out
  family gpt_oss "{num_local_experts: 4, num_experts_per_tok: 2, $window}" --kv-cache $cache --batch 1 --tolerance 0.1
  for past in 511 512 1; do
    model --model qwen3.json --random-weights --past $past --steps 2 --batch 3 --kv-cache $cache --verify --check stages \
      --tolerance 0.1 --config ascend910_die || fail "$cache: after $past"
  done
done
model --model qwen3.json --timing-only --past 700 --steps 1 --batch 16 --kv-cache int8 --json t.out
holds '.step_cycles > 0 and .kv_cache == "int8" and (.operations | map(.name) | contains(["pack", "unpack"]))' t.out
model --model qwen3.json --random-weights --prompt '1 2 3' --tokens 1 --kv-cache bf16 --json t.out
holds '.kv_cache == "bf16" and (.operations | map(.name) | index("pack") == null)' t.out
jq '.head_dim = 48' qwen3.json >narrow.json
model --model narrow.json --random-weights --prompt 1 --tokens 1 --kv-cache int8 2>err && fail "heads of 48"
grep -q 'kv-cache int8: head_dim 48; the kernel takes multiples of 32' err || fail "heads of 48: $(cat err)"
model --prompt a --tokens 1 --kv-cache int8 2>err && fail "latents in int8"
grep -q 'kv-cache int8: is for models without latents' err || fail "latents: $(cat err)"
model --prompt a --tokens 1 --kv-cache fp8 --json t.out
holds '.attention == "fp8" and .kv_cache == "fp8"' t.out

# Models of transformers: tokens are the reference's up to the first that rounding may change, the loss within 0.02.
for zoo in "$DATA"/zoo/* ${AMALGAM_ZOO:+"$AMALGAM_ZOO"/*}; do
  reference=$zoo/reference.json
  jq -r '.tokens | map(tostring) | join(" ")' "$reference" >tokens
  model --model "$zoo" --prompt-tokens tokens --tokens 24 --verify --json zoo.json
  jq -e --slurpfile run zoo.json '((.margins | map(. < 0.1) | index(true)) // 24) as $sure |
    $run[0].tokens[:$sure] == .greedy[:$sure]' "$reference" >/dev/null || fail "$zoo: $(jq -c .tokens zoo.json)"
  model --model "$zoo" --eval tokens --context 79 --chunk 33 --json loss.json
  jq -e --slurpfile run loss.json '(.loss - $run[0].nats_per_token | fabs) < 0.02' "$reference" >/dev/null ||
    fail "$zoo: loss $(jq .nats_per_token loss.json)"
done

# What would change results is refused by its name; with timing alone it does not matter.
jq '.rope_scaling = {rope_type: "dynamic", factor: 2}' phi3.json >long.json
status=0
model --model long.json --random-weights --prompt 1 --tokens 1 2>err || status=$?
[ $status -eq 2 ] && grep -q 'rope_scaling.*dynamic' err || fail "dynamic: $(cat err)"
model --model long.json --timing-only --past 30 --steps 1 --json long.out
holds '.step_cycles > 0' long.out
jq '.attn_logit_softcapping = 30' gemma3_text.json >soft.json
model --model soft.json --random-weights --prompt 1 --tokens 1 2>err && fail "a softcap is ignored"
grep -q attn_logit_softcapping err || fail "softcap: $(cat err)"
echo "all as expected"
