#!/bin/sh
# The documents as text: the front page is short, each page says what it answers and is on the map, links lead
# somewhere, pictures are shown, prose has at most 120 columns, paths in backticks exist, and the ten questions' paths
# can be followed.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$ROOT"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
: >"$dir/failed"
fail() { echo "$*" | tee -a "$dir/failed"; }

guides=$(ls README.md docs/*.md)
all="$guides CHANGELOG.md CONTRIBUTING.md $(git ls-files '*/*.md' 2>/dev/null | grep -v '^docs/' || true)"

lines=$(wc -l <README.md)
[ "$lines" -le 200 ] || fail "README.md: $lines lines; at most 200"
for page in docs/*.md; do
  [ "$page" != docs/README.md ] || continue
  sed -n 3p "$page" | grep -q '^\*\*This page answers:\*\* ' || fail "$page: does not begin with what it answers"
  grep -qF "](${page#docs/})" docs/README.md || fail "$page: not on the map, docs/README.md"
done

# Without fenced code; GitHub's name of a heading.
prose() { awk '/^```/ { code = !code; next } !code' "$1"; }
anchors() {
  prose "$1" | sed -nE 's/^#+ //p' | tr 'A-Z' 'a-z' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

for page in $guides CONTRIBUTING.md $(echo "$all" | tr ' ' '\n' | grep '/README\.md$'); do
  prose "$page" | awk -v page="$page" 'length > 120 && !/^ *(\||!\[|#|\*\*This page)/ { print page ": a line of " length " columns: " substr($0, 1, 60) }'
done >"$dir/wide"
while read -r line; do fail "$line"; done <"$dir/wide"

links=0
for page in $all; do
  prose "$page" | grep -oE '\]\([^)]+\)' | sed -E 's/^\]\(//; s/\)$//' >"$dir/links" || true
  while read -r link; do
    case $link in
      http*) continue ;;
      '#'*) target=$page ;;
      *) target=$(dirname "$page")/${link%%#*} ;;
    esac
    links=$((links + 1))
    [ -e "$target" ] || { fail "$page: link to $link: no such file"; continue; }
    case $link in
      *#*) anchors "$target" | grep -qxF "${link#*#}" || fail "$page: link to $link: no such heading" ;;
    esac
  done <"$dir/links"
done

for picture in docs/pictures/* docs/sweep/*; do
  # shellcheck disable=SC2086
  grep -qF "${picture#docs/})" $all || fail "$picture: on no page"
done

# A path in backticks: it begins with a folder of ours, or ends as our files do.
exists() {   # exists PAGE PATH: as it stands, or a unit's name without its ending
  for base in "$(dirname "$1")" "$(dirname "$1")/.." . model sw tests; do
    # shellcheck disable=SC2086
    { ls -d $base/$2 || ls -d $base/$2.*; } >"$dir/ls" 2>&1 && return 0
  done
  return 1
}
paths=0
for page in $all; do
  [ "$page" != CHANGELOG.md ] || continue
  prose "$page" | grep -oE '`[A-Za-z0-9_./*-]+`' | tr -d '`' | sort -u >"$dir/paths" || true
  while read -r path; do
    case $path in
      build/* | reports/* | */build/* | *NAME* | *UNIT* | *FAMILY* | -* | .* | /*) continue ;;
      model/* | sw/* | rtl/* | tb/* | tests/* | docs/* | synth/*) ;;
      */*.c | */*.h | */*.cpp | */*.v | */*.sv | */*.def | */*.yaml | */*.md | */*.sh) ;;
      *.c | *.cpp | *.v | *.sv | *.def | *.yaml)
        case $page in README.md | CONTRIBUTING.md | docs/*) ;; *) continue ;; esac
        [ -n "$(find model sw rtl tb tests synth -name "$path")" ] || fail "$page: \`$path\`: no such file"
        paths=$((paths + 1))
        continue ;;
      *) continue ;;
    esac
    paths=$((paths + 1))
    exists "$page" "$path" || fail "$page: \`$path\`: no such file"
  done <"$dir/paths"
done

# "README.md -> PAGE -> FILE": each names the next, the last one is there.
sed -n 's/.*| \(README\.md → .*\) |$/\1/p' docs/extending.md >"$dir/questions"
while read -r question; do
  here=
  for step in $(echo "$question" | sed 's/ → / /g'); do
    [ -e "$step" ] || fail "ten questions: $step: no such file"
    name=$(basename "$step")
    [ -z "$here" ] || grep -qF -e "$step" -e "${name%.*}" "$here" || fail "ten questions: $here does not name $step"
    here=$step
  done
done <"$dir/questions"
questions=$(wc -l <"$dir/questions")

echo "$links links, $paths paths, $questions questions"
[ ! -s "$dir/failed" ] && [ "$links" -ge 80 ] && [ "$paths" -ge 100 ] && [ "$questions" -eq 10 ]
