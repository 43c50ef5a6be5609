#!/bin/sh
# --show-on-stop and --stop-at: what a machine that is stopped shows. Values are those that --dump-all has of the command
# that wrote last, at random cycles; what waits for what in a deadlock is named; bits and cycles stay as they are.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../script.sh"
run() { timeout 120 "$SIM" run amla --heads 4 --seq-kv 64 --quiet --gm c "$@" 2>err; }
stopped() {   # stopped OPTION...: what is shown
  status=0
  run "$@" >said || status=$?
  [ $status -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] || fail "$*: exit code $status, $(cat err said)"
}

run --json plain.json --out plain.npy
run --json shown.json --out shown.npy --show-on-stop 'tensors;flags' --show-on-stop why --stop-at 100000000 >said
cmp plain.npy shown.npy
[ ! -s said ] || fail "shown of a run that was not stopped"
[ "$(jq '[.cycles, .pipes]' plain.json)" = "$(jq '[.cycles, .pipes]' shown.json)" ] || fail "--show-on-stop changes cycles"

# Stopped when a command has just had its effect: show has its values, and tensors its line.
run --dump-all all
jq -r 'select(.type == "F32" or .type == "BF16") | [.cycle, .core, .memory, .address, .file, .line] | @tsv' all/index.jsonl |
  awk -v seed="${SEED:-11}" 'BEGIN { srand(seed) } rand() < 0.12' >some
count=0
while IFS='	' read -r cycle core memory address file line; do
  [ "$memory" = gm ] && place=gm || place=$core.$memory
  stopped --stop-at "$cycle" --show-on-stop "show $place $address;tensors"
  grep -q "^amalgam: stopped after cycle $cycle (--stop-at)\$" err || fail "stopped at $cycle: $(cat err)"
  sed -n 2p said | grep -q "$core .* at cycle $cycle," && sed -n 2p said | grep -qF "at cycle $cycle, $line" ||
    fail "$file was not written last: $(sed -n 2p said)"
  sed '/^tensors:/,$d' said | tail -n +3 | awk '{ for (i = 2; i <= NF; ++i) print $i }' >values
  tail -c +129 "all/$file" | od -An -v -tf4 -w4 | paste - values | awk '
    { if ($1 ~ /nan/) { if ($2 != "NaN") exit 1; next }
      d = $1 - $2; if (NF != 2 || d * d > 1e-10 * $1 * $1) { print; exit 1 } }' || fail "$file: not what is shown"
  sed '1,/^tensors:/d' said | grep -qF "at cycle $cycle, $line" || fail "$file: no such tensor"
  count=$((count + 1))
done <some
[ $count -ge 5 ] || fail "only $count were compared"

# A part of a tensor lies as all of it does; and what the request says counts.
stopped --stop-at 6000 --show-on-stop 'show cube0.l0c 0;show l0c 0 2x3 f32;show gm q 1x2 bf16;show gm q+2 1x1 bf16;show gm q 1x1 u16 pitch 64 rows'
awk '/^show cube0.l0c/ { getline; getline; a = $2 $3 $4; getline; b = $2 $3 $4 }
  /^show l0c/ { getline; getline; c = $2 $3 $4; getline; d = $2 $3 $4 }
  /^show gm q 1x2/ { getline; getline; e = $3 } /^show gm q\+2/ { getline; getline; f = $2 }
  END { exit !(a != "" && a == c && b == d && e != "" && e == f) }' said || fail "parts: $(cat said)"
# Strips lie end to end unless a pitch is given.
stopped --stop-at 6000 --show-on-stop 'show l1 0 4x40 bf16 strips'
tail -n +3 said >strips
stopped --stop-at 6000 --show-on-stop 'show l1 0 4x40 bf16 strips pitch 128'
tail -n +3 said | cmp - strips && [ "$(tr ' ' '\n' <strips | sort -u | wc -l)" -gt 40 ] || fail "strips: $(cat strips said)"

