# Sourced by tests that remove every wait of a kernel, one at a time, and expect each mutant to be
# caught: the model reports a race, an unbalanced flag or a deadlock, or the result has wrong bits.
# They have a copy of the sources in $dir, and define
#   build    builds the kernel from $dir/sw
#   passes   runs it; what it says goes to $dir/log
#   waits    words that calls which wait have in their names, w1\|w2...; if not defined: wait
# $EVERY says how many there are for one that is tried: 1 in slow tests.
# SPDX-License-Identifier: Apache-2.0

# The mutant as it is now; what it is caught by has a word in its message.
expect_caught() {   # expect_caught NAME WORD
  mutants=$((mutants + 1))
  : >"$dir/log"
  build
  if passes || ! grep -q -e "$2" "$dir/log"; then
    echo "MISSED $1"
    missed=$((missed + 1))
  else
    echo "caught ${1%% *}: $(head -1 "$dir/log" | cut -c 1-100)"
  fi
}

remove_waits() {   # remove_waits AT_LEAST FILE...: fails if there are fewer waits, or one is missed
  at_least=$1
  shift
  : >"$dir/log"
  build
  passes || { cat "$dir/log"; echo "the unchanged kernel fails"; exit 1; }

  mutants=0
  missed=0
  waiting=0
  call="[a-z_]*\\(${waits:-wait}\\)[a-z_]*(.*);"
  for file in "$@"; do
    cp "$file" "$dir/original"
    for line in $(grep -n "^[[:space:]][[:space:]]*$call" "$file" | cut -d: -f1); do
      waiting=$((waiting + 1))
      [ $((waiting % EVERY)) -eq 0 ] || continue
      sed -i "${line}s/$call/;/" "$file"
      expect_caught "${file##*/}:$line $(sed -n "${line}p" "$dir/original")" ''
      cp "$dir/original" "$file"
    done
  done
  echo "$mutants of $waiting waits removed one at a time, $missed missed"
  [ "$waiting" -ge "$at_least" ] && [ "$missed" -eq 0 ]
}
