#!/bin/sh
# Breaks RTL, C and C++ one token or statement at a time, and asks the fast tests whether they notice.
#
#   mutants.sh WORK_DIR [--count N] [--seed N] [--resume] [PATH...]
#
# Draws N mutants (100) that compile, of all that candidates.awk finds in the PATHs, files or folders of rtl, model/core,
# model/soc and sw (these four), at most one a line. Two copies of the tree, WORK_DIR/1 and /2, are built and
# changed side by side. A mutant is
#   refused     by the compiler or by Verilator's lint: none of the N
#   killed      by a test of those that checks.txt names for its file
#   equivalent  as Yosys proves (equivalent.sh; RTL only)
#   explained   it changes nothing that matters, as explained.txt says
#   survived
# Results: WORK_DIR/results, a line a mutant; score by folder, and survivors, on stdout. What a killed one says
# of itself is in WORK_DIR/*/log. --resume keeps what an interrupted run of the same sources found, and asks survivors
# again, since there may be new tests. Exit code: 1 with fewer than 95 of a hundred killed, 2 if a test that killed one
# fails of itself, 0 otherwise.
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
die() { echo "amalgam: mutants: $*" >&2; exit 2; }
[ $# -ge 1 ] || { sed -n 's/^# \{0,1\}//; 2,19p' "$0" >&2; exit 2; }

work=$1 count=100 seed=1 resume=
shift
while [ $# -gt 0 ]; do
  case $1 in
  --count | --seed)
    case ${2:-} in '' | *[!0-9]* | 0* | ??????*) die "$1: expected a whole number from 1 to 99999" ;; esac
    case $1 in --count) count=$2 ;; --seed) seed=$2 ;; esac
    shift 2 ;;
  --resume) resume=1; shift ;;
  -*) die "unknown option $1; there are --count, --seed and --resume" ;;
  *) break ;;
  esac
done
[ $# -gt 0 ] || set -- rtl model/core model/soc sw/kernels sw/lib
cd "$root"
for path; do
  case $path in rtl | rtl/* | model/core* | model/soc* | sw/*) [ -e "$path" ] && continue ;; esac
  die "$path: expected a file or folder of rtl, model/core, model/soc or sw"
done

# All of them, one a line of the tree, in an order that a change of other lines does not change: by a checksum.
draw() {
  find "$@" -type f \( -name '*.v' -o -name '*.c' -o -name '*.cpp' -o -name '*.h' \) -print | LC_ALL=C sort |
    xargs awk -f "$here/candidates.awk" |
    awk -F '\t' -v seed="$seed" '
      BEGIN { for (i = 32; i < 127; i++) code[sprintf("%c", i)] = i }
      {
        text = $1 $3 $5 $7
        key = seed
        for (i = 1; i <= length(text); i++) key = (key * 48271 + code[substr(text, i, 1)]) % 2147483647
        print key "\t" $0
      }' | sort -n | awk -F '\t' '!seen[$2, $3]++' | cut -f 2-7
}

# What is built at first: all, but for C and C++ no testbenches of RTL. What a check needs beside that is built with it.
# Engines are Verilated once for both copies, unless RTL is what changes.
built='model/all sw/all tests/all'
case " $* " in *' rtl'*) built=all ;; esac

# A copy of the tree and its build. An earlier one is brought up to date, whatever a mutant left of it.
copy() {
  mkdir -p "$work/$1"
  find . \( -path './build*' -o -path ./.git \) -prune -o -type f -print | while read -r file; do
    mkdir -p "$work/$1/${file%/*}"
    cmp -s "$file" "$work/$1/$file" || cp "$file" "$work/$1/$file"
  done
  (cd "$work/$1" && find . \( -path './build*' \) -prune -o -type f -print) | while read -r file; do
    [ -e "$file" ] || rm "$work/$1/$file"
  done
  # -O1 without -g is quick to compile and to link.
  [ -f "$work/$1/build/build.ninja" ] || cmake -S "$work/$1" -B "$work/$1/build" -G Ninja -DAMALGAM_TESTS=ON \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O1 -DCMAKE_CXX_FLAGS=-O1 >"$work/$1.build" 2>&1 ||
    die "cmake failed, see $work/$1.build"
  # shellcheck disable=SC2086
  ninja -C "$work/$1/build" $built >"$work/$1.build" 2>&1 || die "build failed, see $work/$1.build"
  if [ "$built" = all ]; then
    [ ! -L "$work/$1/build/units" ] || rm "$work/$1/build/units"
  else
    mkdir -p "$work/units"
    [ -e "$work/$1/build/units" ] || ln -s ../../units "$work/$1/build/units"
  fi
}

echo "mutants: building two copies in $work" >&2
export CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1   # what the first compiles the second finds in the cache
for slot in 1 2; do copy $slot; done
ninja -C "$work/1/build" -t targets all | sed 's/: .*//' | LC_ALL=C sort >"$work/targets"

grep -v '^#' "$here/explained.txt" | cut -f 1-3 >"$work/explained"
draw "$@" >"$work/mutants"
if [ "$resume" ] && [ -f "$work/results" ]; then
  awk -F '\t' 'NR == FNR { drawn[$0]; next } ($1 FS $2 FS $3 FS $4 FS $5 FS $6) in drawn && $7 != "survived"' \
    "$work/mutants" "$work/results" >"$work/known"
  mv "$work/known" "$work/results"
  cut -f 1-6 "$work/results" >"$work/known"
  grep -vxF -f "$work/known" "$work/mutants" >"$work/left" || true
  mv "$work/left" "$work/mutants"
else
  : >"$work/results"
fi
# one.sh ends this with 255 when there are COUNT results.
xargs -d '\n' -P 2 -n 1 --process-slot-var=SLOT "$here/one.sh" "$work" "$count" <"$work/mutants" 2>"$work/errors" || true
LC_ALL=C sort -o "$work/results" "$work/results"

# A test that could not be run, or that fails without a mutant, too, has killed nothing.
awk -F '\t' '$10 == "Not" { print $8 }' "$work/results" | grep . && die "could not be run"
killers=$(awk -F '\t' '$7 == "killed" && $8 != "" { print $8 }' "$work/results" | sort -u | paste -sd '|' -)
# shellcheck disable=SC2046,SC2086
ninja -C "$work/1/build" $built $("$here/targets.sh" "$work" "^($killers)\$") >"$work/1.build" 2>&1 ||
  die "build failed, see $work/1.build"
ctest --test-dir "$work/1/build" -j 2 -R "^($killers)\$" >"$work/unchanged" 2>&1 ||
  die "tests fail without a mutant, see $work/unchanged"
awk -F '\t' -f "$here/score.awk" "$work/results"
