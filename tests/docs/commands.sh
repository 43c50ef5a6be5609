#!/bin/sh
# Every `./amalgam ...` of README.md and docs/ parses: its kernel, its reports and its options exist. So do labels of tests, and formats of fuzzers.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$ROOT"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
: >"$dir/failed"
fail() { echo "$*" | tee -a "$dir/failed"; }

"$SIM" report | sed -nE 's/^  ([a-z0-9_]+) .*/\1/p; s/.*\(or ([a-z0-9_]+)\).*/\1/p' >"$dir/reports"
echo all >>"$dir/reports"

# Of fenced code: lines, with several commands cut at &&. Of prose: what stands in backticks.
for page in README.md CONTRIBUTING.md docs/*.md; do
  awk -v page="$page" '
    /^```/ { code = !code; next }
    code && /^\.\/amalgam / { sub(/ +# .*/, ""); n = split($0, part, / && /)
      for (i = 1; i <= n; ++i) if (part[i] ~ /^\.\/amalgam /) print page "\t" part[i] }
    !code { line = $0
      while (match(line, /`(\.\/)?amalgam [^`]*`/)) {
        print page "\t" substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH) } }' "$page"
done >"$dir/commands"

commands=0
while IFS='	' read -r page line; do
  case $line in *NAME* | *' >'*) continue ;; esac
  eval "set -- ${line#*amalgam}"
  case ${1:-help} in
    help) [ $# -eq 0 ] || shift ;;
    test | build | setup | firmware | commands | --version) "$SIM" help "${1#--}" >"$dir/out" 2>&1 || true; continue ;;
  esac
  commands=$((commands + 1))
  if [ "${1:-}" = report ]; then
    for word in "$@"; do
      case $word in report) continue ;; -*) break ;; esac
      grep -qx "$word" "$dir/reports" || fail "$page: $line: no report $word"
    done
  fi
  [ $# -eq 0 ] || { "$SIM" "$@" --help >"$dir/out" 2>&1 && grep -q '^NAME' "$dir/out"; } ||
    fail "$page: $line: $(head -n 1 "$dir/out")"
done <"$dir/commands"

# Options that prose names by themselves.
for page in README.md CONTRIBUTING.md docs/*.md; do
  awk '/^```/ { code = !code; next } !code' "$page" | grep -oE '`--[a-z][a-z0-9-]*' | sed 's/^`--//' | sort -u |
    while read -r option; do
      case $option in sanitize | version | prefix | rm | platform) continue ;; esac
      grep -qF "\"$option\"" model/cli/option/options.def sw/kernels/*/*_settings.def || fail "$page: --$option: no such option"
    done
done

# Labels of tests, where they are listed.
ctest --test-dir "$BUILD" --print-labels | sed -n 's/^  \([a-z0-9]*\)$/\1/p' >"$dir/labels"
for list in model/cli/script.c docs/extending.md; do
  sed -n '/one label: /,/slow/p' "$list" | sed 's/.*one label: //' | tr -cs 'a-z0-9' '\n' >"$dir/listed"
  while read -r label; do
    [ "$label" = slow ] || grep -qx "$label" "$dir/listed" || fail "$list: no label $label"
  done <"$dir/labels"
done
# What is fuzzed, where it is listed.
"$SIM" help fuzz | tr -cs 'a-z0-9' '\n' >"$dir/listed"
for format in tests/fuzz/corpus/*.txt; do
  grep -qx "$(basename "$format" .txt)" "$dir/listed" || fail "help fuzz: no $format"
done
echo "$commands commands, $(wc -l <"$dir/labels") labels"
[ ! -s "$dir/failed" ] && [ "$commands" -ge 60 ] && [ -s "$dir/labels" ]
