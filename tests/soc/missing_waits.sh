#!/bin/sh
# Removes every wait of the attention firmware, one at a time, and expects each mutant to be caught:
# the model reports a race, an unbalanced flag or a deadlock, or the result has wrong bits.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"

run() {   # run KERNEL OPTIONS...
  timeout 60 "$SIM" run "$@" --dist normal:1 --gm c --firmware "$dir/$1.so" --out-f32 --verify \
    --golden none --quiet >/dev/null 2>>"$dir/log"
}

# Between them these shapes reach every wait: one and two row tiles, several blocks, a ragged end,
# both ways to rescale, a second batch entry, splits, a group that leaves a vector core without rows.
passes() {
  run amla --heads 40 --seq-kv 2100 --preload 2 &&
    run amla --heads 70 --seq-q 3 --seq-kv 1600 --preload 1 --rescale row --batch 2 &&
    run amla --heads 150 --seq-kv 500 --kv-block 128 --group-rows 64 &&
    run base --heads 70 --seq-q 3 --seq-kv 2100 --preload 2 &&
    run base --heads 20 --seq-kv 700 --kv-block 128 --split-kv 4 --config ascend910_die --cores 2
}

build() {
  for kernel in amla base; do
    "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/$kernel.so" \
      "$dir/sw/kernels/$kernel.c" "$dir"/sw/kernels/attention_*.c "$dir"/sw/lib/*.c "$dir"/sw/hal/*.c
  done
}

: >"$dir/log"
build
passes || { cat "$dir/log"; echo "the unchanged kernels fail"; exit 1; }

mutants=0
missed=0
for file in "$dir"/sw/kernels/amla.c "$dir"/sw/kernels/base.c "$dir"/sw/kernels/attention_*.c \
  "$dir"/sw/lib/*.h; do
  for line in $(grep -nE '^[[:space:]]+[a-z_]*wait[a-z_]*\(.*\);' "$file" | cut -d: -f1); do
    cp "$file" "$dir/original"
    sed -i "${line}s/[a-z_]*wait[a-z_]*(.*);/;/" "$file"
    mutants=$((mutants + 1))
    : >"$dir/log"
    build
    if passes; then
      echo "MISSED ${file##*/}:$line $(sed -n "${line}p" "$dir/original")"
      missed=$((missed + 1))
    else
      echo "caught ${file##*/}:$line: $(head -1 "$dir/log" | cut -c 1-100)"
    fi
    cp "$dir/original" "$file"
  done
done
echo "$mutants waits removed one at a time, $missed missed"
[ "$mutants" -ge 20 ] && [ "$missed" -eq 0 ]
