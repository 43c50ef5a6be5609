#!/bin/sh
# No check in a script is one that cannot fail: under `set -e` the status of a command behind a bare `!` is not
# looked at, so it needs `|| fail ...` or an `if` around it.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A command over several lines is one.
find_bare() {
  awk 'FNR == 1 { whole = "" }
    { whole = whole $0 }
    /(\\|\||&&)$/ { sub(/\\$/, "", whole); next }
    whole ~ /(^|;|then|do|\{)[ \t]*! / && whole !~ /(if|while|until|elif) +! / && whole !~ /\|\| *[^ ]/ &&
      whole !~ /^[ \t]*#/ { print FILENAME ":" FNR ": " whole; found = 1 }
    { whole = "" }
    END { exit found }' "$@"
}

not='!'
printf '%s\n' 'true' "$not cmp a b" >"$dir/bare"
printf '%s\n' "for x; do $not cmp x b; done" >"$dir/looped"
printf '%s\n' "$not cmp a b ||" '  fail "same"' 'if ! cmp a b; then :; fi' '# ! no' >"$dir/good"
for file in bare looped; do
  if find_bare "$dir/$file" >"$dir/found"; then echo "FAILED: $file is not found"; exit 1; fi
done
find_bare "$dir/good" || { echo "FAILED: what is good is found"; exit 1; }

find tests tb synth cmake model sw .ci -type f \( -name '*.sh' -o -path '.ci/*' \) >"$dir/scripts"
[ "$(wc -l <"$dir/scripts")" -gt 50 ] || { echo "FAILED: no scripts found"; exit 1; }
# shellcheck disable=SC2046
find_bare $(cat "$dir/scripts") amalgam
