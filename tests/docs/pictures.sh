#!/bin/sh
# pictures.sh REPORT:NAME=PICTURE...: docs/pictures/PICTURE.svg is the NAME.svg that the report draws. Another release of
# gnuplot draws in its own way, so its pictures are not compared.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v gnuplot >/dev/null || { echo "no gnuplot"; exit 77; }
release() { sed -n 's/.*<desc>Produced by GNUPLOT \([0-9.]*\).*/\1/p' "$1"; }

for pair; do
  report=${pair%%:*} rest=${pair#*:}
  drawn=$dir/${rest%%=*}.svg shown=$ROOT/docs/pictures/${rest#*=}.svg
  "$SIM" report "$report" --out "$dir" --quiet
  [ "$(release "$drawn")" = "$(release "$shown")" ] || { echo "another gnuplot drew $shown"; exit 77; }
  cmp "$drawn" "$shown" || { echo "FAILED: $shown is not what \`report $report\` draws"; exit 1; }
done
echo "as drawn: $*"
