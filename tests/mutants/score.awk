# Reads results of mutants.sh; prints how many were killed, by folder, and those that survived.
# Exit code: 1 if fewer than 95 of 100 were killed.  SPDX-License-Identifier: Apache-2.0
{
  folder = $1
  sub(/\/[^\/]*$/, "", folder)
  count[folder, $7]++
  count["all", $7]++
  folders[folder] = 1
  if ($7 == "survived") survivors[++n] = sprintf("%s:%d:%d %s to %s", $1, $2, $3, $6, $5 == "" ? "nothing" : $5)
}
function row(folder, to,    killed, survived) {
  killed = count[folder, "killed"] + 0
  survived = count[folder, "survived"] + 0
  printf "%-32s %7d %7d %10d %9d %8d  %s\n", folder, count[folder, "refused"], killed, count[folder, "equivalent"], count[folder, "explained"], survived,
    killed + survived ? sprintf("%.1f %%", 100 * killed / (killed + survived)) : "-" | to
  return killed + survived ? killed / (killed + survived) : 1
}
END {
  printf "%-32s %7s %7s %10s %9s %8s  %s\n", "folder", "refused", "killed", "equivalent", "explained", "survived", "score"
  fflush()
  for (folder in folders) row(folder, "LC_ALL=C sort")
  close("LC_ALL=C sort")
  score = row("all", "cat")
  close("cat")
  for (i = 1; i <= n; i++) print "survived: " survivors[i]
  exit score < 0.95
}
