#!/bin/sh
# Waveforms: a run with them has the cycles and bits of one without, and the file is an FST (its
# first block is a header: type 0, 329 bytes) that is there only if it was asked for.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
run() { "$SIM" run amla --heads 8 --seq-kv 1100 --dist normal:1 --verify --quiet "$@"; }
cut_host() { sed '/"host"/,$d' "$1" | sed '/"set"/d'; }

run --json plain.json --out plain.npy
run --json traced.json --out traced.npy --trace waves.fst
cmp plain.npy traced.npy
[ "$(cut_host plain.json)" = "$(cut_host traced.json)" ]
[ "$(od -An -tx1 -N9 waves.fst | tr -d ' \n')" = 000000000000000149 ] || { echo "not an FST"; exit 1; }
[ "$(wc -c <waves.fst)" -gt 10000 ]
! run --gm c --trace none.fst 2>error
grep -q -e '--trace' error
[ ! -e none.fst ]
echo "$(wc -c <waves.fst) bytes of waveforms, nothing else changed"
