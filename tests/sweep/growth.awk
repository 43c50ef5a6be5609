# From growth.csv, the table of studies/growth.yaml: what grows along each of its lines, from the line's first point to its last,
# and with which power. A line a row of a page's table.
# SPDX-License-Identifier: Apache-2.0
BEGIN { FS = ","; split("keys batch cores", KINDS, " ") }
function add(kind, at) {
  id = kind "," $column["timing_only"]
  if (!(id in first)) {
    first[id] = at; time[id] = $column["time"]; memory[id] = $column["memory"]; commands[id] = $column["commands"]
  }
  last[id] = at; last_time[id] = $column["time"]; last_memory[id] = $column["memory"]; last_commands[id] = $column["commands"]
}
NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
$column["status"] != "done" { next }
$column["cores"] == 48 && $column["batch"] == 2 { add("keys", $column["keys"]) }
$column["cores"] == 48 && $column["keys"] == 4096 { add("batch", $column["batch"]) }
$column["cores"] == $column["batch"] && $column["keys"] == 4096 { add("cores", $column["cores"]) }
function power(id, from, to) { return log(to / from) / log(last[id] / first[id]) }
END {
  for (k = 1; k <= 3; ++k)
    for (timing = 1; timing >= 0; --timing) {
      id = KINDS[k] "," (timing ? "with" : "without")
      printf "| %s, %s | %d | %d | %.2f | %.2f | %.2f | %.2f | %.0f | %.0f | %.2f |\n", KINDS[k], timing ? "timing only" : "all computed",
        first[id], last[id], power(id, commands[id], last_commands[id]), time[id], last_time[id], power(id, time[id], last_time[id]),
        memory[id], last_memory[id], power(id, memory[id], last_memory[id])
    }
}
