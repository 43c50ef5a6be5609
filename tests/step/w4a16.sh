#!/bin/sh
# W4A16 of a step, in every bit as the contract's C loops have it: products with their own rows and with those of experts,
# which may have none, few or all of them; zero points of all kinds, ragged edges; on RV64 and natively, with the same commands;
# again and again in one list. Weights that nobody needs are not read.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0

run() {   # run FIRMWARE ARGS...
  firmware=$FIRMWARE/$1
  shift
  "$STEP_W4A16" "$firmware" "$@" >"$dir/out" || { echo "failed: w4a16 $firmware $*"; cat "$dir/out"; exit 1; }
  count=$((count + 1))
}
commands() { sed -n 's/ commands.*//p' "$dir/out"; }
check() {
  run step_amla.elf "$@"
  riscv=$(commands)
  run step_amla.so "$@"
  [ "$(commands)" = "$riscv" ] || { echo "RV64 pushes other commands: w4a16 $*"; exit 1; }
}

# One product: edges of the tiling, kinds of zero points, scales for odd numbers of rows.
check m=1 n=8 k=16 group=16 times=3
check m=33 n=264 k=640 zeros=1
check m=7 n=72 k=128 f32=1 pad=3
check m=2 n=192 k=128 tile=128 zeros=1
check m=2 n=320 k=128 tile=256
check m=3 n=72 k=600 group=60 tile=64 zeros=1 times=2
check m=17 n=200 k=516 group=43 tile=64 unsigned=1 config=ascend910_die cores=2
check m=5 n=328 k=206 group=2 tile=64 zeros=1 rows=32
check m=150 n=520 k=640 tile=256 zeros=1 f32=1 config=ascend910_die cores=3
check m=9 n=320 k=1152 tile=64 zeros=2 times=2 config=ascend910_die cores=4 gm=rtl

# Several, with as many rows each.
check groups=3 m=5 n=136 k=256 zeros=2 unsigned=1 f32=1
check groups=2 m=150 n=200 k=640 zeros=2 tile=64 pad=1
check groups=5 m=2 n=72 k=384 zeros=1 times=3 config=ascend910_die cores=3

# Experts: any, with more and fewer units than cores; all tokens go to the same ones; none is here; one has one row.
for spread in 0 1 2 3; do
  check groups=8 tokens=30 top=2 n=200 k=384 zeros=1 first=3 spread=$spread times=2 pad=$spread config=ascend910_die cores=5
  check groups=8 tokens=150 top=2 n=136 k=256 first=0 spread=$spread tile=64
done
check groups=64 tokens=32 top=6 n=72 k=128 zeros=1 tile=64 config=ascend910
check groups=512 tokens=3 top=8 n=64 k=128 tile=64 config=ascend910_die

# No cycle depends on the arithmetic or on the host's threads.
run step_amla.elf groups=8 tokens=30 top=2 n=200 k=384 zeros=1 first=3 config=ascend910_die cores=5 threads=1
cycles=$(sed -n 's/ cycles.*//p' "$dir/out")
run step_amla.elf groups=8 tokens=30 top=2 n=200 k=384 zeros=1 first=3 config=ascend910_die cores=5 threads=3 timing=1
[ "$(sed -n 's/ cycles.*//p' "$dir/out")" = "$cycles" ]
echo "$count runs, no bit differs"
