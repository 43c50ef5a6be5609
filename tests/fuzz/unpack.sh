#!/bin/sh
# The inputs of a format as files.
#   unpack.sh FORMAT.txt FOLDER
#
# An input is its name in brackets and lines that make its bytes, one after the other:
#   BYTES       "text", in which \n, \r, \t, \\, \" and \xHH are as in C, or hex 00ff, or times N and one of these
#   like NAME   those of an input above
#   cut N       no more than the first N of what is there
#   at N BYTES  these in place of what is there from byte N on
# `od -An -v -w48 -tx1 FILE | sed 's/ //g; s/^/hex /'` prints a file as such lines.
# SPDX-License-Identifier: Apache-2.0
set -eu
rm -rf "$2"
mkdir -p "$2"
LC_ALL=C awk -v folder="$2" '
function broken() { print FILENAME ":" FNR ": not understood: " $0 >"/dev/stderr"; failed = 1; exit 1 }
function text(s,   hex, c) {   # the bytes of a quoted text, two digits each
  if (s !~ /^".*"$/) broken()
  s = substr(s, 2, length(s) - 2)
  for (hex = ""; s != ""; s = substr(s, 2)) {
    c = substr(s, 1, 1)
    if (c != "\\") { hex = hex digits[c]; continue }
    s = substr(s, 2)
    c = substr(s, 1, 1)
    if (c == "x") { hex = hex substr(s, 2, 2); s = substr(s, 3) } else hex = hex (c in escaped ? escaped[c] : digits[c])
  }
  return hex
}
function bytes(s,   count, once, all) {
  if (s ~ /^times /) {
    split(s, words, " ")
    sub(/^times [0-9]+ /, "", s)
    for (once = bytes(s); count < words[2]; ++count) all = all once
    return all
  }
  if (s !~ /^hex [0-9a-f]*$/) return text(s)
  return substr(s, 5)
}
function write(   file, i) {
  if (name == "") return
  file = folder "/" name
  printf "" >file
  for (i = 1; i < length(input[name]); i += 2) printf "%c", value[substr(input[name], i, 2)] >file
  close(file)
}
BEGIN {
  for (i = 0; i < 256; ++i) { h = sprintf("%02x", i); value[h] = i; if (i) digits[sprintf("%c", i)] = h }
  escaped["n"] = "0a"; escaped["r"] = "0d"; escaped["t"] = "09"
}
/^#/ || /^$/ { next }
/^\[.*\]$/ { write(); name = substr($0, 2, length($0) - 2); if (name in input) broken(); input[name] = ""; next }
name == "" { broken() }
/^"/ || $1 == "hex" || $1 == "times" { input[name] = input[name] bytes($0); next }
$1 == "like" && ($2 in input) { input[name] = input[$2]; next }
$1 == "cut" { input[name] = substr(input[name], 1, 2 * $2); next }
$1 == "at" {
  all = input[name]
  n = 2 * $2
  sub(/^at [0-9]+ /, "")
  s = bytes($0)
  input[name] = substr(all, 1, n) s substr(all, n + length(s) + 1)
  next
}
{ broken() }
END { if (!failed) write() }' "$1"
