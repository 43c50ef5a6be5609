#!/bin/sh
# Bad input for `run decode`: exit code 2, one line on stderr that names what is wrong, no output files. And help.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/refused.sh"
always="--json out.json"
models=$(dirname "$DATA")/../model/config/models
printf 'abc' >text
printf 'x' >one
: >empty
printf '1, 2, 3 x' >numbers
mkdir odd big groups
jq '.kv_lora_rank = 500' "$DATA/kjv_mla/config.json" >odd/config.json
jq '.n_group = 32 | .topk_group = 2 | .n_routed_experts = 64 | .topk_method = "group_limited_greedy"' "$DATA/kjv_mla/config.json" >groups/config.json
jq '.kv_lora_rank = 1024' "$DATA/kjv_mla/config.json" >big/config.json

refused "none/config.json: No such file" run decode --model none
refused "model.safetensors" run decode --model odd
refused "config.json: kv_lora_rank 500; the kernel takes multiples of 16" run decode --model odd --random-weights
refused "kv_lora_rank 1024, qk_rope_head_dim 64; the kernel takes at most 512 and 576 together" run decode --model big --random-weights
refused "--attention fp8: takes kv_lora_rank 512" run decode --model big --random-weights --attention fp8
refused "config.json: n_group 32; the kernel takes at most 16" run decode --model groups --random-weights
refused "num_hidden_layers is 3" run decode --layers 4
refused "--experts-here 9: the model has 8" run decode --experts-here 9
refused "cannot go with --experts-here 4 of 8" run decode --experts-here 4 --check stages

# Weights that FP16 does not hold, and one that is no number.
model=$DATA/kjv_mla
length=$(od -A n -t u8 -N 8 "$model/model.safetensors" | tr -d ' ')
head -c $((8 + length)) "$model/model.safetensors" | tail -c "$length" >header.json
for bits in '\300\177' '\200\177' '\000\117'; do   # NaN, infinity, 2^31
  rm -rf bent
  cp -r "$model" bent
  chmod -R u+w bent
  at=$((8 + length + $(jq '."model.layers.1.self_attn.o_proj.weight".data_offsets[0]' header.json) + 200))
  # shellcheck disable=SC2059
  printf "$bits" | dd of=bent/model.safetensors bs=1 seek=$at conv=notrunc status=none
  what="beyond FP16's 65504"
  [ "$bits" != '\300\177' ] || what="not a number"
  for weights in fp16 w4a16; do
    refused "model.layers.1.self_attn.o_proj.weight: a weight is $what; expected ones that FP16 holds" \
      run decode --model bent --weights $weights --tokens 1 --gm c
  done
done

refused "--eval, --prompt: only one of them" run decode --eval text --prompt x
refused "--eval, --prompt-tokens: only one of them" run decode --eval text --prompt-tokens numbers
refused "--prompt, --prompt-tokens: only one of them" run decode --prompt x --prompt-tokens numbers
refused "numbers: a model whose vocabulary is no bytes takes token numbers" run decode --prompt-tokens numbers
refused "--chunk: steps after a past" run decode --chunk 3 --past 3
refused "--attention flash: is for models without latents; this one has some" run decode --attention flash
refused "--windows: needs --eval" run decode --windows 2
refused "--context: needs --eval" run decode --prompt x --context 2
refused "--tokens: needs --prompt" run decode --eval text --tokens 2
refused "--prompt: empty" run decode --prompt ""
refused "--prompt of 1 tokens and --tokens 4096: the model sees at most 4096" run decode --prompt x --tokens 4096
refused "--prompt: steps after a past" run decode --prompt x --past 3
refused "--eval: steps after a past" run decode --eval text --timing-only
refused "--logits: steps after a past" run decode --steps 2 --logits out.npy
refused "none.txt: No such file" run decode --eval none.txt
refused "one: 1 token; expected at least 2" run decode --eval one
refused "empty: 0 tokens" run decode --eval empty
small="--model $models/deepseek-v2-lite.json --random-weights --layers 1"
# shellcheck disable=SC2086
{
  refused "--prompt: missing; the model's vocabulary is no bytes" run decode $small
  refused "--prompt: token 1 is 102400; the model knows 0 to 102399" run decode $small --prompt 1,102400
  refused "--prompt: a model whose vocabulary is no bytes takes token numbers" run decode $small --prompt words
  refused "--prompt: token 0 is none: too large" run decode $small --prompt 99999999999
  refused "numbers: a model whose vocabulary is no bytes" run decode $small --eval numbers
}

refused "--verify: needs values" run decode --timing-only --verify
refused "--check: needs values" run decode --timing-only --check stages
refused "--weights bf16: is for models without latents" run decode --weights bf16
refused "--top-k: needs a --temperature above 0" run decode --top-k 3
refused "--top-p: needs a --temperature above 0" run decode --temperature 0 --top-p 0.5
refused "--top-p: expected more than 0" run decode --temperature 1 --top-p 0
refused "--temperature: needs --prompt" run decode --eval "$DATA/kjv_val.txt" --temperature 1
jq '.head_dim = 24' "$models/llama-3.1-8b.json" >odd.json
refused "config.json: head_dim 24; the kernel takes multiples of 16" run decode --model odd.json --random-weights --layers 1 --prompt 1
refused "--zero-points: needs --weights w4a16" run decode --zero-points
refused "--fp8-scale: needs --attention fp8" run decode --fp8-scale amax
refused "--tolerance: needs --check stages" run decode --tolerance 0.1
refused "--check: expected stages" run decode --check all
refused "--batch 897: the FP8 kernel takes at most 896 entries" run decode --past 1 --batch 897 --attention fp8
refused "--mtp: expected a whole number from 1 to 2" run decode --mtp 3
refused "cube.l1_kb = 256: the kernel needs 512" run decode --set cube.l1_kb=256
refused "soc.engines is 4" run decode --config engines
refused "unexpected argument 'twice'" run decode twice

"$SIM" run decode --help >help
for option in --model --random-weights --layers --experts-here --prompt --prompt-tokens --chunk --tokens --eval --windows --context --past --steps \
  --batch --attention --weights --zero-points --mtp --launch --check --tolerance --verify --logits --l2 --timing-only; do
  grep -q "^  $option" help || { echo "FAILED: --help: no $option"; failed=1; }
done
awk 'length > 130 { exit 1 }' help || { echo "FAILED: a line of --help is too long"; failed=1; }
"$SIM" run decode --past 3 --steps 1 --timing-only >text
grep -q '^parts    memory slices in C, in time alone; firmware for RV64' text || { echo "FAILED: text"; failed=1; }
echo "$tests refused"
exit $failed
