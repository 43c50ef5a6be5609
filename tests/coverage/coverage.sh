#!/bin/sh
# What the fast tests reach: lines, branches and toggles of rtl/, lines of our C and C++.
#
#   coverage.sh BUILD [ctest's options]
#
# BUILD is one with AMALGAM_COVERAGE and AMALGAM_TESTS. Of RTL it counts what testbenches drove (labels unit and
# attention), in whatever sizes. toggles.txt explains the toggles that no test makes; others, lines and branches that
# nothing reached are listed. Of C and C++ it lists what is not reached by folder. Everything is in BUILD/coverage.
# Exit code: 1 if a line, a branch or an unexplained toggle of rtl/ was not reached, or less than 92 of a hundred lines of
# C and C++, or a test failed.  SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -ge 1 ] || { sed -n 's/^# \{0,1\}//; 2,11p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$1 out=$1/coverage
shift
rm -rf "$out"
mkdir -p "$out/rtl"
find "$build" -name '*.gcda' -delete

# Testbenches first: RTL that the other tests build has no counters, which would slow them down tenfold. Faults in writing
# and memory meet gcov's own.
worst=0
tests() { # LABELS [ctest's options]
  labels=$1
  shift
  # shellcheck disable=SC2086
  ctest --test-dir "$build" -j 2 $labels -E 'cli/script|cli/install|waits|faults/(disk|memory)' --output-on-failure "$@" \
    >>"$out/tests.log" 2>&1 || { worst=1; sed -n '/The following tests FAILED/,$p' "$out/tests.log"; }
}
# Registers start with 0: leaving a random value would count as a toggle.
AMALGAM_RTL_COVERAGE="$out/rtl" AMALGAM_VERILATOR_FLAGS='--coverage --x-initial fast' AMALGAM_UNIT_FLAGS=-O1 tests '-L ^(unit|attention)$ -LE slow' "$@"
tests '-LE ^(unit|attention)$|slow|lint|formal' "$@"

# One point in many models and instances is one line here: KIND FILE LINE WHAT COUNT.
find "$out/rtl" -name '*.dat' -exec cat {} + | awk -v rtl="$root/rtl/" -f "$here/points.awk" | LC_ALL=C sort >"$out/points"
awk -F '\t' -f "$here/rtl.awk" "$here/toggles.txt" "$out/points" >"$out/rtl.txt" || worst=1
rm -r "$out/rtl"
cat "$out/rtl.txt"

# A function of one name on two lines of a header, for two processors, is no error: gcovr's assertions are off. Nor is a
# branch taken fewer than no times, which gcov computes of a loop that a thread left in its midst.
PYTHONOPTIMIZE=1 gcovr --root "$root" --object-directory "$build" --gcov-ignore-parse-errors --filter "$root/model/" --filter "$root/sw/" --exclude-unreachable-branches \
  --json-summary "$out/c.json" --html-details "$out/c.html" --txt "$out/c.txt" >"$out/gcovr.log" 2>&1 ||
  { tail -n 3 "$out/gcovr.log" >&2; exit 2; }
jq -r -f "$here/folders.jq" "$out/c.json" | column -t -s "$(printf '\t')"
jq -e '.line_percent >= 92' "$out/c.json" >/dev/null || worst=1
echo "every line of C and C++: $out/c.html"
exit $worst
