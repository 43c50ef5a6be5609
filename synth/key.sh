#!/bin/sh
# A library's folder and, on the next line, a checksum of everything that results for it depend on:
# RTL, scripts, tools and the library.
#
#   key.sh LIBERTY        exit codes as of library.sh, AMALGAM_SYNTH and AMALGAM_NODE too
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
library=$("$here/library.sh" "$1") || exit $?
echo "$library"
{ find "$here/../rtl" "$here" -type f -name '*.v' -o -type f -name '*.vh' | sort | xargs cat
  cat "$here/boxes"
  sed 's/^ *#.*//' "$here/library.sh" "$here/unit.sh" "$here/map.sh" "$here/timing.sh" "$here/../rtl/modules.sh"
  echo "$library"; yosys -V; sta -version; } | sha256sum | cut -c1-12
