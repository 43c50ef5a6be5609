#!/bin/sh
# Misbehaving firmware is stopped: exit code 3 and one line that names core, pipe, command and
# source line.  Each on the instruction set simulator and, where that is safe, built natively.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

"$MKNPY" "$dir/in.npy" '<u2' 32,16
machine=

launch() {   # launch FILE
  # shellcheck disable=SC2086
  timeout 60 "$SIM" run custom $machine --in "$dir/in.npy" --out-shape 32 --param "$number" --firmware "$1" \
    --out "$dir/out.npy" --quiet
}

# Fragments of the message, of which @NAME is the line of firmware/FILE.c that has the comment NAME.
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
    case $fragment in
      @*) fragment="$source.c:$(grep -n "  // ${fragment#@}\$" "firmware/$source.c" | cut -d: -f1)" ;;
    esac
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

source=mistakes
riscv() {   # riscv NUMBER FRAGMENT...: mistake NUMBER of the source
  number=$1
  shift
  expect "$source $number" "$FIRMWARE/tests/$source.elf" "$@"
}
both() {   # both NUMBER FRAGMENT...
  riscv "$@"
  shift
  expect "$source $number" "$FIRMWARE/tests/$source.so" "$@"
}

native() {   # the same, where RV64 firmware would do something else
  number=$1
  shift
  expect "$source $number" "$FIRMWARE/tests/$source.so" "$@"
}

both 0 "deadlock" "cube0 MTE1" "WAIT_FLAG" "event=3" "@nobody"
both 1 "deadlock" "cube0 MTE2: WAIT_FLAG" "cube0 scalar core waits for its READ_GM"
both 2 "not in an array of numbers" "cube0 MTE2: READ_GM" "@no numbers"
both 3 "array 'in0'" "cube0 MTE2" "LOAD_NZ" "@row"
both 4 "is in no array" "cube0 MTE2: LOAD_NZ" "@row"
both 5 "L0C" "cube0 M:" "MMAD" "@leaves L0C"
both 6 "race in L1" "cube0 MTE1" "LOAD_A" "@not arrived" "LOAD_NZ" "@row"
both 7 "race in GM" "LOAD_NZ" "@row" "COPY_OUT" "@store"
both 8 "race in UB" "COPY_IN" "@ub" "VEC" "@still read"
both 9 "flag is up already" "cube0 MTE2" "@twice"
both 10 "still up" "CROSS_SET" "@left"
both 11 "input array 'in0'" "vector0_" "MTE3" "@store"
native 19 "cube0: native firmware needs more than " " KiB of stack"
native 20 "cube0: native firmware needs more than " " KiB of stack"
both 12 "cube0" "firmware panic, code 77 at " "@gives up"
both 13 "cube0 firmware panic, code 70: require(found < 3, TOO_MANY)" "@check"
riscv 14 "cube0" "fault" "@wild"
riscv 15 "cube0" "fault" "@code"
both 16 "needs the direct path to L1" "vector0_" "MTE3" "COPY_L1" "@beyond L1"
machine='--set soc.direct_path=1'
both 16 "leaves L1" "vector0_" "MTE3" "COPY_L1" "@beyond L1"
both 17 "race in L1" "cube0 MTE1" "LOAD_B" "@still written" "COPY_L1" "@into L1"
machine='--config ascend910_die --cores 2'
both 18 "race in GM with AI core" "MTE3" "COPY_OUT" "@store" "no SYNC_ALL"
expect rewritten "$FIRMWARE/tests/rewritten.elf" "firmware panic, code 58"   # as each call ran what was written last
machine='--config ascend910_die --cores 4'
expect own_ram "$FIRMWARE/tests/own_ram.elf" "cube0 firmware panic, code 42"   # which says that all is well

