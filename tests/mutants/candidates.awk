# Lists the mutants of C, C++ and Verilog files: one token or one statement changed, a line each,
#   FILE LINE COLUMN LENGTH REPLACEMENT KIND TEXT_OF_LINE       (tab-separated)
# Comments, strings, preprocessor lines, assertions, parameters' defaults and what is between `ifdef FORMAL or
# `ifndef SYNTHESIS and `endif are left alone.  SPDX-License-Identifier: Apache-2.0
function mutant(column, length_, text, kind) {
  print FILENAME "\t" FNR "\t" column "\t" length_ "\t" text "\t" kind "\t" $0
}

# The line with spaces in place of comments and strings.
function code_of(line,    out, i, n, c, two, quote) {
  n = length(line)
  for (i = 1; i <= n; i++) {
    c = substr(line, i, 1)
    two = substr(line, i, 2)
    if (in_comment) {
      if (two == "*/") { in_comment = 0; out = out " "; i++ }
      out = out " "
    } else if (quote != "") {
      if (c == "\\") { out = out " "; i++ }
      else if (c == quote) quote = ""
      out = out " "
    } else if (two == "//") {
      break
    } else if (two == "/*") {
      in_comment = 1
      out = out "  "
      i++
    } else if (c == "\"" || (c == "'" && !verilog && substr(line, i) ~ /^'(\\.|[^\\])'/)) {
      quote = c
      out = out " "
    } else {
      out = out c
    }
  }
  return out
}

# The column of the bracket that closes the one at COLUMN, 0 if it is on another line.
function closing(code, column,    depth, c) {
  for (; column <= length(code); column++) {
    c = substr(code, column, 1)
    depth += (c == "(") - (c == ")")
    if (depth == 0) return column
  }
  return 0
}

function operators(code,    i, j, n, op, depth, c, count, texts, assigned) {
  n = length(code)
  for (i = 1; i <= n; i++) {
    c = substr(code, i, 1)
    depth += (c == "(") - (c == ")")
    if (c != " " || substr(code, i + 1, 1) == " ") continue
    op = substr(code, i + 1)
    sub(/ .*/, "", op)
    if (!(op in others)) continue
    # In Verilog the first <= outside of brackets assigns.
    if (verilog && op == "<=" && depth == 0 && !assigned) { assigned = 1; continue }
    count = split(others[op], texts, " ")
    for (j = 1; j <= count; j++) mutant(i + 1, length(op), texts[j], "operator")
    if (op == "&&" || op == "||") drop_operand(code, i + 1, length(op))
  }
}

# a && b  ->  a
function drop_operand(code, column, length_,    i, depth, c) {
  for (i = column + length_; i <= length(code); i++) {
    c = substr(code, i, 1)
    if (depth == 0 && (c == ")" || c == ";" || c == "?" || c == "," || substr(code, i, 2) ~ /^(&&|\|\|)$/)) {
      mutant(column, i - column, "", "operand")
      return
    }
    depth += (c == "(") - (c == ")")
  }
}

function negations(code,    i) {
  for (i = 1; i < length(code); i++)
    if (substr(code, i, 1) ~ /[!~]/ && substr(code, i + 1, 1) ~ /[A-Za-z_(]/ && substr(code, i - 1, 1) !~ /[&|^~]/)
      mutant(i, 1, "", "negation")
}

function next_digit(digit) { return substr("123456789abcdef0", index("0123456789abcdef", digit), 1) }

function constants(code,    at, rest, text, before, after, last) {
  at = 1
  while (match(substr(code, at), /[0-9]*'s?[bdh][0-9A-Fa-f_]+|0x[0-9A-Fa-f]+|[0-9]+/)) {
    at += RSTART - 1
    text = substr(code, at, RLENGTH)
    before = substr(code, at - 1, 1)
    after = substr(code, at + RLENGTH, 1)
    last = tolower(substr(text, length(text), 1))
    if (before ~ /[A-Za-z0-9_.$]/ || after ~ /[.xX_ef]/ ||
        (verilog && (substr(code, at + RLENGTH) ~ /^ *:[^:]*\]/ || substr(code, 1, at - 1) ~ /\[[^\]]*: *$/))) {
      # part of a name, a fraction, the bounds of a vector
    } else if (text ~ /'s?b/) {
      mutant(at, RLENGTH, substr(text, 1, length(text) - 1) (last == "0" ? "1" : "0"), "constant")
    } else if (text ~ /'s?h|^0x/) {
      mutant(at, RLENGTH, substr(text, 1, length(text) - 1) next_digit(last), "constant")
    } else if (text ~ /'s?d/) {
      mutant(at, RLENGTH, substr(text, 1, length(text) - 1) (last == "9" ? "8" : next_digit(last)), "constant")
    } else if (!(verilog && after == "'")) {
      mutant(at, RLENGTH, text + 1, "constant")
      if (text + 0 > 0) mutant(at, RLENGTH, text - 1, "constant")
    }
    at += RLENGTH
  }
}

# c ? a : b  ->  c ? b : a
function choices(code,    arms, colon) {
  if (!match(code, /\? [^?:;,()]+ : [^?:;,()]+[;,)]/)) return
  arms = substr(code, RSTART + 2, RLENGTH - 3)
  colon = index(arms, " : ")
  mutant(RSTART + 2, length(arms), substr(arms, colon + 3) " : " substr(arms, 1, colon - 1), "choice")
}

