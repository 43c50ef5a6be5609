#!/bin/sh
# pictures.sh REPORT:NAME=PICTURE...: docs/PICTURE.svg is the NAME.svg that the report draws (by the same release of gnuplot:
# others place and write what they draw in their own way).
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v gnuplot >/dev/null || { echo "no gnuplot"; exit 77; }
release() { sed -n 's/.*<desc>Produced by GNUPLOT \([0-9.]*\).*/\1/p' "$1"; }

for pair; do
  report=${pair%%:*} rest=${pair#*:}
  drawn=$dir/${rest%%=*}.svg shown=$ROOT/docs/${rest#*=}.svg
  "$SIM" report "$report" --out "$dir" --quiet
  [ "$(release "$drawn")" = "$(release "$shown")" ] || { echo "another gnuplot drew $shown"; exit 77; }
  cmp "$drawn" "$shown" || { echo "FAILED: $shown is not what \`report $report\` draws"; exit 1; }
done
echo "as drawn: $*"
