# Reads preprocessed source, and writes what follows it: for each function with `mark` among its attributes a row that
# describes it, if rows=1, and the entry point `main`, which calls the one that is asked for.
# SPDX-License-Identifier: Apache-2.0
function add(name, list,   n, i, depth, c, part, names, parts) {
  if (name in known) return
  known[name] = count++
  order[count - 1] = name
  n = 0
  for (i = 1; i <= length(list); ++i) {
    c = substr(list, i, 1)
    if (c ~ /[(<\[{]/) ++depth
    if (c ~ /[)>\]}]/) --depth
    if (c == "," && depth == 0) { parts[n++] = part; part = "" } else part = part c
  }
  if (part !~ /^[ \t]*(void)?[ \t]*$/) parts[n++] = part
  for (i = 0; i < n; ++i) {
    sub(/=.*/, "", parts[i])
    gsub(/\[[^\]]*\]|[ \t]+$/, "", parts[i])
    sub(/^.*[^A-Za-z0-9_]/, "", parts[i])
    names = names ", \"" parts[i] "\""
  }
  text_of_rows = text_of_rows sprintf("static const ::amalgam::ascend_kernel_t amalgam_kernel_%d __attribute__((section(\".ascend\"), used, aligned(4))) = ::amalgam::describe(%d, &%s, \"%s\"%s);\n", count - 1, count - 1, name, name, names)
  calls = calls sprintf("    case %d: ::amalgam::launch(&%s); break;\n", count - 1, name)
}
# From the mark on: ... void NAME ( LIST ).
function look(   at, name, list, depth, i, c) {
  while ((at = index(text, mark)) > 0) {
    text = substr(text, at + length(mark))
    if (!match(text, /void[ \t]+[A-Za-z_][A-Za-z_0-9]*[ \t]*\(/)) return
    name = substr(text, RSTART, RLENGTH)
    gsub(/^void[ \t]+|[ \t]*\($/, "", name)
    list = ""
    depth = 1
    for (i = RSTART + RLENGTH; i <= length(text); ++i) {
      c = substr(text, i, 1)
      if (c == "(") ++depth
      if (c == ")" && --depth == 0) break
      list = list c
    }
    add(name, list)
    text = substr(text, i)
  }
}
/^#/ { next }
open == 0 && index($0, mark) > 0 { open = 1; text = "" }
open { text = text " " $0 }
open && /[{;]/ { look(); open = 0 }
END {
  if (count > 0)
    printf "%s\nextern \"C\" void %s(void) {\n  switch (::amalgam::arguments()->entry) {\n%s    default: ::amalgam::hal_halt(1);\n  }\n}\n", rows == 1 ? text_of_rows : "", main, calls
}
