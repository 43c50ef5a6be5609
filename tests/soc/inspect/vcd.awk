# Looks into what fst2vcd prints:  fst2vcd FILE | awk -f vcd.awk -v want=WHAT [-v a=NAME] [-v b=NAME] [-v value=V]
#   names             full names of all signals
#   changes           of signal a: "TIME VALUE" lines, numbers decimal
#   count             how often signal b changed while a had the value, or came to have it
#   last              the value of a at the end
#   times             first and last time stamp, and how many went back
# SPDX-License-Identifier: Apache-2.0
function number(bits,  i, n) {
  n = 0
  for (i = 1; i <= length(bits); ++i) {
    if (substr(bits, i, 1) !~ /[01]/) return bits
    n = 2 * n + substr(bits, i, 1)
  }
  return n
}
function change(id, text) {
  if (id == id_a) {
    now_a = text
    if (want == "changes") print time, text
  }
  if (want == "count" && id == id_b) pending_b = 1
}
# At a time stamp all that belongs to the time before is known.
function settle() {
  if (pending_b && now_a == value) ++found
  pending_b = 0
}
/^\$scope/ { path = path $3 "."; next }
/^\$upscope/ { sub(/[^.]*\.$/, "", path); next }
/^\$var/ {
  name = path $5
  if (want == "names") print name
  if (name == a) id_a = $4
  if (name == b) id_b = $4
  next
}
/^#/ {
  settle()
  time = substr($0, 2) + 0
  if (first == "") first = time
  if (time < latest) ++back
  latest = time
  next
}
/^\$enddefinitions/ { if (want == "names") exit }
/^b/ { if ($2 == id_a || $2 == id_b) change($2, number(substr($1, 2))); next }
/^r/ { change($2, substr($1, 2) + 0); next }
/^[01xz]/ { change(substr($0, 2), substr($0, 1, 1)); next }
END {
  settle()
  if ((a != "" && id_a == "") || (b != "" && id_b == "")) { print "no such signal: " a " " b; exit 1 }
  if (want == "count") print found + 0
  if (want == "last") print now_a
  if (want == "times") printf "%.0f %.0f %d\n", first, latest, back
}
