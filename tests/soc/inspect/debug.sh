#!/bin/sh
# Looking at firmware: what it prints, the calls behind a panic, and a session of gdb-multiarch with the
# AMLA kernel, which changes no cycle.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../script.sh"

# Printing, and a panic two calls down, on both machines.
cat >expected <<'END'
cube0: -1   -42|7    |0beef|ffffffff
cube0: -1234567890123 18446744073709551615 0x00000123456789ab text! %
cube0:    right|left    |x|9|0x10
cube0: unfinished.
END
for kind in elf so; do
  status=0
  "$SIM" run amla --heads 4 --seq-kv 32 --quiet --firmware "$FIRMWARE/tests/prints.$kind" 2>err || status=$?
  [ $status -eq 3 ] || fail "$kind: exit code $status"
  grep '^cube0: ' err | cmp - expected || fail "$kind prints $(cat err)"
  grep -q '^vector0_0: vector 0$' err && grep -q '^vector0_1: vector 1$' err || fail "$kind: vector cores"
  grep -E '^amalgam: cube0 firmware panic MACHINE: .*: require\(depth != 3, PANIC_MACHINE\) at prints\.c:8 \(innermost\); called from prints\.c:14 \(middle\), prints\.c:24 \(cube_main\)' err ||
    fail "$kind: no calls in $(cat err)"
done

# A fault of an address names its calls, too.
status=0
"$SIM" run custom --param 14 --out-shape 8 --quiet --firmware "$FIRMWARE/tests/mistakes.elf" 2>err || status=$?
[ $status -eq 3 ] && grep -q 'mistakes.c:[0-9]* (on_cube).*; called from .*boot.c:[0-9]* (boot_main)' err ||
  fail "a fault: $status, $(cat err)"

refused() {   # refused FRAGMENT OPTION...
  fragment=$1
  shift
  status=0
  timeout 20 "$SIM" run amla --heads 4 --seq-kv 32 --quiet "$@" 2>err || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -e "$fragment" err ||
    fail "$* is not refused: exit code $status, $(cat err)"
}
refused 'CORE:PORT' --gdb cube0
refused 'CORE:PORT' --gdb cube0:99999
refused "no core 'cube9'" --gdb cube9:0
refused 'RV64' --gdb cube0:0 --firmware native

if ! command -v gdb-multiarch >/dev/null; then
  echo "printing and calls; no gdb-multiarch, no session"
  exit 77
fi

cycles() { jq .cycles "$1"; }
port_of() {   # port_of CORE: where it waits
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    if [ -e err ] && sed -n "s/^$1: waits for .*127.0.0.1:\([0-9]*\)'/\1/p" err | sort -u | grep .; then
      return 0
    fi
    sleep 0.5
  done
  return 1
}
run() { timeout 120 "$SIM" run amla --heads 8 --seq-kv 1100 --quiet "$@"; }
run --json plain.json --out plain.npy

# A core of each kind at once; the kernel's tiling in the cube core.
rm -f err   # of the runs before
run --json debugged.json --out debugged.npy --gdb cube0:0 --gdb vector0_1:0 2>err &
sim=$!
cube=$(port_of cube0) || fail "cube0 does not wait: $(cat err)"
vector=$(port_of vector0_1) || fail "vector0_1 does not wait: $(cat err)"
cat >cube.gdb <<END
set pagination off
set confirm off
target remote 127.0.0.1:$cube
break attention_cube
continue
backtrace
print problem->tiling.left
print problem->args.keys
print/x *(unsigned *)0x4000000000 != 0
set var \$a5 = 77
print \$a5
break store_result
continue
info breakpoints
delete
stepi
step
finish
print \$sp > 0x80000000 && \$sp < 0x80002000
continue
END
cat >vector.gdb <<END
set pagination off
set confirm off
target remote 127.0.0.1:$vector
break vector_main
continue
next
delete
continue
END
timeout 60 gdb-multiarch -nx -batch -x vector.gdb "$FIRMWARE/amla.elf" >vector.said 2>&1 &
gdb=$!
timeout 60 gdb-multiarch -nx -batch -x cube.gdb "$FIRMWARE/amla.elf" >said 2>&1 || fail "gdb: $(cat said)"
wait $gdb || fail "gdb: $(cat vector.said)"
status=0
wait $sim || status=$?
[ $status -eq 0 ] || fail "the debugged run: exit code $status, $(cat err)"
# $5, or $6 where what finish ended had a value.
for line in 'Breakpoint 1, attention_cube' '#1 .* in cube_main .* at .*amla.c:' '#2 .* in boot_main' \
  '\$1 = 4$' '\$2 = 1100$' '\$3 = 0x1$' '\$4 = 77$' 'Breakpoint 2.*store_result' '\$[56] = 1$' \
  'breakpoint already hit' 'exited normally'; do
  grep -q -e "$line" said || fail "no '$line' in the session: $(cat said)"
