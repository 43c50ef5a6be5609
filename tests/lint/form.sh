#!/bin/sh
# C and C++ have one form: that of .clang-format, include guards made of a header's path, ++i where no value is used, and a
# line with the licence.
# Versions of clang-format differ in places; the one that .clang-format names judges.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
bad=0
failed() { echo "FAILED: $1"; bad=1; }

sources=$(git ls-files 2>/dev/null) || sources=$(find model sw tests tb -type f)
sources=$(echo "$sources" | grep -E '\.(c|h|cpp)$')
[ "$(echo "$sources" | wc -l)" -gt 500 ] || failed "sources were not found"

for file in $(echo "$sources" | grep '\.h$'); do
  guard=AMALGAM_$(echo "${file#model/}" | tr 'a-z/.-' 'A-Z___')
  grep -qx "#ifndef $guard" "$file" && grep -qx "#define $guard" "$file" || failed "$file: expected the include guard $guard"
done

# A formatter that rewraps a comment joins this line to the one before.
# shellcheck disable=SC2013,SC2086
for file in $(grep -L '^// SPDX-License-Identifier: Apache-2.0$' $sources); do
  case $file in sw/test/rmsnorm/*) ;; *) failed "$file: no line with its licence" ;; esac   # the example is anybody's
done

# shellcheck disable=SC2086
grep -nE '\bfor \(.*; [a-z_]+(\+\+|--)\)' $sources && failed "expected ++i, where no value is used"

if clang-format --version 2>/dev/null | grep -q ' version 14\.'; then
  # shellcheck disable=SC2086
  clang-format --dry-run --Werror $sources || failed "the form is not that of .clang-format: clang-format -i FILE"
else
  echo "no clang-format 14: its part is left out"
fi
exit $bad
