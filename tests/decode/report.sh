#!/bin/sh
# report models and report decode, shrunk: numbers of parameters are those that the models' makers publish, times add
# up, and each attention over latents is simulated by itself.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

"$SIM" report models --quiet --batch 1 --seq-kv 64 --cores 2 --out r 2>stderr || { cat stderr; exit 1; }
[ ! -s stderr ] || fail "says something with --quiet"
[ "$(find r -type f | wc -l)" -eq 3 ] || fail "other files"
# In billions.
holds '[.memory[] | {(.model): (.weights_gb / 2 * 100 | round / 100)}] | add | del(.["DeepSeek-V3", "DeepSeek-V2", "gpt-oss-120b"]) ==
  {"Qwen3-8B": 8.19, "Llama-3.1-8B": 8.03, "Gemma-3-12B": 11.77, "Qwen3-14B": 14.77, "Qwen3-32B": 32.76, "DeepSeek-V2-Lite": 15.71,
   "gpt-oss-20b": 20.91, "Qwen3-30B-A3B": 30.53, "Mixtral-8x7B": 46.7}' r/models.json
holds '.steps | length == 12 and all(.tokens_per_second > 0 and .hbm_share > 0 and .hbm_share < 1 and
  (.attention_us + .experts_us + .products_us + .vector_us + .launch_us - .step_us | fabs) < 1e-6)' r/models.json
holds '[.layer[].us] | .[1] > .[0]' r/models.json   # launches cost

"$SIM" report decode --quiet --batch 2 --seq-kv 64 --cores 2 --out r 2>stderr || { cat stderr; exit 1; }
holds '[.steps[] | select(.weights == "fp16" and .launch == "step")] | [.[].attention] == ["base", "amla", "fp8"] and
  ([.[].attention_us] | unique | length == 3)' r/decode.json
echo "all as expected"
