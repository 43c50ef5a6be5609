#!/bin/sh
# One result, whichever way: firmware riscv and native, memory rtl and c, must give the same array,
# equal to the contract's C loops in every bit; both memories must give the same cycles.  So must the Verilog cycle
# by cycle in one thread, as it goes where memory may be looked at (--show-on-stop): else it goes many at a time.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cycles_of() { jq .cycles "$1"; }

# Every pipe's commands in order, from a timeline.
commands_of() {
  sed -n 's/.*"tid":\([0-9]*\),.*"n":\([0-9]*\),"command":"\([^"]*\)".*/\1 \2 \3/p' "$1" |
    sort -n -k1,1 -k2,2
}

check() {   # check NAME ARGS...
  name=$1
  shift
  for firmware in riscv native; do
    for gm in rtl c; do
      "$SIM" run "$@" --firmware $firmware --gm $gm --out-f32 --out "$dir/$firmware-$gm.npy" \
        --json "$dir/$firmware-$gm.json" --timeline "$dir/$firmware.trace" --verify --quiet
      cmp "$dir/riscv-rtl.npy" "$dir/$firmware-$gm.npy"
    done
    rtl=$(cycles_of "$dir/$firmware-rtl.json")
    c=$(cycles_of "$dir/$firmware-c.json")
    test -n "$rtl" && test "$rtl" = "$c" || { echo "$name: cycles $rtl (rtl) and $c (c)"; exit 1; }
  done
  "$SIM" run "$@" --firmware native --gm rtl --threads 1 --show-on-stop flags --out-f32 --out "$dir/steps.npy" \
    --json "$dir/steps.json" --quiet
  cmp "$dir/native-rtl.npy" "$dir/steps.npy"
  steps=$(jq -c '[.cycles, .host.rtl_cycles, .guards]' "$dir/steps.json")
  many=$(jq -c '[.cycles, .host.rtl_cycles, .guards]' "$dir/native-rtl.json")
  [ "$steps" = "$many" ] || { echo "$name: $steps cycle by cycle, $many many at a time"; exit 1; }
  commands_of "$dir/riscv.trace" >"$dir/riscv.commands"
  commands_of "$dir/native.trace" >"$dir/native.commands"
  cmp "$dir/riscv.commands" "$dir/native.commands"
  count=$(wc -l <"$dir/native.commands")
  [ "$count" -gt 100 ]
  echo "$name: four runs, one result, $count commands, $rtl cycles with native firmware"
}

check real-amla amla
check real-base base
check groups-splits-amla amla --heads 40 --seq-q 4 --seq-kv 1700 --causal --group-rows 80 \
  --split-kv 2 --config ascend910_die --cores 3
check groups-splits-base base --heads 40 --seq-q 4 --seq-kv 1700 --causal --group-rows 80 \
  --split-kv 2 --config ascend910_die --cores 3
check tuned-amla amla --heads 128 --seq-q 2 --seq-kv 1600 --tiling tuned --skip-noop
check tuned-base base --heads 96 --seq-kv 1600 --tiling tuned
check flash flash --heads 4 --kv-heads 2 --seq-q 150 --seq-kv 600 --causal --head-dim 64 --split-kv 2 --dtype fp16 \
  --config ascend910_die --cores 3
check rescale-row amla --rescale row --heads 48 --seq-q 2 --seq-kv 2000 --dist normal:1
