# Reads toggles.txt and then points; prints counts of rtl/ by kind and what was not reached.
# Exit code: 1 if something was not reached that toggles.txt does not explain, or it explains what is reached.
# SPDX-License-Identifier: Apache-2.0
FNR == NR {
  if (/^#/ || NF < 3) next
  lines[FNR] = $1 " " $2
  explained[$1, $2] = FNR
  if (match($2, /\[[0-9]+:[0-9]+\]$/)) {   # each bit of a range
    signal = substr($2, 1, RSTART - 1)
    split(substr($2, RSTART + 1, RLENGTH - 2), ends, ":")
    for (bit = ends[2]; bit <= ends[1] + 0; bit++) explained[$1, signal "[" bit "]"] = FNR
  }
  next
}
{
  all[$1]++
  if ($5 > 0) { reached[$1]++; next }
  signal = $4
  sub(/\[.*/, "", signal)
  row = ($2, $4) in explained ? explained[$2, $4] : ($2, signal) in explained ? explained[$2, signal] : 0
  if ($1 == "toggle" && row) { why[$1]++; used[row] = 1; next }
  missing[++n] = $1 " not reached: rtl/" $2 ":" $3 " " $4
}
END {
  for (kind in all)
    printf "rtl %-7s %6d of %6d reached, %d explained\n", kind, reached[kind], all[kind], why[kind]
  for (i = 1; i <= n; i++) print missing[i]
  for (row in lines) if (!(row in used)) { print "explained, and reached: " lines[row]; n++ }
  exit n > 0
}
