#!/bin/sh
# studies/growth.yaml: time and memory of a simulation grow no faster than what it simulates. Exponents are of two
# neighbours and vary by a tenth or two, so each may be a little above 1; between the ends of each line they may not.
#   SIM=amalgam-sim ROOT=SOURCES growth.sh
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
"$SIM" sweep "$ROOT/studies/growth.yaml" --jobs 1 --csv >table.csv 2>err || { cat err; exit 1; }
awk -F , '
  NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  $column["status"] == "done" {
    ++points
    for (name in column)
      if (name ~ /_by_/ && $column[name] > 1.4) { print "FAILED: " name " " $column[name] ": " $0; failed = 1 }
  }
  END { if (points < 30) print "FAILED: " points " points"; exit failed || points < 30 }' table.csv
awk -f "$ROOT/tests/sweep/growth.awk" table.csv >lines
cat lines
[ "$(wc -l <lines)" -eq 6 ] || { echo "FAILED: six lines expected"; exit 1; }
awk -F '|' '$8 > 1.05 || $11 > 1.05 { print "FAILED: faster than what grows:" $2; failed = 1 } END { exit failed }' lines
sh "$ROOT/tests/docs/speed.sh" table.csv
