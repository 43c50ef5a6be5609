#!/bin/sh
# Removes every wait of the gemm firmware, one at a time, and expects each mutant to be caught: the
# model reports a race, an unbalanced flag or a deadlock, or the result has wrong bits.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"

run() { timeout 60 "$GEMM" "$dir/gemm.so" "$@" >/dev/null 2>>"$dir/log"; }

# Between them these shapes reach every wait: pieces of b that stay and that pass, halves and
# quarters of L0C, more than one core.
passes() { run 400 600 300 && run 400 600 900 && run 300 400 200 f16 cores=2; }

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/gemm.so" "$dir/sw/kernels/gemm.c" \
    "$dir"/sw/hal/*.c
}

: >"$dir/log"
build
passes || { cat "$dir/log"; echo "the unchanged kernel fails"; exit 1; }

mutants=0
missed=0
for file in "$dir/sw/kernels/gemm.c" "$dir/sw/lib/ring.h"; do
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
[ "$mutants" -ge 9 ] && [ "$missed" -eq 0 ]
