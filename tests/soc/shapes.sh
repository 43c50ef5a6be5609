#!/bin/sh
# Shapes and values at the edges, each equal to the contract's C loops in every bit.
# SPDX-License-Identifier: Apache-2.0
set -eu
count=0
check() {
  for kernel in amla base; do
    "$SIM" run $kernel "$@" --gm c --out-f32 --verify --golden none --quiet ||
      { echo "failed: run $kernel $*"; exit 1; }
    count=$((count + 1))
  done
}

for heads in 1 2 15 16 17 33 127 128; do
  check --heads $heads --seq-kv 1100 --dist normal:1 --seed $heads
done
for keys in 1 15 16 17 511 512 513 1024 1537; do
  check --heads 16 --seq-kv $keys --dist normal:2 --seed $keys
done
check --heads 128 --seq-q 2 --seq-kv 1700 --dist normal:1
check --heads 128 --seq-q 2 --seq-kv 1700 --dist uniform:60 --causal
check --heads 5 --seq-q 7 --seq-kv 600 --dist normal:5 --causal
check --heads 3 --seq-q 9 --seq-kv 5 --dist normal:1 --causal
check --heads 8 --seq-kv 900 --dk 40 --dv 7 --dist normal:1
check --heads 8 --seq-kv 900 --dk 129 --dv 33 --dist normal:1
check --heads 20 --seq-kv 1000 --kv-block 48 --dist normal:1
check --heads 20 --seq-kv 1000 --kv-block 256 --dist normal:1 --softmax-scale 0.5
check --heads 20 --seq-kv 700 --batch 3 --dist normal:1
check --heads 20 --seq-q 2 --seq-kv 1111 --causal --split-kv 2 --row-sum tree
for preload in 0 1 2; do
  check --heads 128 --seq-kv 2500 --preload $preload --dist normal:1
  check --heads 20 --seq-q 2 --seq-kv 900 --batch 2 --preload $preload --dist normal:1
done

# Groups of rows: the grouping and the number of cores must not show in any bit.  --cores takes a
# config that has them.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
check_cores() { check --config ascend910_die "$@"; }
same() {   # same KERNEL FILE.npy ARGS...
  kernel=$1 file=$2
  shift 2
  "$SIM" run "$kernel" --config ascend910_die "$@" --gm c --verify --golden none --quiet \
    --out "$dir/$file.npy"
  count=$((count + 1))
}
for kernel in amla base; do
  same $kernel one --heads 100 --seq-q 3 --seq-kv 900 --dist normal:2 --causal
  same $kernel three --heads 100 --seq-q 3 --seq-kv 900 --dist normal:2 --causal --group-rows 64 \
    --cores 3
  cmp "$dir/one.npy" "$dir/three.npy"
  same $kernel split --heads 16 --seq-kv 3000 --dist normal:2 --split-kv 3
  same $kernel split_cores --heads 16 --seq-kv 3000 --dist normal:2 --split-kv 3 --cores 5
  same $kernel whole --heads 16 --seq-kv 3000 --dist normal:2 --out-f32
  same $kernel split_f32 --heads 16 --seq-kv 3000 --dist normal:2 --out-f32 --split-kv 3
  cmp "$dir/split.npy" "$dir/split_cores.npy"
  ! cmp -s "$dir/whole.npy" "$dir/split_f32.npy" || { echo "FAILED: N is not in the last bits"; exit 1; }
done
check_cores --heads 300 --seq-kv 600 --cores 4 --group-rows 16 --batch 2
check_cores --heads 9 --seq-q 33 --seq-kv 700 --causal --group-rows 240 --cores 2 --preload 1

# Splits: a ragged last block, more splits than blocks, rows that see no key of a split or none at
# all, one for each core.
check --heads 16 --seq-kv 1537 --split-kv 2 --dist normal:5
check --heads 3 --seq-q 9 --seq-kv 40 --kv-block 16 --causal --split-kv 64
check --heads 2 --seq-q 60 --seq-kv 50 --kv-block 16 --causal --split-kv 3
check_cores --heads 100 --seq-q 3 --seq-kv 2600 --cores 24 --split-kv auto --batch 2
check_cores --heads 128 --seq-kv 2600 --cores 7 --split-kv auto --preload 0

# Tilings and buffers.
for tiling in single tuned; do
  check --heads 128 --seq-q 2 --seq-kv 1700 --tiling $tiling
  check --heads 70 --seq-kv 1100 --tiling $tiling --batch 2 --causal
  check --heads 130 --seq-kv 1000 --dk 500 --dv 130 --kv-block 400 --tiling $tiling --preload 1
done
check --heads 130 --seq-kv 1700 --tiling tuned --kv-buffers 2
check --heads 70 --seq-kv 1700 --tiling tuned --kv-buffers 6
for tiling in paper tuned; do
  check --heads 128 --seq-q 2 --seq-kv 1700 --tiling $tiling --qp-buffers separate --kv-buffers 6 \
    --set cube.l1_kb=1024
done

# Rows that need no rescale are left out: less traffic and no more cycles.
cycles_of() { jq .cycles "$1"; }
atomic_of() { jq .traffic.atomic_bytes "$1"; }
for rescale in element row; do
  for gm in rtl c; do
    set -- --heads 128 --seq-kv 4096 --rescale $rescale --gm $gm --verify --golden none --quiet
    "$SIM" run amla "$@" --json "$dir/all.json"
    "$SIM" run amla "$@" --skip-noop --json "$dir/$gm.json"
    [ "$(atomic_of "$dir/$gm.json")" -lt "$(atomic_of "$dir/all.json")" ]
    [ "$(cycles_of "$dir/$gm.json")" -le "$(cycles_of "$dir/all.json")" ]
  done
  [ "$(cycles_of "$dir/rtl.json")" = "$(cycles_of "$dir/c.json")" ]
done

refuses() {   # refuses WORD ARGS...
  word=$1
  shift
  status=0
  "$SIM" run amla "$@" >"$dir/refused" 2>&1 || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <"$dir/refused")" -eq 1 ] && grep -q -e "$word" "$dir/refused" ||
    { echo "not refused as it should be: $*"; cat "$dir/refused"; exit 1; }
}
refuses 'cube.l1_kb = 1008' --qp-buffers separate --kv-buffers 6
refuses 'cube.l1_kb = 540' --tiling tuned --kv-buffers 7
refuses kv-buffers --tiling single --kv-buffers 2
refuses group-rows --group-rows 40
refuses split-kv --split-kv 65
refuses split-kv --split-kv some

for seed in 1 2 3; do
  "$SIM" run amla --heads 30 --seq-kv 3000 --rescale row --seed $seed --dist normal:3 --gm rtl \
    --out-f32 --verify --golden none --quiet
done
echo "$count runs and 3 by row: no bit differs"
