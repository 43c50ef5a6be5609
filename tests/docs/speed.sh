#!/bin/sh
# docs/speed.md has a table below each line "From `./amalgam ..`, WHAT:", with what a bench measured, or the study of growth.
#
#   speed.sh FILE...            those of these results are there, and have their rows and columns, whatever the numbers
#   speed.sh --update FILE...   writes them anew
#
# A FILE is BENCH.json, of ./amalgam bench --json BENCH.json, or GROWTH.csv, of ./amalgam sweep studies/growth.yaml --jobs 1
# --csv >GROWTH.csv.
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$(cd "$here/../.." && pwd)/docs/speed.md
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
update=
[ "$1" != --update ] || { update=1; shift; }
for file; do
  case $file in
  *.json) cp "$file" "$dir/bench.json" ;;
  *) cp "$file" "$dir/growth.csv" ;;
  esac
done
cd "$dir"

# Three digits that count: 0.123, 12.3, 1230.
digits='def digits: if . == null then "-" elif . == 0 then "0" else (. as $x | [1, 10, 100, 1000, 10000] | map(select($x * . >= 99.5)) |
    if length == 0 then 10000 else .[0] end) as $by | ((. * $by | round) / $by | if . >= 1000 then (. / 10 | round) * 10 else . end | tostring) end;'

header() {   # header CELLS
  echo "| $1 |"
  echo "|$(echo "$1" | sed 's/[^|]//g; s/|/---|/g')---|"
}
table() {   # table HEADER PROGRAM: its lines, of each a row of cells
  header "$1"
  jq -r "$digits $2 | \"| \" + (map(tostring) | join(\" | \")) + \" |\"" bench.json
}
simulations() {   # simulations GROUP
  table ' | seconds | ratio | processor seconds | MB | ns of a processor a command' \
    ".$1 | to_entries[] | select(.value | type == \"object\") | .value as \$v |
      [(.key | gsub(\"_\"; \" \")), (\$v | .seconds, .ratio, .processor_seconds, .memory_mb, .ns_per_command | digits)]"
}
make() {   # make WHAT: its table
  case $1 in
    'the chip') simulations simulator ;;
    'memory units') simulations memory_units ;;
    'one AI core') simulations core ;;
    'attention engines') table ' | H-FA, thousand cycles a second | to Verilated | FA-2 | to Verilated | ExpMul | to Verilated' \
      '(.engine.hfa | keys_unsorted[]) as $way | [($way | gsub("_"; " "))] +
        [.engine | (.hfa, .fa2, .expmul)[$way] | (.cycles_per_second / 1000, .ratio_to_rtl) | digits]' ;;
    'products') table 'm x n x k | AVX-512, GFLOPS | to OpenBLAS | AVX2, GFLOPS | to OpenBLAS' \
      '.matmul.shapes[] | ["\(.m) x \(.n) x \(.k)", (.gflops.avx512, .ratio_to_openblas.avx512, .gflops.avx2, .ratio_to_openblas.avx2 | digits)]' ;;
    growth) header 'what grows | from | to | commands, to the power | seconds | to | to the power | MB | to | to the power'
      awk -f "$here/../sweep/growth.awk" growth.csv ;;
    *) echo "speed.sh: the page has a table '$1', and the bench none" >&2; return 1 ;;
  esac
}

sed -nE 's/^From `\.\/amalgam [^,]*`, (.*):$/\1/p' "$page" >parts
[ "$(wc -l <parts)" -eq 6 ] || { echo "FAILED: six tables expected in $page"; exit 1; }
while read -r part; do
  source=bench.json
  [ "$part" != growth ] || source=growth.csv
  [ ! -e $source ] || make "$part" >"$part"
done <parts
# The page with these tables in the place of its own.
awk '
  /^From `\.\/amalgam [^,]*`, .*:$/ { print; file = $0; sub(/^[^,]*, /, "", file); sub(/:$/, "", file)
    if ((getline line <file) > 0) {
      print ""
      do print line; while ((getline line <file) > 0)
      skip = 1
    }
    next }
  skip && (/^\|/ || (/^$/ && !rows)) { rows += /^\|/; next }
  { skip = rows = 0; print }' "$page" >made
if [ "$update" ]; then
  cp made "$page"
else
  shape() { sed -E ':a; /^\|/s/\| ([0-9][0-9.]*|-) \|/| N |/; ta' "$1"; }
  shape "$page" >want
  shape made >have
  diff want have || { echo "FAILED: tables of $page are not those of the bench"; exit 1; }
fi