function conditions(code,    open, close_) {
  if (!match(code, /(if|while) \(/)) return
  open = RSTART + RLENGTH - 1
  close_ = closing(code, open)
  if (!close_) return
  if (substr(code, RSTART, 2) == "if") mutant(open + 1, close_ - open - 1, yes, "condition")
  mutant(open + 1, close_ - open - 1, no, "condition")
}

function words(code,    i, word) {
  for (word in word_for)
    if (match(code, "(^|[^A-Za-z0-9_])" word "([^A-Za-z0-9_]|$)")) {
      i = RSTART + (substr(code, RSTART, length(word)) != word)
      mutant(i, length(word), word_for[word], "word")
    }
}

function statements(code,    start) {
  match(code, /^ */)
  start = RLENGTH + 1
  if (verilog) {
    if (code !~ /^ *[a-z_0-9]+(\[[^\]]*\])? <= [^;]*;$/) return
  } else if (code !~ /^ *[A-Za-z_][A-Za-z0-9_.>\[\]-]*(\(.*\)| [-+|&^*]?= .*);$/ || code ~ /^ *(return|break|continue|else|sizeof)/) {
    return
  }
  if (gsub(/\(/, "(", code) == gsub(/\)/, ")", code)) mutant(start, length(code) - start + 1, empty, "statement")
}

BEGIN {
  others["<"] = "<= >="; others["<="] = "< >"; others[">"] = ">= <="; others[">="] = "> <"
  others["=="] = "!="; others["!="] = "=="; others["&&"] = "||"; others["||"] = "&&"
  others["+"] = "-"; others["-"] = "+"; others["*"] = "+"; others["/"] = "*"; others["%"] = "/"
  others["<<"] = ">>"; others[">>"] = "<<"; others[">>>"] = ">>"
  others["&"] = "|"; others["|"] = "&"; others["^"] = "|"
  others["+="] = "-="; others["-="] = "+="; others["|="] = "&="; others["&="] = "|="; others["^="] = "|="
  word_for["std::min"] = "std::max"; word_for["std::max"] = "std::min"
  word_for["true"] = "false"; word_for["false"] = "true"; word_for["continue"] = ""
}
FNR == 1 {
  verilog = FILENAME ~ /\.s?v$/
  in_comment = formal = in_macro = 0
  yes = verilog ? "1'b1" : "1"
  no = verilog ? "1'b0" : "0"
  empty = verilog ? "begin end" : "(void)0;"
}
{
  code = code_of($0)
  skipped = in_macro || code ~ (verilog ? "^ *`" : "^ *#")
  in_macro = skipped && code ~ /\\$/
  if (verilog && code ~ /^ *`(ifdef FORMAL|ifndef SYNTHESIS)/) formal = 1
  if (verilog && code ~ /^ *`endif/) formal = 0
  if (skipped || formal || code ~ /(^| )parameter |[aA]ssert|ASSUME|SPDX|wire unused|^ *(import|using|typedef|template|extern) /) next
  operators(code)
  negations(code)
  constants(code)
  choices(code)
  conditions(code)
  if (!verilog) words(code)
  statements(code)
}
