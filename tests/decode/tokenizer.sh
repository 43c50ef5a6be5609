#!/bin/sh
# Texts by a folder's tokenizer.json, beside an oracle of its own (tokenizer.py), and tokens that are drawn.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

for kind in gpt2 llama3 qwen gpt_oss deepseek digits; do
  python3 "$ROOT/tests/decode/tokenizer.py" $kind .
  "$TOKENS_OF" tokenizer.json texts >found || fail "$kind: $(tail -1 found)"
  cmp found expected || fail "$kind: other tokens"
done

# In a run: prompts and texts, with those that the file puts before them; what is written is text.
python3 "$ROOT/tests/decode/tokenizer.py" llama3 .
jq -n '{model_type: "llama", vocab_size: 512, hidden_size: 32, intermediate_size: 32, num_hidden_layers: 1,
  num_attention_heads: 2, num_key_value_heads: 1, max_position_embeddings: 512, initializer_range: 0.2}' >config.json
model() { "$SIM" run model --gm c --firmware native --quiet --model . --random-weights "$@"; }
model --prompt "The 漢字 don't<|end|>" --tokens 9 --json a.json
printf "The 漢字 don't<|end|>\0" >text
"$TOKENS_OF" tokenizer.json text | jq -R 'split(" ") | map(tonumber)' >tokens.json
jq -e --slurpfile t tokens.json '.prompt_tokens == $t[0]' a.json >/dev/null || fail "$(jq -c .prompt_tokens a.json)"
holds '.prompt == "<|begin|>The 漢字 don'"'"'t<|end|>" and (.text | type) == "string"' a.json
fits run_decode=a.json
printf "The 漢字 don't<|end|>" >text
model --eval text --json e.json
holds '.nats_per_token > 0' e.json
echo '1, 2 3' >numbers
model --eval numbers --json n.json
holds '.nats_per_token > 0' n.json

# Drawn tokens are those of the seed; one candidate is the best token.
model --prompt The --tokens 20 --json best.json
model --prompt The --tokens 20 --temperature 0.9 --top-k 1 --json one.json
holds '.[0].tokens == .[1].tokens' best.json one.json
model --prompt The --tokens 20 --temperature 1.5 --top-k 40 --top-p 0.9 --seed 3 --json s3.json
model --prompt The --tokens 20 --temperature 1.5 --top-k 40 --top-p 0.9 --seed 3 --json again.json
holds '.[0].tokens == .[1].tokens and .[0].tokens != .[2].tokens' s3.json again.json best.json
holds '.sampling == {temperature: 1.5, top_k: 40, top_p: 0.9, seed: 3}' s3.json
fits run_decode=s3.json

# What is not understood is refused where there is a text, and numbers are taken all the same.
refused() {  # EXPRESSION EXPECTED
  jq "$1" tokenizer.json >t && mkdir -p other && cp config.json other && cp t other/tokenizer.json
  status=0
  "$SIM" run model --model other --random-weights --prompt The --tokens 1 2>err >/dev/null || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -- "$2" err || fail "$1: $(cat err)"
}
refused '.model.type = "Unigram"' 'model.type is "Unigram"; expected "BPE"'
refused '.normalizer = {type: "NFKC"}' 'normalizer is'
refused '.pre_tokenizer = {type: "Metaspace"}' 'pre_tokenizer is "Metaspace"'
refused '.pre_tokenizer.pretokenizers[0].pattern.Regex = "(?<x>a)"' 'a group that is not known'
refused '.model.merges += ["no such"]' 'model.merges is "no such"'
refused '.model.vocab.x = -1' "a token's number is -1"
"$SIM" run model --gm c --firmware native --quiet --model other --random-weights --prompt '1, 2' --tokens 1 ||
  fail "numbers beside a tokenizer that is not understood"
echo "all as expected"
