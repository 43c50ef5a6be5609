#!/bin/sh
# `run model` on models with configurations in all published forms and with odd sizes, beside a reference of their own
# (reference.py): logits of a window in chunks, each operation bit for bit and beside the walk in FP64.
# CASES: which of them, empty: all, and then prompts of several entries, too. SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

model() { "$SIM" run model --gm c --firmware native --quiet "$@"; }
reference="$ROOT/tests/decode/reference.py"

# near NAME MEDIAN LARGEST
near() {
  error=$(python3 "$reference" --compare "$1" logits.npy)
  awk "BEGIN { split(\"$error\", e); exit !(e[1] < $2 && e[2] < $3) }" ||
    fail "$1: relative errors of logits (median, largest): $error"
}

# window NAME CHUNK
window() {
  model --model "$1" --eval "$1/tokens" --context 44 --chunk "$2" --logits logits.npy --verify --check stages \
    --json "$1.json" || fail "$1: verify or check"
  near "$1" 1e-2 5e-2
}

# A folder in 8-bit integers, multiplied as they are.
integers() {
  model --model "$1" --eval "$1/tokens" --context 44 --weights w8a8 --logits logits.npy --verify ||
    fail "$1: w8a8: verify"
  near "$1" 5e-2 1e-1
}

# prompts NAME BATCH CHUNK
prompts() {
  model --model "$1" --prompt-tokens "$1/tokens" --tokens 3 --batch "$2" --chunk "$3" --verify --json p.json ||
    fail "$1: $2 prompts in chunks of $3"
}

for name in ${CASES:-$(python3 "$reference" --list)}; do
  python3 "$reference" "$name" "$name"
  window "$name" 17
  case $name in *_s8) integers "$name" ;; esac
  if [ -z "${CASES:-}" ]; then
    window "$name" 44
    prompts "$name" 16 15
    prompts "$name" 3 45
    prompts "$name" 2 1
  fi
done

# Keys that nobody reads are told.
"$SIM" run model --gm c --firmware native --model "${name:?}" --prompt 1 --tokens 1 >plain
! grep -q '^skipped' plain || fail "skipped: $(cat plain)"
jq '(.text_config // .) += {num_nextn_predict_layers: 1, unheard_of: "x"}' "$name/config.json" >c.json
mv c.json "$name/config.json"
"$SIM" run model --gm c --firmware native --model "$name" --prompt 1 --tokens 1 --json s.json >told
grep -q '^skipped  of config.json: num_nextn_predict_layers, unheard_of$' told || fail "nothing is said: $(cat told)"
holds '.model.skipped == "num_nextn_predict_layers, unheard_of"' s.json
fits run_decode=s.json
echo "all as expected"
