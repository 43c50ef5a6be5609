#!/bin/sh
# Awkward values: zero columns, offsets of +-1000, values that rescaling takes below the normal
# numbers, masked rows.  Both kernels, both ways to rescale, RTL in the loop: every bit as the
# contract's C loops have it.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for name in $("$VALUES"); do
  "$VALUES" "$name" "$dir"
  for how in "base" "amla" "amla --rescale row" "amla --rescale row --skip-noop" \
    "base --kv-block 16 --split-kv 3" "amla --kv-block 16 --split-kv 5 --skip-noop"; do
    # shellcheck disable=SC2086
    "$SIM" run $how --q "$dir/q.npy" --k "$dir/k.npy" --v "$dir/v.npy" --mask "$dir/mask.npy" \
      --out-f32 --verify --golden none --json "$dir/r.json" --quiet ||
      { echo "failed: $how, $name"; exit 1; }
  done
  echo "$name: no bit differs; guards: $(jq -c .guards "$dir/r.json")"
done
