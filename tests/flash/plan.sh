#!/bin/sh
# The sizes that run flash chooses by itself take at most 6 % more cycles than the best that a search finds: blocks of 128,
# 256, 384 and 512 keys, groups of 64, 96, 112 and 128 rows.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

cycles() { "$SIM" run flash "$@" --timing-only --quiet --json r.json && jq .cycles r.json; }

bad=0
while read -r shape; do
  # shellcheck disable=SC2086
  chosen=$(cycles $shape)
  best=$chosen
  sizes=chosen
  for block in 128 256 384 512; do
    for rows in 64 96 112 128; do
      # shellcheck disable=SC2086
      found=$(cycles $shape --kv-block $block --group-rows $rows)
      if [ "$found" -lt "$best" ]; then
        best=$found sizes="blocks of $block, groups of $rows"
      fi
    done
  done
  echo "$shape: $chosen cycles, best $best ($sizes)"
  [ $((chosen * 100)) -le $((best * 106)) ] || bad=$((bad + 1))
done <<'SHAPES'
--heads 1 --seq-q 128 --seq-kv 512
--heads 1 --seq-q 128 --seq-kv 1024
--heads 1 --seq-q 128 --seq-kv 4096
--heads 1 --seq-q 128 --seq-kv 4096 --head-dim 64
--heads 1 --seq-q 128 --seq-kv 4096 --head-dim 256
--heads 4 --seq-q 1000 --config ascend910_die --cores 8
--heads 4 --seq-q 1000 --config ascend910_die --cores 8 --causal
--heads 1 --seq-q 8192 --config ascend910_die
--heads 1 --seq-q 8192 --config ascend910_die --causal
--heads 32 --kv-heads 8 --seq-q 1024 --config ascend910_die --causal
--heads 12 --batch 8 --seq-q 197 --head-dim 64 --config ascend910_die
--heads 32 --kv-heads 8 --seq-q 1 --seq-kv 8192 --batch 4 --config ascend910_die
--heads 32 --kv-heads 8 --seq-q 1 --seq-kv 16384 --split-kv auto --config ascend910_die
SHAPES
[ $bad -eq 0 ] || { echo "$bad shapes are more than 6 % off"; exit 1; }
