#!/bin/sh
# Every command's page: its sections, its examples (which the parser must take), its files (which must
# be there); and the reference that is generated from the .def files.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

# Rows of a section: what stands at two columns, up to the first run of two spaces.
rows() { awk -v name="$2" '/^[A-Z]/ { in_it = $0 == name; next } in_it && /^  [^ ]/' "$1"; }

"$SIM" >overview
"$SIM" --help | cmp - overview || fail "--help"
"$SIM" help | cmp - overview || fail "help"
"$SIM" -h | cmp - overview || fail "-h"
grep -q '^  amalgam [0-9.]* - ' overview || fail "NAME"
rows overview COMMANDS | awk '{ print $1 }' >pages
rows overview KERNELS | awk '{ print "run " $1 }' >>pages
for need in run report bench synth commands firmware test 'run amla' 'run hfa' 'run lm' 'run custom'; do
  grep -qx "$need" pages || fail "no $need in the overview"
done

page_of() {   # page_of WORDS...
  page=$(echo "$*" | tr ' ' _)
  "$SIM" help "$@" >"$page" || fail "help $*"
  "$SIM" "$@" --help | cmp - "$page" || fail "$* --help is not help $*"
  "$SIM" "$@" -h | cmp - "$page" || fail "$* -h is not help $*"
  awk 'length > 100 { print; exit 1 }' "$page" || fail "help $*: a line is too long"
  grep -q ' $' "$page" && fail "help $*: a space ends a line"
  sed -n 2p "$page" | grep -q "^  amalgam $* - [^ ]" || fail "help $*: NAME"
  grep -qE "^  amalgam $*( |\$)" "$page" || fail "help $*: SYNOPSIS"
}

# Its sections, in this order; each has something in it.
sections() {   # sections PAGE
  awk -v order='NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES EXIT_STATUS FILES REPORTS' '
    BEGIN { n = split(order, name, " "); for (i = 1; i <= n; ++i) at[name[i]] = i; last = 0 }
    /^[A-Z]/ { if (NR > 1 && lines == 0) { print "empty: " $0; exit 1 }
      gsub(" ", "_"); if (!(at[$0] > last)) { print "out of order: " $0; exit 1 }
      last = at[$0]; seen[$0] = 1; lines = 0; next }
    NF { ++lines }
    END { exit !(lines && seen["NAME"] && seen["SYNOPSIS"] && seen["EXAMPLES"] &&
                 seen["EXIT_STATUS"]) }' "$1" || fail "$1: sections"
  rows "$1" "EXIT STATUS" | grep -q '^  0  *[a-z]' || fail "$1: exit status 0"
  rows "$1" "EXIT STATUS" | grep -q '^  2  *[a-z]' || fail "$1: exit status 2"
}

examples=0
example() {   # as it stands, and with --help behind it: all of its options must be known
  eval "set -- ${1#amalgam }"
  case $1 in firmware | test | fuzz | coverage | mutants | setup | build | commands) return ;; esac
  [ "$*" != report ] || return 0
  "$SIM" "$@" --help >parsed 2>&1 && grep -q '^NAME' parsed || { cat parsed; fail "example $*"; }
  examples=$((examples + 1))
}

while read -r words; do
  case $words in run | help) continue ;; esac
  # shellcheck disable=SC2086
  page_of $words
  sections "$page"
  rows "$page" EXAMPLES >lines
  [ -s lines ] || fail "$page: no examples"
  while read -r line; do example "$line"; done <lines
  rows "$page" FILES | awk '{ print $1 }' | sed 's/,$//' >files
  while read -r file; do
    case $file in build/* | build-*/* | reports/* | sweeps/*) continue ;; esac
    # shellcheck disable=SC2086
    ls -d "$ROOT"/$file >found 2>&1 || fail "$page: no file $file"
  done <files
done <pages
[ $examples -ge 20 ] || fail "$examples examples"

"$SIM" run --help >run_page
"$SIM" help run | cmp - run_page || fail "help run"
rows overview KERNELS >kernels
rows run_page KERNELS | cmp - kernels || fail "kernels of run --help"
# What stands there is what `list` says, whole.
text() { awk '/^[A-Z]/ { in_it = $0 == "KERNELS"; next } in_it' "$1" | xargs -0 printf '%s' | tr -s ' \n' ' '; }
"$SIM" list kernels | tr -s ' \n' ' ' >listed
text run_page | cmp - listed || fail "kernels of help run: not those of list kernels"
text overview | cmp - listed || fail "kernels of help: not those of list kernels"

# All options of a kernel are in its page, and no other's: what the parser suggests is among them.
grep -q '^  --rescale ' run_amla || fail "run amla: --rescale"
grep -q '^  --rescale ' run_base && fail "run base: --rescale"
grep -q '^  --help ' run_amla || fail "run amla: --help"
"$SIM" report | sed '1,2d' >list
sed -n '/^REPORTS/,$p' report | sed 1d | cmp - list || fail "reports of report --help"

refused() {   # refused FRAGMENT ARGS...
  fragment=$1
  shift
  status=0
  "$SIM" "$@" >stdout 2>stderr || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <stderr)" -eq 1 ] && grep -qF -e "$fragment" stderr ||
    { cat stderr; fail "$*: exit code $status"; }
}
refused "did you mean bench" bnech
refused "did you mean run" rum
refused "nosuch: no such command" help nosuch
refused "no such kernel; there are amla, base, " help run amlo
refused "did you mean amla" run amlo
refused "name a kernel: amla, base, " run
refused "commands: unexpected argument 'x'" commands x
refused "test: expected the script ./amalgam" test
refused "firmware: x.c: cannot read" firmware x.c

# Before anything is built the script says how to; it does not begin to build.
for words in help 'test --help' 'build -h' ''; do
  # shellcheck disable=SC2086
  AMALGAM_BUILD=$dir/none "$ROOT/amalgam" $words >script || fail "./amalgam $words, not built"
  grep -q "./amalgam build" script || fail "./amalgam $words, not built: text"
done
[ ! -e none ] || fail "a page was asked for, and something was built"

# The script's own way to the pages of what it does itself.
for words in 'help test' 'test --help' 'setup -h' 'help run hfa' '--help'; do
  # shellcheck disable=SC2086
  AMALGAM_BUILD=$(dirname "$SIM") "$ROOT/amalgam" $words >script || fail "./amalgam $words"
  grep -q '^NAME' script || fail "./amalgam $words"
done

"$SIM" commands | cmp - "$ROOT/sw/hal/REFERENCE.md" ||
  fail "sw/hal/REFERENCE.md is not what the .def files say: ./amalgam commands >sw/hal/REFERENCE.md"
"$SIM" commands >reference
[ "$(grep -c "^Call: " reference)" -ge "$(grep -c "^### " reference)" ] || fail "a command without a call"
echo "all as expected: $(wc -l <pages) pages, $examples examples"
