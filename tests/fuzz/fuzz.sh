#!/bin/sh
# The harnesses of a build with AMALGAM_FUZZ, one after the other; beside the corpus they begin with what they have
# come to before. Findings stay in BUILD/findings/FORMAT.
#   fuzz.sh BUILD [--seconds N] [FORMAT...]
# SPDX-License-Identifier: Apache-2.0
set -eu
build=$1 corpus=$1/tests/fuzz/corpus seconds=60
shift
die() { echo "amalgam: fuzz: $*" >&2; exit 2; }
formats=$(cd "$(dirname "$0")/corpus" && echo *.txt | sed 's/\.txt//g')

if [ "${1:-}" = --seconds ]; then
  case ${2:-} in '' | *[!0-9]* | 0* | ??????*) die "--seconds: expected a whole number from 1 to 99999" ;; esac
  seconds=$2
  shift 2
fi
for format; do
  case $format in -* | *' '* | '') die "unknown option or format '$format'; expected some of $formats" ;; esac
  case " $formats " in *" $format "*) ;; *) die "no format $format; expected some of $formats" ;; esac
done
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $formats

failed=0
for format; do
  findings=$build/findings/$format inputs=$build/inputs/$format
  mkdir -p "$findings" "$inputs"
  echo "$format: $seconds s"
  "$build/tests/fuzz/fuzz_$format" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=3000 -malloc_limit_mb=2000 \
    -artifact_prefix="$findings/" "$inputs" "$corpus/$format" >"$build/fuzz_$format.log" 2>&1 || failed=1
  sed -n 's/^Done /  /p' "$build/fuzz_$format.log"
  if [ -n "$(ls "$findings")" ]; then
    failed=1
    echo "  findings in $findings; what was said of the last: $build/fuzz_$format.log"
  fi
done
exit $failed
