#!/bin/sh
# Numbers that a program reads out of UB and global memory, and writes into UB: their values, in RV64 and natively, and
# mistakes, by core, command and line.
# SPDX-License-Identifier: Apache-2.0
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"

# 2 in the fourth place: seven sums; bytes of no array of numbers
"$MKNPY" in.npy '<i4' 16 c 0=1234 1=fffffffe 2=7 3=2 4=100 5=ffff 6=abcdef

launch() { "$SIM" run custom --in in.npy --out-shape 32 --no-init-check --allow-overflow --quiet --param "$1" --firmware "$FIRMWARE/tests/numbers.$2" "$3" "$4"; }

for kind in elf so; do
  launch 0 $kind --out "$kind.npy"
  found=$(tail -c +129 $kind.npy | od -An -v -w8 -tx4 | head -7 | tr -s ' \n' ' ')
  [ "$found" = " 00001239 00000012 00000003 000000ff 0000000c 00000000 00000007 00000000 00000105 00000001 00000004 000000ff 0000cdf4 000000cd " ] ||
    fail "$kind: other numbers:$found"
  launch 8 $kind --out "$kind.npy"
  found=$(tail -c +129 $kind.npy | od -An -v -tx4 | head -1)
  [ "$found" = " 00001239 0000773a ffffffff ffffffff" ] || fail "$kind: other numbers by flags:$found"
done

twice() {   # twice HOW OPTION... : the sums, twice, in CYCLES
  how=$1
  shift
  "$SIM" run custom --in in.npy --out-shape 32 --no-init-check --allow-overflow --quiet --param "$how" --firmware "$FIRMWARE/tests/numbers.elf" --out twice.npy --json twice.json "$@"
  found=$(tail -c +129 twice.npy | od -An -v -tx4 | head -1)
  [ "$found" = " 00002472 00000006 00000018 0000000e" ] || fail "$how $*: other sums:$found"
  cycles=$(jq .cycles twice.json)
}
twice 10
barrier=$cycles
twice 11
twice 9 --auto-sync on
[ "$cycles" -le "$barrier" ] && [ "$cycles" -gt $((barrier - 10)) ] || fail "$barrier cycles with a barrier, $cycles without"

mistake() {   # mistake NUMBER FRAGMENT...
  number=$1
  shift
  status=0
  launch "$number" elf --out bad.npy 2>err || status=$?
  [ "$status" -eq 3 ] && [ ! -e bad.npy ] || fail "mistake $number: exit code $status"
  for fragment in "$@"; do
    grep -qF -e "$fragment" err || fail "mistake $number: no '$fragment' in: $(cat err)"
  done
}
line() { echo "numbers.c:$(grep -n "  // $1\$" "$here/firmware/numbers.c" | cut -d: -f1)"; }
mistake 1 "race in UB" "READ_VALUE" "$(line 'V may not have written it')"
mistake 2 "READ_VALUE ub=0x42: expected a multiple of 4" "$(line 'at half a number')"
mistake 3 "race in UB" "WRITE_VALUE" "$(line 'V may still write there')"
mistake 4 "race in UB" "READ_VALUE" "$(line 'nobody waits for V')"
mistake 5 "race in UB" "COPY_OUT" "$(line 'S may write')"
mistake 6 "race in GM" "WRITE_VALUE" "$(line 'MTE3 may still write there')"
mistake 7 "flag still up at the end" "SET_FLAG to=V event=9" "$(line 'for nobody')"
mistake 9 "race in UB: no PIPE_BARRIER orders" "VINST op=ADD " "(double_sums) after vector0_0 V: VINST op=ADDS" "(add_five)"
for how in 12 13 14; do
  launch $how elf --out lines.npy
  [ "$(tail -c +129 lines.npy | od -An -v -tx4 | head -1)" = " 00000001 ffffffff 00000001 ffffffff" ] || fail "other numbers of lines: $how"
done
mistake 15 "stale line in a scalar core's cache: no CLEAN_LINES drops it for vector0_0 S: READ_VALUE" \
  "$(line 'its line is old')" "before vector0_0 MTE3: COPY_OUT" "$(line newer)"
for how in 16 17; do
  mistake $how "line that stays in a scalar core's cache: no CLEAN_LINES writes it back for vector0_0 MTE2: COPY_IN" \
    "$(line 'S has it')" "before vector0_0 S: WRITE_VALUE"
done
launch 7 elf --flags-left=ok --out=left.npy
[ -e left.npy ] || fail "a flag that may be left ends the run"
"$SIM" run custom --in in.npy --out-shape 32 --no-init-check --allow-overflow --param 7 --firmware "$FIRMWARE/tests/numbers.elf" --flags-left warn --json left.json >left.txt
grep -q '^warning  1 flag left up: flag still up at the end' left.txt || fail "no warning of a flag"
holds '.flags_left == 1' left.json
