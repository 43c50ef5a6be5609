#!/bin/sh
# Misbehaving firmware is stopped: exit code 3 and one line that names core, pipe, command and
# source line.  Each on the instruction set simulator and, where that is safe, built natively.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

machine=

launch() {   # launch FILE
  # shellcheck disable=SC2086
  timeout 60 "$SIM" run amla $machine --heads 4 --seq-kv 32 --firmware "$1" --out "$dir/out.npy" --quiet
}

expect() {   # expect NAME FILE FRAGMENT...
  name=$1 file=$2
  shift 2
  status=0
  launch "$file" >/dev/null 2>"$dir/err" || status=$?
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
both read_held "deadlock" "cube0 MTE2: WAIT_FLAG" "cube0 scalar core waits for its READ_GM"
both read_array "not in an array of numbers" "cube0 MTE2: READ_GM" "read_array.c:8"
both out_of_bounds "array 'kv'" "cube0 MTE2" "LOAD_NZ" "out_of_bounds.c:8"
both no_array "is in no array" "cube0 MTE2: LOAD_NZ" "no_array.c:6"
both malformed "L0C" "cube0 M:" "MMAD" "malformed.c:7"
both race "race in L1" "cube0 MTE1" "LOAD_A" "race.c:9" "LOAD_NZ" "race.c:8"
both race_gm "race in GM" "LOAD_NZ" "race_gm.c:8" "COPY_OUT" "race_gm.c:14"
both race_reuse "race in UB" "COPY_IN" "race_reuse.c:9" "VEC" "race_reuse.c:17"
both flag_twice "flag is up already" "cube0 MTE2" "flag_twice.c:8"
both flag_left "still up" "CROSS_SET" "flag_left.c:7"
both read_only "input array 'q'" "vector0_" "MTE3" "read_only.c:10"
both panic "cube0" "firmware panic, code 7 at panic.c:7"
both panic_names "cube0 firmware panic, code 70: require(found < 3, TOO_MANY) at panic_names.c:10"
expect panic "$FIRMWARE/tests/panic.elf" "panic.c:7"
expect wild "$FIRMWARE/tests/wild.elf" "cube0" "fault" "wild.c:7"
expect code "$FIRMWARE/tests/code.elf" "cube0" "fault" "code.c:6"
both direct_bounds "needs the direct path to L1" "vector0_" "MTE3" "COPY_L1" "direct_bounds.c:8"
machine='--set soc.direct_path=1'
both direct_bounds "leaves L1" "vector0_" "MTE3" "COPY_L1" "direct_bounds.c:8"
both direct_race "race in L1" "cube0 MTE1" "LOAD_B" "direct_race.c:5" "COPY_L1" "direct_race.c:11"
machine='--config ascend910_die --cores 2'
both race_cores "race in GM with AI core" "MTE3" "COPY_OUT" "race_cores.c:11" "no SYNC_ALL"
expect rewritten "$FIRMWARE/tests/rewritten.elf" "firmware panic, code 58"   # as each call ran what was written last
machine='--config ascend910_die --cores 4'
expect own_ram "$FIRMWARE/tests/own_ram.elf" "cube0 firmware panic, code 42"   # which says that all is well

# Accesses to registers that the bus does not have, and no interrupt.
machine=
launch() {
  timeout 60 "$SIM" run custom --firmware "$@" --param "$machine" --out-shape 4 --out "$dir/out.npy" --quiet
}
registers() {   # registers CASE FRAGMENT...
  machine=$1
  shift
  expect registers "$FIRMWARE/tests/registers.elf" "cube0 firmware" " at registers.c:" "$@"
}
registers 0 "writes 1 byte at register offset 312: expected 4 or 8 aligned bytes"
registers 1 "writes 2 bytes at register offset 312"
registers 2 "writes 1 byte at register offset 314"   # of a word there, which the emulator writes byte by byte
registers 3 "reads 1 byte at register offset 264"
registers 4 "reads 8 bytes at register offset 266"
registers 5 "reads 2 bytes at register offset 268"
registers 6 "reads register offset 0, which cannot be read"
registers 7 "writes register offset 264, which cannot be written"
registers 8 "writes register offset 4092, which cannot be written"
registers 9 "waits for an interrupt (wfi), and there is none"
registers 10 "reads 4 bytes at register offset 266"
registers 11 "reads 8 bytes at register offset 268"
machine=12
launch "$FIRMWARE/tests/registers.elf" --launches 2 || { echo "FAILED: accesses of words and double words"; failed=1; }
rm -f "$dir/out.npy"

# Pairs of AI cores, and gathers, with the FP8 kernel's arguments.
machine='crossover=1'
launch() {
  # shellcheck disable=SC2086
  timeout 60 "$FP8" "$1" $machine
}
both pair_left "still up" "on cube" "PAIR_SET flag=5" "pair_left.c:9"
both pair_deadlock "deadlock" "cube0 MTE2" "PAIR_WAIT flag=5" "pair_deadlock.c:7"
both pair_race "race in GM" "cube1 MTE2: LOAD_NZ" "pair_race.c:9" "vector0_0 MTE3: COPY_OUT" "pair_race.c:16"
machine='crossover=1 set=soc.direct_path=1'
both pair_l1_race "race in L1" "cube0 MTE1: LOAD_B" "pair_l1_race.c:8" "vector1_0 MTE3: COPY_L1" "pair_l1_race.c:14"
machine='cores=2 set=soc.direct_path=1'
both pair_l1_race "not one of pairs" "COPY_L1" "pair=1" "pair_l1_race.c:14"
machine='crossover=1 cores=4'
both pair_pairs "race in GM with pair" "MTE3" "COPY_OUT" "pair_pairs.c:11" "no SYNC_ALL"
machine='cores=2'
both pair_none "not one of pairs" "PAIR_SET" "pair_none.c:7"
machine='cache=sparse topk=200 tokens=100 vary=1 batch=2'
both gather_below "number is below -1" "vector0_" "GATHER_IN" "gather_below.c:10"
machine='cache=sparse topk=200 tokens=100'
both gather_bounds "its row is not inside of the array" "GATHER_IN" "gather_bounds.c:10"
both gather_list "not in an input array of numbers" "GATHER_IN" "gather_list.c:10"
both gather_writable "not in an input array" "GATHER_IN" "gather_writable.c:10"

# Arguments that the FP8 kernel refuses.
refuses() {   # refuses NAME name=value...
  code=$1
  shift
  machine="$*"
  expect "fp8 $*" "$FIRMWARE/fp8.elf" "firmware panic $code: " ": require("
  expect "fp8 $*" "$FIRMWARE/fp8.so" "firmware panic $code: " ": require("
}
refuses ARGUMENTS tiling=2
refuses ARGUMENTS cache=sparse topk=5 causal=1
refuses ARGUMENTS heads=1 crossover=1
refuses MACHINE crossover=1 cores=3

# On attention engines.
machine='d=16 blocks=2 rows=32 tokens=2 keys=20 chunk=16'
launch() {
  native=0
  [ "${1##*.}" = elf ] || native=1
  # shellcheck disable=SC2086
  timeout 60 "$ENGINE_KERNEL" "$1" native=$native $machine
}
both engine_race "race in KV" "engine0 ATTN" "ATTN q=0x0" "engine_race.c:9" "LOAD_KV" "engine_race.c:8"
both engine_early "race in EB" "engine0 STORE" "STORE_EB" "engine_early.c:10" "ATTN" "engine_early.c:8"
both engine_barrier "no PIPE_BARRIER" "engine0 ATTN" "carry=1" "engine_barrier.c:13" "carry=0" \
  "engine_barrier.c:11"
both engine_bounds "q=0x3ffe0: tile of 64 bytes leaves EB" "engine0 ATTN" "engine_bounds.c:8"
both engine_dim "dim=8: expected 16, this engine's" "engine0 LOAD" "LOAD_KV" "engine_dim.c:8"
both engine_foreign "on an attention engine: expected a vector core" "engine0" "VEC" "engine_foreign.c:6"
both engine_keys "array 'v'" "engine0 LOAD" "LOAD_KV" "engine_keys.c:8"
both engine_deadlock "deadlock" "engine0 STORE" "WAIT_FLAG from=ATTN event=2" "engine_deadlock.c:6"
both engine_panic "engine0" "firmware panic, code 7"
machine="$machine engines=2"
both engine_cores "race in GM with engine" "STORE" "STORE_EB" "engine_cores.c:8"
machine='d=16 blocks=2 rows=32 tokens=2 keys=20 chunk=16'
both engine_and_cube "race in GM with" "engine0" "no SYNC_ALL between: " "engine_and_cube.c:"
machine="$machine rtl=1"   # while keys and queries are in it
both engine_race "race in KV" "engine0 ATTN" "engine_race.c:9"
both engine_barrier "no PIPE_BARRIER" "engine0 ATTN" "engine_barrier.c:13"

# Arguments that the engines' kernel refuses.
panics() {   # panics NAME name=value...
  code=$1
  shift
  machine="d=16 blocks=2 rows=32 keys=20 chunk=16 $*"
  expect "engine $*" "$FIRMWARE/engine.elf" "engine0" "firmware panic $code: " ": require("
  expect "engine $*" "$FIRMWARE/engine.so" "engine0" "firmware panic $code: " ": require("
}
panics ARGUMENTS chunk=12 mask=1
panics ARGUMENTS tokens=21 causal=1
panics ARGUMENTS tokens=2 causal=1 mask=1
panics ARGUMENTS d=24
panics MACHINE chunk=33
panics MACHINE chunk=0
panics MACHINE heads=32 buffer_kb=4
exit $failed
