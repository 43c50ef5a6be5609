#!/bin/sh
# outputs.sh PAGE...: where a page shows commands and, in the next fence, what they print, they print that: the
# lines of the text stand in the output in this order. From the line `host` on, and in line numbers of
# sources, they may differ. What stands after ```yaml NAME is the file NAME. Where another compiler made the firmware, all
# numbers may differ, and what a machine that is stopped in a cycle holds.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
ln -s "$ROOT/tests" tests   # pages are read in a checkout

numbers=
compiler_of_pages || numbers='s/[0-9]+(\.[0-9]+)?/N/g; s/ +/ /g'
plain() { sed -E "s/\.([ch]):[0-9]+/.\1:N/g; s/ +\$//; $numbers" "$1"; }

shown=0
for page in "$@"; do
  rm -f sh* text*
  awk '
    /^```yaml [a-z]/ { to = $2; next }
    /^```sh$/ { to = "sh" ++n; next }
    /^```text$/ { to = "text" n; next }
    /^```/ { to = ""; next }
    to != "" { print >to }' "$ROOT/$page"
  for text in text*; do
    [ -e "$text" ] || continue
    number=${text#text}
    sed 's|^\./amalgam |"$SIM" |' "sh$number" >script
    sh -e script >out 2>err || { cat err; fail "$page: $(head -n 1 "sh$number"): exit code"; }
    if [ -n "$numbers" ] && grep -q -e --stop-at "sh$number"; then continue; fi
    plain out >have
    plain "$text" | sed '/^host /,$d' >want
    awk 'NR == FNR { want[++n] = $0; next } $0 == want[at + 1] { ++at }
      END { if (at < n) { print "not printed: " want[at + 1]; exit 1 } }' want have ||
      { cat out; fail "$page: $(head -n 1 "sh$number")"; }
    shown=$((shown + 1))
  done
done
[ $shown -ge 1 ] || fail "nothing is shown in $*"
echo "$shown outputs as shown"