# Waits that are missing, and one that is not: another AI core waits.
source=races
launch() {
  # shellcheck disable=SC2086
  timeout 60 "$SIM" run custom $machine --param "$number" --out-shape 16384 --firmware "$1" --out "$dir/out.npy" --no-init-check \
    --quiet
}
machine='--config ascend910_core'
both 0 "race in GM" "cube0 MTE2: LOAD_NZ" "@load" "vector0_0 MTE3: COPY_OUT" "@put"
machine='--config ascend910_die --cores 2'
both 1 "race in GM with AI core" "no SYNC_ALL"
both 2 "race in UB" "vector0_0 MTE3: COPY_OUT" "@of V" "vector0_0 V: VEC" "@fill"
both 3 "race in GM with AI core" "no SYNC_ALL"
both 4 "race in GM with AI core" "no SYNC_ALL"
number=5
for file in elf so; do
  launch "$FIRMWARE/tests/races.$file" || { echo "FAILED: a way through another AI core, $file"; failed=1; }
done
rm -f "$dir/out.npy"

# Accesses to registers that the bus does not have, and no interrupt.
machine=
launch() {
  timeout 60 "$SIM" run custom --firmware "$@" --param "$machine" --out-shape 4 --no-init-check --out "$dir/out.npy" --quiet
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
source=mistakes_pair
machine='crossover=1'
launch() {
  # shellcheck disable=SC2086
  timeout 60 "$FP8" "$1" $machine ${number:+mistake=$number}
}
both 1 "still up" "on cube" "PAIR_SET flag=5" "@left"
both 2 "deadlock" "cube0 MTE2" "PAIR_WAIT flag=5" "@nobody"
both 3 "race in GM" "cube1 MTE2: LOAD_NZ" "@other's" "vector0_0 MTE3: COPY_OUT" "@store"
machine='crossover=1 set=soc.direct_path=1'
both 5 "race in L1" "cube0 MTE1: LOAD_B" "@still written" "vector1_0 MTE3: COPY_L1" "@into L1"
machine='cores=2 set=soc.direct_path=1'
both 5 "not one of pairs" "COPY_L1" "pair=1" "@into L1"
machine='crossover=1 cores=4'
both 4 "race in GM with pair" "MTE3" "COPY_OUT" "@store" "no SYNC_ALL"
machine='cores=2'
both 0 "not one of pairs" "PAIR_SET" "@no pair"
machine='cache=sparse topk=200 tokens=100 vary=1 batch=2'
both 6 "number is below -1" "vector0_" "GATHER_IN" "@gather"
machine='cache=sparse topk=200 tokens=100'
both 7 "its row is not inside of the array" "GATHER_IN" "@gather"
both 8 "not in an input array of numbers" "GATHER_IN" "@gather"
both 9 "not in an input array" "GATHER_IN" "@gather"

# Arguments that the FP8 kernel refuses.
number=
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
source=mistakes_engine
machine='d=16 blocks=2 rows=32 tokens=2 keys=20 chunk=16'
launch() {
  native=0
  [ "${1##*.}" = elf ] || native=1
  # shellcheck disable=SC2086
  timeout 60 "$ENGINE_KERNEL" "$1" native=$native $machine ${number:+mistake=$number}
}
both 0 "race in KV" "engine0 ATTN" "ATTN q=0x0" "@not arrived" "LOAD_KV" "@key"
both 1 "race in EB" "engine0 STORE" "STORE_EB" "@store" "ATTN" "@to come"
both 2 "no PIPE_BARRIER" "engine0 ATTN" "carry=1" "@second" "carry=0" "@first"
both 3 "q=0x3ffe0: tile of 64 bytes leaves EB" "engine0 ATTN" "@too far"
both 4 "dim=8: expected 16, this engine's" "engine0 LOAD" "LOAD_KV" "@key"
both 5 "on an attention engine: expected a vector core" "engine0" "VEC" "@foreign"
both 6 "array 'v'" "engine0 LOAD" "LOAD_KV" "@beyond"
both 7 "deadlock" "engine0 STORE" "WAIT_FLAG from=ATTN event=2" "@nobody"
both 8 "engine0" "firmware panic, code 77"
both 10 "race in GM with" "engine0" "no SYNC_ALL between: " "@of the cube"
machine="$machine rtl=1"   # while keys and queries are in it
both 0 "race in KV" "engine0 ATTN" "@not arrived"
both 2 "no PIPE_BARRIER" "engine0 ATTN" "@second"
machine='d=16 blocks=2 rows=32 tokens=2 keys=20 chunk=16 engines=2'
both 9 "race in GM with engine" "STORE" "STORE_EB" "@store"

# Arguments that the engines' kernel refuses.
number=
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
