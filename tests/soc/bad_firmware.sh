#!/bin/sh
# Misbehaving firmware is stopped: exit code 3 and one line that names core, pipe, command and
# source line.  Each on the instruction set simulator and, where that is safe, built natively.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

machine=

expect() {   # expect NAME FILE FRAGMENT...
  name=$1 file=$2
  shift 2
  status=0
  # shellcheck disable=SC2086
  timeout 60 "$SIM" run amla $machine --heads 4 --seq-kv 32 --firmware "$file" --out "$dir/out.npy" --quiet \
    >/dev/null 2>"$dir/err" || status=$?
  problem=
  [ "$status" -eq 3 ] || problem="exit code $status, not 3"
  [ "$(wc -l <"$dir/err")" -eq 1 ] || problem="$(wc -l <"$dir/err") lines on stderr"
  [ ! -e "$dir/out.npy" ] || problem="an output file was written"
  for fragment in "$@"; do
    grep -qF -e "$fragment" "$dir/err" || problem="no '$fragment' in the message"
  done
  if [ -n "$problem" ]; then
    echo "FAILED $name ($file): $problem"
    cat "$dir/err"
    failed=1
  else
    echo "ok $name: $(cat "$dir/err")"
  fi
}

both() {   # both NAME FRAGMENT...
  name=$1
  shift
  expect "$name" "$FIRMWARE/tests/$name.elf" "$@"
  expect "$name" "$FIRMWARE/tests/$name.so" "$@"
}

both deadlock "deadlock" "cube0 MTE1" "WAIT_FLAG" "event=3" "deadlock.c:7"
both out_of_bounds "array 'kv'" "cube0 MTE2" "LOAD_NZ" "out_of_bounds.c:8"
both malformed "L0C" "cube0 M:" "MMAD" "malformed.c:7"
both race "race in L1" "cube0 MTE1" "LOAD_A" "race.c:9" "LOAD_NZ" "race.c:8"
both race_gm "race in GM" "LOAD_NZ" "race_gm.c:8" "COPY_OUT" "race_gm.c:14"
both race_reuse "race in UB" "COPY_IN" "race_reuse.c:9" "VEC" "race_reuse.c:17"
both flag_twice "flag is up already" "cube0 MTE2" "flag_twice.c:8"
both flag_left "still up" "CROSS_SET" "flag_left.c:7"
both read_only "input array 'q'" "vector0_" "MTE3" "read_only.c:10"
both panic "cube0" "panic" "7"
expect panic "$FIRMWARE/tests/panic.elf" "panic.c:7"
expect wild "$FIRMWARE/tests/wild.elf" "cube0" "fault" "wild.c:7"
machine='--config ascend910_die --cores 2'
both race_cores "race in GM with AI core" "MTE3" "COPY_OUT" "race_cores.c:11" "no SYNC_ALL"
exit $failed
