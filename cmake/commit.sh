#!/bin/sh
# commit.sh SOURCE FILE: writes the commit of a checkout into the file, "-dirty" behind it if files differ from it; nothing
# where there is no git. A file that says so already is left alone.
# SPDX-License-Identifier: Apache-2.0
set -eu
commit=$(git -C "$1" -c safe.directory='*' describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null) || commit=
{ [ -e "$2" ] && [ "$(cat "$2")" = "$commit" ]; } || echo "$commit" >"$2"
