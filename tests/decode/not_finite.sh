#!/bin/sh
# Logits that are not finite: exit code 1 whatever was asked for, and the operation and layer where infinities and NaNs
# begin. What the kernel and the contract compute of them agrees.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

model=$DATA/kjv_mla
length=$(od -A n -t u8 -N 8 "$model/model.safetensors" | tr -d ' ')
head -c $((8 + length)) "$model/model.safetensors" | tail -c "$length" >header.json

# bent DIR TENSOR BITS: the shipped model with all of a tensor's BF16 numbers but the last one changed, in octal; the last
# one alone with a fourth argument.
bent() {
  mkdir "$1"
  cp "$model/config.json" "$1"
  cp "$model/model.safetensors" "$1"
  chmod u+w "$1/model.safetensors"
  begin=$(jq ".\"$2\".data_offsets[0]" header.json) end=$(jq ".\"$2\".data_offsets[1]" header.json)
  [ $# -eq 3 ] || begin=$((end - 4))
  # shellcheck disable=SC2059
  for _ in $(seq $(((end - begin) / 2 - 1))); do printf "$3"; done |
    dd of="$1/model.safetensors" bs=65536 seek=$((8 + length + begin)) oflag=seek_bytes conv=notrunc status=none
}

# lost MODEL FROM FIRST ARGS...
lost() {
  dir=$1 from=$2 first=$3 status=0
  shift 3
  "$SIM" run decode --model "$dir" --gm c --firmware native --json r.json "$@" >text 2>err || status=$?
  [ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "$dir $*: $status $(cat err)"
  grep -q "^amalgam: logits are not finite, first those of $first; infinities or NaNs begin with $from\$" err ||
    fail "$dir $*: $(cat err)"
  grep -q "^overflow [0-9]* rows\\? of logits not finite, first of $first; .* with $from\$" text || fail "$dir $*: $(cat text)"
  ! grep -qiw 'nan\|inf' text || fail "$dir $*: a NaN in the text"
  holds ".not_finite | .rows > 0 and .first == \"$first\" and .from == \"$from\"" r.json
}

bent norm model.layers.1.input_layernorm.weight '\300\177' one
bent large model.layers.0.post_attention_layernorm.weight '\200\104'   # 1024: SwiGLU overflows FP16
for attention in amla base fp8; do
  lost norm 'attention_norm of layer 1' 'token 1' --tokens 2 --attention $attention --verify
  holds '(.verify | map(.wrong) | add) == 0' r.json
done
holds '.tokens | length == 2' r.json
lost large 'swiglu of layer 0' 'token 1' --tokens 1
lost large 'swiglu of layer 0' 'step 1' --past 20 --steps 1
lost norm 'attention_norm of layer 1' 'prediction 1' --eval "$DATA/kjv_val.txt" --windows 2 --context 20
holds '.nats_per_token == null and .nats_by_window == [null, null]' r.json
"$SIM" run decode --model norm --gm c --firmware native --tokens 2 --allow-overflow --json r.json >text
grep -q '^overflow .* attention_norm of layer 1 (--allow-overflow)$' text || fail "--allow-overflow: $(cat text)"
holds '.not_finite.rows > 0' r.json
"$SIM" run decode --gm c --firmware native --tokens 1 --json r.json --quiet
holds 'has("not_finite") | not' r.json

# The byte-level model, on the host and on engines.
for how in '--attention fp32' '--attention fa2 --impl c'; do
  size=$(wc -c <"$DATA/kjv_lm_bf16.bin")
  cp "$DATA/kjv_lm_bf16.bin" lm.bin
  chmod u+w lm.bin
  printf '\300\177' | dd of=lm.bin bs=1 seek=$((size * 2 / 20 * 2)) conv=notrunc status=none
  for what in '--prompt abc --tokens 2' "--eval $DATA/kjv_val.txt --windows 2 --context 30"; do
    status=0
    # shellcheck disable=SC2086
    "$SIM" run lm --model lm.bin $how $what --json r.json >text 2>err || status=$?
    [ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] &&
      grep -q 'logits are not finite, first those of \(byte\|window\) 1; .* begin with keys of layer 2$' err ||
      fail "lm $how $what: $status $(cat err)"
    holds '.not_finite.rows > 0' r.json
    # shellcheck disable=SC2086
    "$SIM" run lm --model lm.bin $how $what --allow-overflow >allowed || fail "lm $how $what --allow-overflow: exit code $?"
    grep -q '^overflow .* keys of layer 2 (--allow-overflow)$' allowed || fail "lm $how $what: $(cat allowed)"
    ! grep -qiw 'nan\|inf' text || fail "lm $how $what: a NaN in the text"
  done
done
echo "all as expected"
