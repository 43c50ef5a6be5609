#!/bin/sh
# Reports: files and rows of a small one, the gates' exit code on the way, and what is refused.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

"$SIM" report table3 table4 --dist 'N(0,25)' --dist uniform:10 --seeds 1 --seq-kv 1024 --out r
for file in table3 table4; do
  for ending in json md svg; do
    [ -s r/$file.$ending ] || { echo "no $file.$ending"; exit 1; }
  done
  for field in dist seeds base amla paper; do
    grep -q "\"$field\"" r/$file.json || { echo "no $field in $file.json"; exit 1; }
  done
done
grep -q 'N(0,25)' r/table3.json
grep -q 'U(10)' r/table4.json
grep -q '</svg>' r/table4.svg
[ "$(find r -type f | wc -l)" -eq 6 ]

refused() {   # refused FRAGMENT ARGS...
  fragment=$1
  shift
  status=0
  "$SIM" "$@" >stdout 2>stderr || status=$?
  if [ $status -ne 2 ] || [ "$(wc -l <stderr)" -ne 1 ] || ! grep -qF -e "$fragment" stderr; then
    echo "FAILED $*: exit code $status"
    cat stderr
    exit 1
  fi
}
refused "table3" report
refused "table9" report table9
refused "N(0,7)" report table3 --dist 'N(0,7)'
refused "U(1)" report table3 --dist 'U(1)'
refused "--seeds" report table3 --seeds 0
refused "stderr" report table3 --seeds 1 --seq-kv 64 --out stderr
echo "all as expected"
