#!/bin/sh
# Cycles of whole kernels: as many as cycles.txt has, to the cycle. A change of the model or of a kernel that is to
# take other cycles changes that file in the same commit, which
#
#   sh tests/soc/time/cycles.sh --update
#
# does after ./amalgam build (or with the folder of another build in BUILD), and for RV64 firmware in the part of its
# compiler; run it on each Debian. With a compiler that has no part, the first part holds within 1 %.
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

# cycles.txt, but for the parts of other compilers; the first part stands for one that has none.
compiler=$(compiler)
part=$(grep -m 1 -xF "compiler $compiler" cycles.txt || grep -m 1 '^compiler ' cycles.txt)
mine() { awk -v part="$part" '$1 == "compiler" { other = $0 != part } !other' "$1"; }

mine cycles.txt >"$dir/known.txt"
while read -r known what; do
  case $known in
    '#') echo "# $what" ;;
    compiler) echo "compiler $compiler" ;;
    *)
      # shellcheck disable=SC2086
      echo "$(cycles_of $what) $what" ;;
  esac
done <"$dir/known.txt" >"$dir/cycles.txt"

if [ "${1:-}" = --update ]; then
  awk -v part="compiler $compiler" '
    NR == FNR { now[++lines] = $0; next }
    $1 == "compiler" { other = $0 != part }
    { print other ? $0 : now[++line] }
    END { while (line < lines) print now[++line] }' "$dir/cycles.txt" cycles.txt >"$dir/all.txt"
  cat "$dir/cycles.txt"
  cp "$dir/all.txt" cycles.txt
  exit
fi
# Lines side by side: what was known, and what it is.
paste -d '\n' "$dir/known.txt" "$dir/cycles.txt" | awk '
  NR % 2 { known = $0; cycles = $1; next }
  $1 == "compiler" { share = $0 == known ? 0 : 0.01 }
  $1 == "compiler" || $0 == known { next }
  share > 0 && $1 - cycles <= share * cycles && cycles - $1 <= share * cycles { next }
  { print "known: " known "\nnow:   " $0; bad = 1 }
  END {
    if (NR != 2 * lines || lines < 20) { print "not all of cycles.txt was run"; bad = 1 }
    if (bad) { print "if that is meant: sh tests/soc/time/cycles.sh --update, in the same commit" }
    exit bad
  }' lines="$(wc -l <"$dir/known.txt")" -
[ "$part" = "compiler $compiler" ] && how='to the cycle' || how='within 1 %'
echo "$(wc -l <"$dir/known.txt") lines, $how, with $compiler"
