#!/bin/sh
# Products of random shapes, layouts, types, slices and tiles, chosen or given, on machines of some cores: every bit as
# the contract's C loops have it. COUNT of them, from SEED on.
# SPDX-License-Identifier: Apache-2.0
set -eu
awk -v count="${COUNT:-40}" -v seed="${SEED:-1}" '
function below(n) { return int(rand() * n) }
function extent(most) { return 1 + int(exp(rand() * log(most)) - rand()) }   # small ones as often as large ones
function one_of(words) { n = split(words, w, " "); return w[1 + below(n)] }
BEGIN {
  # Tiles of two parts, cut either way, with pieces of their own and shared ones.
  print "--m 300 --n 200 --k 700 --tile 256x128 --layout dn"
  print "--m 200 --n 300 --k 700 --tile 128x256 --layout dn"
  print "--m 300 --n 500 --k 700 --tile 176x160 --layout nz --order columns:2 --config ascend910_die --cores 2"
  print "--m 300 --n 200 --k 700 --tile 256x128 --layout dn --dtype s8"
  print "--m 200 --n 300 --k 700 --tile 128x256 --layout dn --dtype s8 --scale made-up --config ascend910_die --cores 2"
  for (i = seed; i < seed + count; i++) {
    srand(i)
    m = extent(900); n = extent(900); k = extent(3000)
    line = "--m " m " --n " n " --k " k " --seed " i " --layout " one_of("nd dn nz") " --dtype " one_of("fp16 bf16 s8")
    integers = line ~ /s8$/
    if (integers && below(2) == 0) line = line " --scale made-up"
    line = line " --firmware " one_of("native riscv")
    if (!integers && below(3) == 0) line = line " --out-f32"
    if (!integers && below(3) == 0) line = line " --split-k " 1 + below(k < 9 ? k : 9)
    rows = 16 * (1 + below(16)); cols = integers ? 64 * (1 + below(4)) : 16 * (1 + below(16)); long = rows > cols ? rows : cols
    short = rows + cols - long; half = int((long / 2 + 15) / 16) * 16
    fits = rows * cols <= 16384 || half * short <= 16384
    depth = integers ? one_of("32 64 96 128 256 320") : one_of("16 64 80 128 256 272")
    if (below(2) == 0 && fits) line = line " --tile " rows "x" cols (below(2) == 0 && (rows + cols) * depth <= 131072 ? "x" depth : "")
    if (below(3) == 0) line = line " --order " one_of("rows columns rows:2 columns:3")
    if (below(4) != 0) line = line " --config ascend910_die --cores " 1 + below(7)
    if (below(4) == 0) line = line " --l2 cold"
    if (below(8) == 0) line = line " --launches 2"
    print line
  }
}' | {
  runs=0
  while read -r options; do
    # shellcheck disable=SC2086
    "$SIM" run gemm $options --gm c --verify --quiet || { echo "FAILED: run gemm $options"; exit 1; }
    runs=$((runs + 1))
  done
  echo "$runs products, no bit differs"
}
