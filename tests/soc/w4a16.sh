#!/bin/sh
# W4A16 and FP16 products on the SoC, in every bit as the contract's C loops have them: slices, ways
# through the machine, zero points, edges of the tiling. Firmware and memory of either kind give the
# same array and cycles; a run without arithmetic takes as long.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
count=0
direct="--path direct --set soc.direct_path=1"
machine="--config ascend910_die --set soc.launch_us=0"

check() {
  # shellcheck disable=SC2086
  "$SIM" run "$@" --gm c --verify --golden full --quiet || { echo "failed: run $*"; exit 1; }
  count=$((count + 1))
}
cycles_of() { jq .cycles "$1"; }

# Slices, alone and with everything else that may differ.
# shellcheck disable=SC2086
for s in 1 2 4 8 16; do
  check w4a16 --split-k $s --seed $s --m 16 --n 512 --k 2048 $machine --cores 3
  for way in "" --overlap "$direct"; do
    for zeros in none integer fraction; do
      check w4a16 --split-k $s --zero-points $zeros $way --m 5 --n 328 --k 1000 --group 40 \
        --nibbles unsigned $machine --cores 4
    done
  done
done

# Edges: one row, one word; more rows than a tile has; slices and groups of odd lengths; scales by
# row and by channel; more cores than tiles.
# shellcheck disable=SC2086
for way in "" --overlap "$direct"; do
  check w4a16 --m 1 --n 8 --k 1 --group 1 --split-k 1 $way
  check w4a16 --m 1 --n 8 --k 7 --group 7 --split-k 7 $way
  check w4a16 --m 131 --n 264 --k 515 --group 103 --split-k 3 $way $machine --cores 2
  check w4a16 --m 17 --n 1000 --k 333 --group 333 --split-k auto $way $machine
  check w4a16 --m 3 --n 72 --k 96 --group 1 --split-k 5 $way $machine --cores 2
  check w4a16 --m 64 --n 136 --k 1030 --group 2 --split-k 64 --zero-points fraction $way
  check w4a16 --m 70 --n 200 --k 640 --tile-n 64 --mode dataparallel $way $machine --cores 5
  check w4a16 --m 70 --n 200 --k 640 --tile-n 256 --mode dataparallel $way $machine --cores 5
  check w4a16 --m 33 --n 400 --k 900 --group 300 --out-f32 --split-k 3 $way --config ascend910 \
    --cores 6
  check w4a16 --m 9 --n 400 --k 900 --group 300 --out-f32 --split-k 1 $way
  check w4a16 --m 131 --n 136 --k 1300 --group 100 --split-k 1 $way   # after few rows, many: less of k at a time
done
for m in 1 17 300; do
  check gemm --m $m --n 300 --k 777 --config ascend910_die --cores 4
  check gemm --m $m --n 40 --k 1500 --out-f32
done
check gemm --m 8 --n 1111 --k 600 --l2 cold --config ascend910_die
check w4a16 --m 8 --n 4096 --k 512 --l2 cold --config ascend910_die

# 8-bit integers: rows that are whole in UB, and pieces of long ones; strips that are not full; factors of columns.
for shape in "--m 1 --n 16 --k 32" "--m 37 --n 144 --k 20480 --cores 5" "--m 130 --n 272 --k 8192" "--m 66 --n 48 --k 96 --cores 2"; do
  for how in "" "--dtype bf16 --smooth made-up" "--smooth made-up --out-f32"; do
    # shellcheck disable=SC2086
    check w8a8 $shape $how $machine --seed $count
  done
done

# The shipped data.
for options in "w4a16 --split-k 1" "w4a16 --split-k 16" "w4a16 --mode dataparallel" \
  "w4a16 --overlap" "w4a16 $direct" "gemm"; do
  # shellcheck disable=SC2086
  check $options --tolerance 2.5e-4
done

# One result and one time, whichever firmware, memory, threads; the time without arithmetic.
same() {   # same NAME ARGS...: options of a made-up problem
  name=$1
  shift
  for firmware in riscv native; do
    for gm in rtl c; do
      "$SIM" run "$@" --dist normal:1 --firmware $firmware --gm $gm --out "$dir/$firmware$gm.npy" \
        --json "$dir/$firmware$gm.json" --threads $((1 + count % 3)) --verify --quiet
      cmp "$dir/riscvrtl.npy" "$dir/$firmware$gm.npy"
      count=$((count + 1))
    done
  done
  "$SIM" run "$@" --timing-only --gm c --json "$dir/timing.json" --quiet
  cycles=$(cycles_of "$dir/riscvrtl.json")
  for file in riscvc timing; do
    [ "$(cycles_of "$dir/$file.json")" = "$cycles" ] ||
      { echo "$name: $file takes other cycles than $cycles"; exit 1; }
  done
  [ "$(cycles_of "$dir/nativertl.json")" = "$(cycles_of "$dir/nativec.json")" ]
  echo "$name: $cycles cycles"
}
# shellcheck disable=SC2086
{
  same splitk w4a16 --m 16 --n 600 --k 1024 --split-k 4 $machine --cores 4
  same dataparallel w4a16 --m 16 --n 600 --k 1024 --mode dataparallel $machine --cores 4
  same overlap w4a16 --m 16 --n 600 --k 1024 --split-k 4 --overlap $machine --cores 4
  same direct w4a16 --m 16 --n 600 --k 1024 --split-k 4 $direct $machine --cores 4
  same gemm gemm --m 16 --n 600 --k 1024 $machine --cores 4
}

# The number of cores is in no bit; that of slices is.
for cores in 1 5; do
  "$SIM" run w4a16 --m 8 --n 256 --k 2048 --split-k 8 --dist normal:1 --config ascend910_die \
    --cores $cores --gm c --quiet --out-f32 --out "$dir/cores$cores.npy"
done
cmp "$dir/cores1.npy" "$dir/cores5.npy"
"$SIM" run w4a16 --m 8 --n 256 --k 2048 --split-k 2 --dist normal:1 --gm c --quiet --out-f32 \
  --out "$dir/two.npy"
! cmp -s "$dir/cores1.npy" "$dir/two.npy" || { echo "FAILED: the number of slices is in no bit"; exit 1; }
echo "$count runs, no bit differs"
