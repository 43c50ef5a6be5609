#!/bin/sh
# --bus axi: the same bits as without, in a few cycles more; masks, limits, several chunks with carries between.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

# 9 queries, 70 keys of which 32 fit; the engine of the testbenches.
shape="--head-dim 4 --blocks 2 --queries 2 --rows 32 --seq-q 9 --seq-kv 70 --verify --quiet"
for kernel in hfa fa2; do
  for mask in "" --causal; do
    # shellcheck disable=SC2086
    "$SIM" run $kernel $shape $mask --out alone.npy --json alone.json
    # shellcheck disable=SC2086
    "$SIM" run $kernel $shape $mask --bus axi --out bus.npy --json bus.json
    cmp alone.npy bus.npy
    holds '.[0].config.bus == "none" and .[1].config.bus == "axi"' alone.json bus.json
    # The same rows and keys; at most 20 cycles a chunk and 12 a group more, and never fewer.
    holds '.[1].rows == .[0].rows and .[1].keys == .[0].keys and .[1].load_cycles == .[0].load_cycles' alone.json bus.json
    holds '.[1].cycles > .[0].cycles and .[1].cycles <= .[0].cycles + 3 * 20 + 12 * .[0].groups' alone.json bus.json
  done
done

# Long groups hide the registers: nothing but the way through the wrapper is left.
long="--head-dim 4 --blocks 2 --queries 2 --rows 32 --seq-q 64 --seq-kv 32 --verify --quiet"
# shellcheck disable=SC2086
"$SIM" run hfa $long --json alone.json
# shellcheck disable=SC2086
"$SIM" run hfa $long --bus axi --json bus.json
holds '.[1].cycles - .[0].cycles <= 16' alone.json bus.json

"$SIM" run hfa --bus axi --impl c >out 2>&1 && fail "a bus of the C model"
grep -q -- '--bus axi: needs --impl rtl' out || fail "$(cat out)"
