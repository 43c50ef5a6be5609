#!/bin/sh
# No wait of the firmware gemm can be removed unnoticed, see remove_waits.sh.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ./remove_waits.sh

run() { timeout 60 "$GEMM" "$dir/gemm.so" "$@" >/dev/null 2>>"$dir/log"; }

# Between them these shapes reach every wait: pieces of b that stay and that pass, halves and
# quarters of L0C, more than one core.
passes() { run 400 600 300 && run 400 600 900 && run 300 400 200 f16 cores=2; }

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/gemm.so" "$dir/sw/kernels/gemm/gemm.c" \
    "$dir"/sw/hal/*.c
}

remove_waits 9 "$dir"/sw/kernels/gemm/gemm.c "$dir"/sw/kernels/gemm/gemm_[ilmp]*.h "$dir/sw/lib/ring.h"
