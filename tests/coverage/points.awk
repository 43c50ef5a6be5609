# Sums Verilator's coverage points over models and instances; prints KIND FILE LINE WHAT COUNT, tab-separated.
# A point reads  C '\001f\002FILE\001l\002LINE\001n\002COLUMN\001page\002v_KIND/MODULE\001o\002WHAT\001h\002WHERE' COUNT
# SPDX-License-Identifier: Apache-2.0
BEGIN { FS = "\001" }
/^C / {
  split("", value)
  for (i = 2; i <= NF; i++) {
    at = index($i, "\002")
    value[substr($i, 1, at - 1)] = substr($i, at + 1)
  }
  if (index(value["f"], rtl) != 1) next
  kind = value["page"]
  sub(/^v_/, "", kind)
  sub(/\/.*/, "", kind)
  match($0, /' [0-9]+$/)
  point = kind "\t" substr(value["f"], length(rtl) + 1) "\t" value["l"] "\t" (kind == "toggle" ? value["o"] : value["n"] " " value["o"])
  count[point] += substr($0, RSTART + 2)
}
END { for (point in count) printf "%s\t%.0f\n", point, count[point] }