# A deadlock: who waits for what, and nobody raises it.
status=0
timeout 60 "$SIM" run custom --param 0 --out-shape 8 --quiet --firmware "$FIRMWARE/tests/mistakes.elf" --show-on-stop 'why;pipes cube0' \
  >said 2>err || status=$?
[ $status -eq 3 ] && grep -q deadlock err || fail "deadlock: $status, $(cat err)"
grep -q '^cube0 MTE1 waits for flag 3 of MTE2, mistakes.c:[0-9]* (on_cube)$' said &&
  grep -q '^  no SET_FLAG of it has been pushed: cube0 MTE2 has no command; its program has ended$' said &&
  grep -q '^cube0 *MTE1 *waits .* 1 queued, 0 in flight; at WAIT_FLAG from=MTE2 event=3 at mistakes.c:' said ||
  fail "deadlock: $(cat said)"
# A pipe that waits for itself.
status=0
timeout 60 "$SIM" run amla --heads 4 --seq-kv 64 --quiet --firmware "$FIRMWARE/tests/in_flight.elf" --show-on-stop "why all" --stop-at 100 \
  >said 2>err || status=$?
[ $status -eq 3 ] && grep -q '^vector0_0 MTE3 waits in a MARK for 1 command in flight, in_flight.c:' said &&
  grep -q '^vector0_1 MTE3 waits in a PIPE_BARRIER for 1 command in flight, in_flight.c:' said || fail "in flight: $status, $(cat err said)"
# ... also without values; a kernel that takes too long; a panic.
stopped --show-on-stop help --max-cycles 3000
grep -q '^why \[CORE|all\] ' said || fail "--max-cycles: $(cat said)"
stopped --timing-only --show-on-stop 'why;flags' --stop-at 6000
grep -q '^why:' said && grep -q ' to .*, event ' said || fail "--timing-only: $(cat said)"
status=0
timeout 60 "$SIM" run amla --heads 4 --seq-kv 32 --quiet --firmware "$FIRMWARE/tests/prints.elf" --show-on-stop 'tensors;pipes' \
  >said 2>err || status=$?
[ $status -eq 3 ] && grep -q '^gm q  BF16 \[4\]\[576\]  as it was given$' said && grep -q '^cube0  its program has ended$' said ||
  fail "a panic: $status, $(cat said)"

refused() {   # refused FRAGMENT REQUEST OPTION...
  fragment=$1 request=$2
  shift 2
  status=0
  run --show-on-stop "$request" "$@" >said || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$fragment" err || fail "'$request' is not refused: $status, $(cat err)"
}
refused "expected help, tensors, show, flags, pipes or why" wherefore
refused "expected what to show" ""
refused "no core 'cube7'" "why cube7"
refused "expected a core or all" "flags cube0 cube0"
refused "no memory 'l2'" "show l2 0"
refused "vector0_0 has no l0c" "show vector0_0.l0c 0"
refused "no core has a eb" "show eb 0"
refused "no such address '0x20000'" "show l0c 0x20000"
refused "ends before that: it has 131072 bytes" "show l0c 131000 16x16 f32"
refused "an address or the name of an array, got 'nobody'" "show gm nobody"
refused "expected ROWSxCOLS TYPE" "show ub 0 16 f32"
refused "expected ROWSxCOLS TYPE" "show ub 0 16x16"
refused "1 to 65536 elements" "show ub 0 0x16 f32"
refused "1 to 65536 elements" "show ub 0 1x65537 f32"
refused "no type 'f8'" "show ub 0 1x1 f8"
refused "strips (of 8 or 16 bits), rows or pitch BYTES, got 'strips'" "show ub 0 1x1 f32 strips"
refused "strips (of 8 or 16 bits), rows or pitch BYTES, got 'pitch'" "show ub 0 1x1 f32 pitch"
refused "--timing-only computes none" "tensors" --timing-only
echo "a stopped machine shows what $count commands left, and why"
