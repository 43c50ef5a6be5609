#!/bin/sh
# Cycles of whole kernels: as many as cycles.txt has, to the cycle. A change of the model or of a kernel that is to
# take other cycles changes that file in the same commit, which
#
#   sh tests/soc/time/cycles.sh --update
#
# does after ./amalgam build (or with the folder of another build in BUILD).
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")"
BUILD=${BUILD:-../../../build}
SIM=${SIM:-$BUILD/amalgam-sim} ENGINE_KERNEL=${ENGINE_KERNEL:-$BUILD/tests/soc/engine_kernel} FIRMWARE=${FIRMWARE:-$BUILD/firmware}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Who built the RV64 firmware, and with which options.
compiler() { grep -a -o 'GNU C[0-9]* [ -~]*' "$FIRMWARE/amla.elf" | head -n 1; }

cycles_of() {
  case $1 in
    run) "$SIM" "$@" --quiet --json "$dir/r.json" && jq .cycles "$dir/r.json" ;;
    *.so) program=$1 && shift && "$ENGINE_KERNEL" "$FIRMWARE/$program" native=1 "$@" >"$dir/out" && sum "$dir/out" ;;
    *) program=$1 && shift && "$ENGINE_KERNEL" "$FIRMWARE/$program" "$@" >"$dir/out" && sum "$dir/out" ;;
  esac
}
sum() { awk '/^cycles / { all += $2 } END { print all }' "$1"; }   # of all launches

while read -r known what; do
  case $known in
    '#') echo "# $what" ;;
    compiler) echo "compiler $(compiler)" ;;
    *)
      # shellcheck disable=SC2086
      echo "$(cycles_of $what) $what" ;;
  esac
done <cycles.txt >"$dir/cycles.txt"

if [ "${1:-}" = --update ]; then
  cat "$dir/cycles.txt"
  cp "$dir/cycles.txt" cycles.txt
  exit
fi
# Lines side by side: what was known, and what it is.
paste -d '\n' cycles.txt "$dir/cycles.txt" | awk '
  NR % 2 { known = $0; cycles = $1; next }
  $1 == "compiler" { share = $0 == known ? 0 : 0.01 }
  $1 == "compiler" || $0 == known { next }
  share > 0 && $1 - cycles <= share * cycles && cycles - $1 <= share * cycles { next }
  { print "known: " known "\nnow:   " $0; bad = 1 }
  END {
    if (NR != 2 * lines || lines < 20) { print "not all of cycles.txt was run"; bad = 1 }
    if (bad) { print "if that is meant: sh tests/soc/time/cycles.sh --update, in the same commit" }
    exit bad
  }' lines="$(wc -l <cycles.txt)" -
echo "$(wc -l <cycles.txt) lines, to the cycle"
