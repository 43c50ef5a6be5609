#!/bin/sh
# Removes every wait of a kernel's firmware, one at a time, and expects each mutant to be caught:
# the model reports a race, an unbalanced flag or a deadlock, or the result has wrong bits.
# SPDX-License-Identifier: Apache-2.0
set -eu
kernel=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"

run() {   # run SHARED-OBJECT
  for shape in "--heads 40 --seq-kv 2100 --preload 2" "--heads 70 --seq-q 3 --seq-kv 2100 --preload 1 --batch 2"; do
    # shellcheck disable=SC2086
    timeout 60 "$SIM" run "$kernel" $shape --dist normal:1 --gm c --firmware "$1" --out-f32 \
      --verify --no-golden --quiet >/dev/null 2>>"$dir/log" || return $?
  done
}

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/mutant.so" \
    "$dir/sw/kernels/$kernel.c" $(cat "$dir/sources")
}
# Sources the kernel links beside its own file.
for file in "$dir"/sw/kernels/attention_*.c "$dir"/sw/hal/*.c; do
  [ -e "$file" ] && echo "$file"
done >"$dir/sources"

build
run "$dir/mutant.so" || { cat "$dir/log"; echo "the unchanged kernel fails"; exit 1; }

mutants=0
missed=0
for file in "$dir/sw/kernels/$kernel.c" "$dir"/sw/kernels/attention_*.[ch] "$dir"/sw/lib/*.h; do
  [ -e "$file" ] || continue
  for line in $(grep -nE '^[[:space:]]+[a-z_]*wait[a-z_]*\(.*\);' "$file" | cut -d: -f1); do
    cp "$file" "$dir/original"
    sed -i "${line}s/[a-z_]*wait[a-z_]*(.*);/;/" "$file"
    mutants=$((mutants + 1))
    : >"$dir/log"
    if ! build 2>"$dir/cc"; then
      cat "$dir/cc"
      echo "mutant does not build: ${file##*/}:$line"
      missed=$((missed + 1))
    elif run "$dir/mutant.so"; then
      echo "MISSED: ${file##*/}:$line $(sed -n "${line}p" "$dir/original")"
      missed=$((missed + 1))
    else
      echo "caught: ${file##*/}:$line: $(head -c 90 "$dir/log" | head -1)"
    fi
    cp "$dir/original" "$file"
  done
done
echo "$mutants waits removed, $missed missed"
[ "$mutants" -ge 10 ] && [ "$missed" -eq 0 ]