done
grep -q 'Breakpoint 1, .*vector_main' vector.said && grep -q 'exited normally' vector.said ||
  fail "the vector core's session: $(cat vector.said)"
[ "$(cycles plain.json)" = "$(cycles debugged.json)" ] || fail "$(cycles debugged.json) cycles, $(cycles plain.json) without gdb"
cmp plain.npy debugged.npy

# While the program stands, so does time: a run that waits for its debugger does not end; detached it does.
rm err
run --json detached.json --gdb cube0:0 2>err &
sim=$!
cube=$(port_of cube0) || fail "cube0 does not wait"
cat >detach.gdb <<END
set pagination off
target remote 127.0.0.1:$cube
break attention_cube
continue
shell sleep 2; ls detached.json 2>/dev/null && echo it has ended
detach
END
timeout 60 gdb-multiarch -nx -batch -x detach.gdb "$FIRMWARE/amla.elf" >said 2>&1 || fail "gdb: $(cat said)"
! grep -q 'it has ended' said || fail "time does not stand"
wait $sim || fail "a detached run"
[ "$(cycles plain.json)" = "$(cycles detached.json)" ] || fail "detached: $(cycles detached.json) cycles"

# Of a program that is launched many times the next launch waits again, until a debugger detaches.
rm err
timeout 120 "$SIM" run lm --impl c --prompt x --tokens 2 --quiet --gdb engine1:0 >lm.text 2>err &
sim=$!
for end in continue detach; do
  engine=$(port_of engine1) || fail "engine1 does not wait"
  cat >engine.gdb <<END
set pagination off
target remote 127.0.0.1:$engine
break engine_main
continue
delete
$end
END
  timeout 60 gdb-multiarch -nx -batch -x engine.gdb "$FIRMWARE/engine.elf" >said 2>&1 || fail "gdb: $(cat said)"
  grep -q 'Breakpoint 1, .*engine_main' said || fail "no engine_main: $(cat said)"
done
wait $sim || fail "run lm: $(cat err)"
same_waits=$(grep -c '^engine1: waits' err)
[ "$same_waits" -eq 2 ] || fail "engine1 has waited $same_waits times"

# One that waits is ended by SIGTERM, too.
rm err
timeout -k 20 2 "$SIM" run lm --impl c --prompt x --tokens 2 --quiet --gdb engine1:0 >lm.text 2>err &
sim=$!
status=0
wait $sim || status=$?
[ $status -eq 124 ] || fail "a run that waits, after SIGTERM: exit code $status"

# monitor: what the machine holds and waits for, as --show-on-stop has it; the same cycles and bits.
rm err
run --json asked.json --out asked.npy --gdb cube0:0 --gdb vector0_0:0 2>err &
sim=$!
cube=$(port_of cube0) || fail "cube0 does not wait"
vector=$(port_of vector0_0) || fail "vector0_0 does not wait"
cat >asked.gdb <<END
set pagination off
set confirm off
target remote 127.0.0.1:$cube
monitor help
monitor tensors
monitor nonsense
monitor show l0c zero
monitor show ub 0
break store_result
continue
continue 3
monitor pipes
monitor flags
monitor why
monitor tensors
monitor show l0c 0
monitor show gm q 1x4 bf16
monitor show vector0_1.ub 0 1x1 f32
monitor why all
delete
continue
END
cat >vector.gdb <<END
set pagination off
set confirm off
target remote 127.0.0.1:$vector
break vector_main
continue
monitor pipes
delete
continue
END
timeout 60 gdb-multiarch -nx -batch -x vector.gdb "$FIRMWARE/amla.elf" >vector.said 2>&1 &
gdb=$!
timeout 60 gdb-multiarch -nx -batch -x asked.gdb "$FIRMWARE/amla.elf" >said 2>&1 || fail "gdb: $(cat said)"
wait $gdb || fail "gdb: $(cat vector.said)"
wait $sim || fail "a run that is asked: $(cat err)"
cmp plain.npy asked.npy
[ "$(jq '[.cycles, .pipes]' plain.json)" = "$(jq '[.cycles, .pipes]' asked.json)" ] || fail "monitor changes cycles"
grep -q '^vector0_0 *MTE3 ' vector.said || fail "the vector core's monitor: $(cat vector.said)"
for line in 'show \[CORE.\]MEMORY ADDRESS' "^'nonsense': expected help" "expected an address in bytes, got 'zero'" \
  '^show: no command wrote there; say ROWSxCOLS TYPE' '^gm q  BF16 \[8\]\[576\]  as it was given' \
  '^cube0  its program ' '^cube0 *M  *[a-z]* *cycle [0-9]*, [0-9]* commands\{0,1\} done' '^cube0  MTE1 to MTE2, event [0-9]*: ' \
  '^cube0 [A-Z0-9]* \(waits for\|is busy\)' '^cube0.l0a 0x0  BF16 .* in strips  cube0 MTE1 LOAD_A at cycle' \
  '^cube0.l0c 0x0  F32 .* cube0 M MMAD at cycle [0-9]*, attention_cube_multiply.h' '^vector0_1 ' '^vector0_1.ub 0x0  F32 \[1\]\[1\]'; do
  grep -q -e "$line" said || fail "no '$line' in the session: $(cat said)"
