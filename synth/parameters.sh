#!/bin/sh
# The parameters of a module of the RTL that are no others' consequences, one a line.
#
#   parameters.sh UNIT        exits 2, with one line, if there is no such module
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
'' | *[!a-z0-9_]*) ;;
*) if file=$("$here/../rtl/modules.sh" --own "$1" "$here"/../rtl/*/ "$here/cut" "$here/gm" 2>/dev/null); then
    sed -n '/^  parameter .*clog2/d; s/^  parameter *\([A-Z0-9_]*\) *=.*/\1/p' "$file"
    exit 0
  fi ;;
esac
echo "unit ${1:-}: no such module in rtl" >&2
exit 2
