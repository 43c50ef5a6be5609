#!/bin/sh
# studies/growth.yaml: time and memory of a simulation grow no faster than what it simulates. Exponents are of two
# neighbours and vary by a tenth or two, so each may be a little above 1; between the ends of each line they may not.
#   SIM=amalgam-sim ROOT=SOURCES growth.sh
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
"$SIM" sweep "$ROOT/studies/growth.yaml" --jobs 1 --csv >table.csv 2>err || { cat err; exit 1; }
awk -F , '
  function fail(what) { print "FAILED: " what; failed = 1 }
  function line(kind, at) {   # from its first point to its last
    id = kind " " $column["timing_only"]
    if (!(id in first)) { first[id] = at; time[id] = $column["time"]; memory[id] = $column["memory"] }
    last[id] = at; last_time[id] = $column["time"]; last_memory[id] = $column["memory"]
  }
  NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  $column["status"] != "done" { next }
  {
    ++points
    for (name in column)
      if (name ~ /_by_/ && $column[name] > 1.4) fail(name " " $column[name] ": " $0)
    if ($column["cores"] == 48 && $column["batch"] == 2) line("keys", $column["keys"])
    if ($column["cores"] == 48 && $column["keys"] == 4096) line("batch", $column["batch"])
    if ($column["cores"] == $column["batch"] && $column["keys"] == 4096) line("cores", $column["cores"])
  }
  END {
    for (id in first) {
      ratio = log(last[id] / first[id]); by_time = log(last_time[id] / time[id]) / ratio; by_memory = log(last_memory[id] / memory[id]) / ratio
      printf "%-14s from %d to %d: time ^%.2f, memory ^%.2f\n", id, first[id], last[id], by_time, by_memory
      if (by_time > 1.05 || by_memory > 1.05) fail(id)
    }
    if (points < 30) fail(points " points")
    exit failed
  }' table.csv
