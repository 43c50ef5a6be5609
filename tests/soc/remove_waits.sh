# Sourced by tests that remove every wait of a kernel, one at a time, and expect each mutant to be
# caught: the model reports a race, an unbalanced flag or a deadlock, or the result has wrong bits.
# They have a copy of the sources in $dir, and define
#   build    builds the kernel from $dir/sw
#   passes   runs it; what it says goes to $dir/log
# SPDX-License-Identifier: Apache-2.0

remove_waits() {   # remove_waits AT_LEAST FILE...: fails if there are fewer waits, or one is missed
  at_least=$1
  shift
  : >"$dir/log"
  build
  passes || { cat "$dir/log"; echo "the unchanged kernel fails"; exit 1; }

  mutants=0
  missed=0
  for file in "$@"; do
    for line in $(grep -nE '^[[:space:]]+[a-z_]*wait[a-z_]*\(.*\);' "$file" | cut -d: -f1); do
      cp "$file" "$dir/original"
      sed -i "${line}s/[a-z_]*wait[a-z_]*(.*);/;/" "$file"
      mutants=$((mutants + 1))
      : >"$dir/log"
      build
      if passes; then
        echo "MISSED ${file##*/}:$line $(sed -n "${line}p" "$dir/original")"
        missed=$((missed + 1))
      else
        echo "caught ${file##*/}:$line: $(head -1 "$dir/log" | cut -c 1-100)"
      fi
      cp "$dir/original" "$file"
    done
  done
  echo "$mutants waits removed one at a time, $missed missed"
  [ "$mutants" -ge "$at_least" ] && [ "$missed" -eq 0 ]
}
