#!/bin/sh
# The Verilated engines and their C models give the same losses, texts and cycles.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

same() {   # same OPTIONS...
  for impl in rtl c; do
    "$SIM" run lm "$@" --impl $impl --quiet --json $impl.json
    jq 'del(.host, .engine.impl)' $impl.json >$impl.cut
  done
  cmp rtl.cut c.cut || { echo "FAILED: $*"; exit 1; }
}

# A part of a chunk, more than one, and a key at a time.
same --eval "$DATA/kjv_val.txt" --context 40 --windows 1
same --eval "$DATA/kjv_val.txt" --context 40 --windows 1 --chunk 16 --engines 3
same --prompt "In the beginning " --tokens 6 --chunk 8
echo "3 pairs of runs"
