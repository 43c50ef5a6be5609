#!/bin/sh
# commit.sh SOURCE HEADER: writes the commit of a checkout, "-dirty" behind it if files differ from it, as text
# AMALGAM_COMMIT; "" where there is no git. A header that says so already is left alone.
# SPDX-License-Identifier: Apache-2.0
set -eu
commit=$(git -C "$1" -c safe.directory='*' describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null) || commit=
line="#define AMALGAM_COMMIT \"${commit:+ ($commit)}\""
[ "$(cat "$2" 2>/dev/null)" = "$line" ] || echo "$line" >"$2"
