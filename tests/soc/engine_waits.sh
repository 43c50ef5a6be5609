#!/bin/sh
# Removes every wait and barrier of the engines' firmware, one at a time, and expects each mutant to be
# caught: the model reports a race, an unbalanced flag or a deadlock, or a bit is wrong.  Then whole
# handshakes, waits and sets, which leaves no flag unbalanced: a race is all there is to see.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"

run() { timeout 60 "$KERNEL" "$dir/engine.so" native=1 d=16 "$@" >/dev/null 2>>"$dir/log"; }

# Between them these shapes reach every wait: several chunks with two places for keys and with one,
# several units, masks, tiles.
passes() {
  run heads=4 kv_heads=2 tokens=9 keys=70 chunk=16 rows=64 buffer_kb=4 causal=1 &&
    run heads=2 tokens=5 keys=100 chunk=64 rows=64 mask=1 &&
    run heads=6 kv_heads=3 keys=20 chunk=24 rows=64 engines=2 queries=4
}

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/engine.so" \
    "$dir/sw/kernels/engine.c" "$dir"/sw/hal/*.c
}

: >"$dir/log"
build
passes || { cat "$dir/log"; echo "the unchanged kernel fails"; exit 1; }

mutants=0
missed=0
expect_caught() {   # expect_caught NAME WORD: with the file as it is now; WORD is in the message
  mutants=$((mutants + 1))
  : >"$dir/log"
  build
  if passes || ! grep -q "$2" "$dir/log"; then
    echo "MISSED $1"
    missed=$((missed + 1))
  else
    echo "caught $1: $(head -1 "$dir/log" | cut -c 1-100)"
  fi
}

for file in "$dir/sw/kernels/engine.c" "$dir/sw/lib/ring.h"; do
  cp "$file" "$dir/original"
  for line in $(grep -nE '^[[:space:]]+[a-z_]*(wait|barrier|drain)[a-z_]*\(.*\);' "$file" |
    cut -d: -f1); do
    sed -i "${line}s/[a-z_]*\(wait\|barrier\|drain\)[a-z_]*(.*);/;/" "$file"
    expect_caught "${file##*/}:$line $(sed -n "${line}p" "$dir/original")" ''
    cp "$dir/original" "$file"
  done
done
waits=$mutants

# "full" of the queries is not among them: "full" of the keys behind them says the same.
file=$dir/sw/kernels/engine.c
cp "$file" "$dir/original"
for flag in 'kv full' 'kv free' 'q free' 'out full' 'out free'; do
  ring=${flag% *} way=${flag#* }
  sed -i "s/ring_\(wait\|set\)_$way(&plan->$ring,.*);/;/" "$file"
  [ "$way" = full ] || sed -i "s/ring_\(open\|drain\)(&plan.$ring);/;/" "$file"
  expect_caught "no '$way' of $ring" 'race in'
  cp "$dir/original" "$file"
done
echo "$waits waits removed one at a time, $((mutants - waits)) handshakes; $missed missed"
[ "$waits" -ge 11 ] && [ "$missed" -eq 0 ]
