#!/bin/sh
# Prose names a parameter of the machine; values stand where a command prints them. A number beside a parameter's name, or
# beside its words with its unit ("L2 latency of 0.5 us"), is refused unless a machine of model/config has it.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

awk '
  /^[a-z0-9]+:$/ { section = $1; sub(/:/, "", section) }
  /^  [a-z]/ { name = $1; sub(/:/, "", name); print section "." name, $2 }' model/config/*.yaml >"$dir/machines"

# Paragraphs as lines, without code.
paragraphs() {
  awk '
    function flush() { if (text != "") print FILENAME ": " text; text = "" }
    FNR == 1 { flush(); code = 0 }
    /^```/ { code = !code; next }
    code { next }
    /^$/ || /^[|#-]/ { flush() }
    { text = text " " $0 }
    END { flush() }' "$@"
}

# Prints what is refused in the lines of a file, each "FILE: text".
refused() {
  awk '
    NR == FNR { has[$1, $2 + 0] = 1; known[$1] = 1; next }
    FNR == 1 {
      unit["us"] = "us"; unit["mhz"] = "MHz"; unit["gbps"] = "GB/s"; unit["cycles"] = "cycles"; unit["kb"] = "K(i)?B"
      unit["mb"] = "M(i)?B"; unit["bytes"] = "bytes"
      for (name in known) {
        parts = split(name, part, /[._]/)
        if (parts < 4 || !(part[parts] in unit)) continue   # "load rate" may be any
        phrase = tolower(part[2])
        for (i = 3; i < parts; ++i) phrase = phrase "[ -]" tolower(part[i])
        words[name] = phrase " [a-z ]*[0-9][0-9.]* ?" unit[part[parts]]
      }
    }
    function check(name, text,   number) {
      if (match(text, /[0-9][0-9.]*/) == 0) return
      number = substr(text, RSTART, RLENGTH)
      sub(/\.$/, "", number)
      if (!((name, number + 0) in has)) print name " is not " number ": " $0
    }
    {
      for (name in known) {
        rest = $0
        while ((at = index(rest, "`" name)) > 0) {
          before = substr(rest, 1, at - 1)
          rest = substr(rest, at + length(name) + 1)
          if (match(rest, /^(: |`,? (of|is|are|at)? ?)[0-9]/)) check(name, substr(rest, RSTART, RLENGTH + 12))
          else if (match(before, /[0-9][0-9.]* [A-Za-z\/]*( [a-z]+)* \($/)) check(name, substr(before, RSTART))
        }
        if (!(name in words)) continue
        rest = tolower($0)
        while (match(rest, tolower(words[name]))) {
          found = substr(rest, RSTART, RLENGTH)
          rest = substr(rest, RSTART + RLENGTH)
          sub(/^l2|^l0[abc]|^l1/, "", found)
          check(name, found)
        }
      }
    }' "$dir/machines" "$1"
}

# The check can fail, and holds its peace.
cat >"$dir/wrong" <<'END'
a: Where does the L2 latency of 1.1 us come from?
b: `vector.exp_cycles: 3` is read by the model.
c: starts cores one by one, 0.2 us each (`soc.skew_us`).
d: at `gm.l2_latency_us` of 2 it is slower.
END
[ "$(refused "$dir/wrong" | wc -l)" -eq 4 ] || fail "wrong values are not refused: $(refused "$dir/wrong")"
cat >"$dir/right" <<'END'
a: the L2 latency of 0.5 us, `vector.exp_cycles: 2`, 0.175 us each (`soc.skew_us`), `gm.l2_latency_us` of 0.5.
b: with `--set gm.l2_latency_us=0.25` in 10 runs; `cube.l1_kb` and 3 more; `gm.move_bytes` long.
END
[ -z "$(refused "$dir/right")" ] || fail "right values are refused: $(refused "$dir/right")"

# shellcheck disable=SC2046
paragraphs $(ls README.md docs/*.md model/README.md rtl/README.md sw/README.md synth/*.md tests/README.md model/num/*.md) \
  >"$dir/prose"
grep -hoE '(//|#) .*' model/config/*.yaml $(find model sw tests tb -name '*.[ch]' -o -name '*.cpp' -o -name '*.def') |
  sed 's/^/comment: /' >>"$dir/prose"
[ "$(wc -l <"$dir/prose")" -gt 5000 ] || fail "no prose found"
refused "$dir/prose" >"$dir/refused"
[ ! -s "$dir/refused" ] || fail "$(cat "$dir/refused")"
