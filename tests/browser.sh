# For tests of pages in a headless Chromium; the script that reads this has a fail() and a $dir of its own.
# SPDX-License-Identifier: Apache-2.0

# The end of a test where there is none: skipped, once the rest has passed.
find_browser() {
  browser=$(command -v chromium || command -v chromium-browser || true)
  [ -n "$browser" ] || { echo "no Chromium: the browser's part was not tried"; exit 77; }
}

# browse OPTIONS...: nothing may be said on the page's console.
browse() {
  "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run \
    --disable-component-update --allow-file-access-from-files --user-data-dir="$dir/profile" \
    --enable-logging=stderr --virtual-time-budget=5000 "$@" 2>log || { cat log; fail "chromium $*"; }
  ! grep 'CONSOLE' log >&2 || fail "the console has something to say"
}

# value NAME FILE: of the line NAME=VALUE in a dumped page.
value() { sed -n "s/^\(.*>\)\?$1=//p" "$2"; }

# is FILE NAME VALUE
is() {
  [ "$(value "$2" "$1" | sed 's|</pre>.*||')" = "$3" ] || { cat "$1"; fail "$1: $2 is not $3"; }
}
