#!/bin/sh
# The engines' kernel over many shapes: every bit equal to the golden attention, with the engines in
# Verilog and with the C model of their control, by RISC-V and by native firmware; and the same cycles
# with Verilog and without, in every launch and every time. What differs in the arithmetic alone takes one shape in $step,
# and Verilog under RISC-V firmware and two machines in a process one in $all_ways; with LARGE=1 each, and engines, too,
# that take long to build.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0

run() {   # run OUTPUT elf|so name=value...
  output=$1 firmware=$2
  shift 2
  native=0
  [ "$firmware" = so ] && native=1
  count=$((count + 1))
  "$ENGINE_KERNEL" "$FIRMWARE/engine.$firmware" native=$native "$@" >"$dir/output" 2>&1 ||
    { echo "failed: engine_kernel engine.$firmware native=$native $*"; cat "$dir/output"; exit 1; }
  grep '^cycles ' "$dir/output" >"$dir/$output"
}

same() {   # same OUTPUT OUTPUT
  cmp -s "$dir/$1" "$dir/$2" ||
    { echo "cycles differ, $1 and $2: $machine $shape"; paste "$dir/$1" "$dir/$2"; exit 1; }
}

# In $machine.
check() {
  number=$((number + 1))
  [ $((number % step)) -eq 0 ] || return 0
  # shellcheck disable=SC2086
  run c so $machine rtl=0 "$@"
  # shellcheck disable=SC2086
  run rtl so $machine rtl=1 "$@"
  # shellcheck disable=SC2086
  run again so $machine rtl=0 no_race_check=1 "$@"
  # shellcheck disable=SC2086
  run riscv_c elf $machine rtl=0 "$@"
  shape="$*"
  same c rtl
  same c again
  if [ $((number % all_ways)) -eq 0 ]; then
    # shellcheck disable=SC2086
    run riscv_rtl elf $machine rtl=1 "$@"
    same riscv_c riscv_rtl
    # shellcheck disable=SC2086
    run one_process so $machine rtl=1 machines=2 "$@"
    cat "$dir/rtl" "$dir/c" >"$dir/both"
    same both one_process
  fi
}

# What every machine does; it holds $1 keys, $2 of them in a chunk of half its SRAM.
every() {
  all=$1 half=$2
  check keys=1 chunk="$half"
  check keys=1 chunk=1 tokens=3 heads=2
  check keys=7 chunk=1 tokens=2 causal=1
  for keys in $((half - 1)) "$half" $((half + 1)) $((3 * half - 5)); do
    check keys="$keys" chunk="$half" tokens=3 heads=2
  done
  check keys=$((all + 1)) chunk="$all" tokens=5 heads=4 kv_heads=2   # one place for keys
  check keys=$((2 * all)) chunk=$((all - all / 8)) heads=2           # likewise
  check keys=$((2 * all + 3)) chunk=$((half - 3)) heads=4 kv_heads=1 tokens=3 causal=1
  check keys=19 chunk=8 tokens=19 causal=1 heads=4 kv_heads=2 engines=2
  check keys=$((half + 9)) chunk="$half" tokens=6 causal=1 decode=4 heads=4 kv_heads=1 seed=2
  check keys=21 chunk=8 tokens=21 causal=1 heads=4 kv_heads=2 special=1   # poison, carried on
  check keys=13 chunk=24 decode=13 heads=4 kv_heads=2 engines=4   # more engines than units
  check keys=37 chunk=16 tokens=5 heads=2 mask=1 decode=1
  check keys=$((half + 1)) chunk="$half" tokens=9 mask=1 heads=4 kv_heads=1 engines=2
  # Tiles of a few tokens, the last one shorter.
  check keys=29 chunk=8 tokens=11 causal=1 heads=4 kv_heads=2 buffer_kb=4 engines=2
  check keys=21 chunk=8 tokens=7 heads=2 buffer_kb=2 mask=1
}

number=0 step=1 all_ways=3
[ -z "${LARGE:-}" ] || all_ways=1
machine='d=16 blocks=2 queries=1 rows=32'
every 32 16
all_ways=1000000
[ -n "${LARGE:-}" ] || step=4
machine='d=16 blocks=2 queries=1 rows=32 corrected=1'
every 32 16
machine='d=16 blocks=2 queries=1 rows=32 fa2=1'
every 32 16
[ -n "${LARGE:-}" ] || step=2
machine='d=16 blocks=1 queries=4 rows=48'
every 48 24
if [ -n "${LARGE:-}" ]; then
  machine='d=32 blocks=2 queries=4 rows=64 corrected=1'
  every 64 32
  machine='d=16 blocks=4 queries=4 rows=64 fa2=1'
  every 64 32
fi

# The default machine, and four times as many keys as it holds.
step=1 all_ways=1
machine='d=64 blocks=4 queries=1 rows=1024'
check keys=100 chunk=128 tokens=4 causal=1 heads=4 kv_heads=2 engines=4
check keys=1030 chunk=1024 tokens=2 decode=1
check keys=4096 chunk=512 tokens=32 causal=1
check keys=4096 chunk=1024 tokens=8 mask=1 heads=2 engines=2
echo "$count runs: all bits equal, and all cycles"
