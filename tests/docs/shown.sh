#!/bin/sh
# Every block of output (```text) of README.md and docs/ stands below the commands that print it, and its page is one that
# outputs.sh looks at.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$ROOT"
seen=$(mktemp)
trap 'rm -f "$seen"' EXIT
pages=$(sed -n '/^docs_test(outputs/,/)/p' tests/docs/CMakeLists.txt | tr ' )' '\n\n' | grep '\.md$' | sort)
status=0
for page in README.md docs/*.md; do
  awk -v page="$page" '
    /^```/ && !code { code = 1; kind = substr($0, 4)
      if (kind == "text") { ++texts; if (!commands) { print page ":" NR ": no command above this"; bad = 1 }; commands = 0 }
      next }
    /^```/ { code = 0; next }
    code && kind == "sh" && /^\.\/amalgam / { commands = 1 }
    /^#/ && !code { commands = 0 }     # of another section
    END { if (texts) print page >"/dev/stderr"; exit bad }' "$page" 2>>"$seen" || status=1
done
have=$(sort "$seen")
[ "$have" = "$pages" ] || { printf 'pages that show output:\n%s\nthose that outputs.sh looks at:\n%s\n' "$have" "$pages"; status=1; }
exit $status
