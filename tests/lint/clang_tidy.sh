#!/bin/sh
# clang-tidy with the checks of .clang-tidy finds nothing in the model and the kernels.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# Without the headers that GCC has compiled, which clang cannot read.
sed 's/ -Winvalid-pch//; s/ -include [^ ]*cmake_pch.hxx//' "$2/compile_commands.json" >"$dir/compile_commands.json"
find model sw -name '*.c' -o -name '*.cpp' | while read -r file; do
  grep -q "\"file\": \"$1/$file\"" "$dir/compile_commands.json" && echo "$file"
done | xargs -n 6 -P 2 clang-tidy -p "$dir" --quiet 2>/dev/null