done
# What it showed is what is there at the cycle of that command without a debugger.
awk '/^cube0.l0c 0x0 .* MMAD at cycle/ { seen = NR; text = $0 } END { print text }' said >header
cycle=$(sed 's/.* at cycle \([0-9]*\),.*/\1/' header)
"$SIM" run amla --heads 8 --seq-kv 1100 --quiet --stop-at "$cycle" --show-on-stop 'show cube0.l0c 0' >there 2>/dev/null || :
tail -n +2 there >want
[ "$(wc -l <want)" -gt 8 ] || fail "nothing is there at cycle $cycle"
awk 'NR == FNR { want[++n] = $0; next } $0 == want[at + 1] { ++at } END { exit at < n }' want said ||
  fail "gdb shows other values than there are at cycle $cycle"

# A panic stops in gdb, with its calls; kill ends the run as Ctrl-C does.
rm err
timeout 120 "$SIM" run amla --heads 4 --seq-kv 32 --quiet --firmware "$FIRMWARE/tests/prints.elf" \
  --gdb cube0:0 2>err &
sim=$!
cube=$(port_of cube0) || fail "cube0 does not wait"
cat >panic.gdb <<END
set pagination off
set confirm off
target remote 127.0.0.1:$cube
continue
backtrace
kill
END
timeout 60 gdb-multiarch -nx -batch -x panic.gdb "$FIRMWARE/tests/prints.elf" >said 2>&1 || fail "gdb: $(cat said)"
grep -q 'SIGABRT' said && grep -qE '#[0-9] .*innermost' said && grep -qE '#[0-9] .*middle' said ||
  fail "a panic in gdb: $(cat said)"
status=0
wait $sim || status=$?
[ $status -eq 130 ] || fail "killed: exit code $status, $(cat err)"
# A written program counter: the panic is jumped over.
rm err
timeout 120 "$SIM" run amla --heads 4 --seq-kv 32 --quiet --firmware "$FIRMWARE/tests/prints.elf" \
  --gdb cube0:0 2>err &
sim=$!
cube=$(port_of cube0) || fail "cube0 does not wait"
cat >jump.gdb <<END
set pagination off
set confirm off
target remote 127.0.0.1:$cube
break prints.c:23
continue
jump prints.c:25
END
timeout 60 gdb-multiarch -nx -batch -x jump.gdb "$FIRMWARE/tests/prints.elf" >said 2>&1 || fail "gdb: $(cat said)"
wait $sim || :
grep -q '^cube0: never$' err && ! grep -q 'panic\|unfinished' err || fail "a jump: $(cat err said)"

# A debugger that comes when no connection can be had: the run says so, and goes on without.
if command -v strace >/dev/null; then
  rm err
  ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0   # its leak finder cannot work beside strace
  export ASAN_OPTIONS
  timeout 120 strace -f -qq --seccomp-bpf -o /dev/null -e trace=accept4 -e inject=accept4:error=EMFILE \
    "$SIM" run amla --heads 4 --seq-kv 32 --quiet --json alone.json --gdb cube0:0 2>err &
  sim=$!
  cube=$(port_of cube0) || fail "cube0 does not wait"
  timeout 20 gdb-multiarch -nx -batch -ex "target remote 127.0.0.1:$cube" >said 2>&1 || :
  wait $sim || fail "a debugger that cannot be heard ends the run: $(cat err)"
  grep -q '^cube0: goes on without a debugger, which cannot be heard: Too many open files$' err || fail "it is not said: $(cat err)"
fi
echo "sessions of gdb, $(cycles plain.json) cycles with and without"
