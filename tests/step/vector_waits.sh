#!/bin/sh
# No wait of the operations on vector cores can be removed unnoticed, see soc/remove_waits.sh.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$SW" "$dir/sw"
. ../soc/remove_waits.sh

# One vector core after the other has more tiles than slots; with few cores each has some.
passes() {
  timeout 100 "$VECTOR" "$dir/step.so" 1 1 "$LISTS" >"$dir/log" 2>&1
}

build() {
  "$CC" -std=c11 -O1 -g -w -fPIC -shared -I"$dir/sw" -o "$dir/step.so" "$dir/sw/kernels/step/step.c" absent.c \
    "$dir"/sw/kernels/step/vector/*.c "$dir"/sw/hal/*.c
}

waits='wait\|read_gm\|routing_read'
remove_waits 30 "$dir"/sw/kernels/step/vector/*.c
