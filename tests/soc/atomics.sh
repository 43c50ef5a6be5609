#!/bin/sh
# What an atomic operation of the memory changes, and what it leaves alone: rows that begin and end at any
# word of a beat, in Verilog, with waveforms and without, and in the C model.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
count=0
for op in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  set -- "1 0" "1 15" "2 15" "15 1" "16 0" "16 5" "31 2" "33 0" "59 16" "75 0"
  [ "$op" -lt 5 ] || set -- "31 $op"
  for shape; do
    words=${shape% *} first=${shape#* }
    "$ATOMICS" "$op" "$words" "$first" .
    rm -f ./*.json
    traced=
    [ "$first" = 0 ] || [ "$op" = 4 ] || [ "$op" -gt 6 ] || traced="--gm rtl --trace t.fst --trace-scope slice0.*"
    for how in "--gm rtl" "--gm c" ${traced:+"$traced"}; do
      # shellcheck disable=SC2086
      "$SIM" run custom --firmware "$FIRMWARE/tests/atomics.elf" --in base.npy --in operands.npy \
        --out-shape 3,75 --out-type i4 --param "$op" --param "$words" --param "$first" --expect want.npy \
        $how --json "$(echo "$how" | tr -dc a-z).json" --quiet >out 2>&1 ||
        { cat out; echo "FAILED: operation $op on $words words from $first on, $how"; exit 1; }
      count=$((count + 1))
    done
    cycles=$(jq .cycles ./*.json | sort -u | wc -l)
    [ "$cycles" -eq 1 ] || { echo "FAILED: cycles differ, operation $op, $shape"; exit 1; }
  done
done
echo "$count runs"
