#!/bin/sh
# Firmware that never ends is stopped: within a second by SIGINT and SIGTERM, or when soc.max_cycles are over; in memory
# that does not grow meanwhile; on the instruction set simulator and on the host.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../script.sh"
failed=0
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16   # of a sanitized machine: its memory is measured
export ASAN_OPTIONS

problem() { echo "FAILED $kind.$suffix: $*"; [ ! -s err ] || head -c 500 err; failed=1; }

# endless OPTION...: what firmware/endless.c does with number $kind, $times times
endless() {
  "$SIM" run custom --firmware "$FIRMWARE/tests/endless.$suffix" --param "$kind" --param "$times" --out-shape 4 \
    --no-init-check --out out.npy --quiet "$@" >out 2>err
}

for kind in 0 1 2 3 4 5 6; do
  for suffix in elf so; do
    [ $kind$suffix != 4so ] || continue   # the host does not count what its own programs do
    times=0 status=0
    endless --max-cycles 200000 || status=$?
    lines=$(grep -vcE '^cube0: a+$' err) || true
    [ $status -eq 3 ] && [ "$lines" -eq 1 ] && grep -q 'longer than soc.max_cycles allows' err || problem "exit code $status"
    grep -qE '(cube0|vector0_1) .*at endless.c:[0-9]+ \((step|run)\)' err || problem "no core and line"
    [ ! -e out.npy ] || problem "an output"

    # A second of it, with at most 400 MB: a machine takes less than half of that.
    case $suffix in elf) signal=INT code=130 ;; *) signal=TERM code=143 ;; esac
    endless --max-cycles 1000000000000000 --threads 2 & process=$!
    sleep 1
    sim=$(pgrep -P $process) || problem "ended before SIG$signal"
    memory=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$sim/status")
    [ "$memory" -lt 400000 ] || problem "$memory kB of memory"
    kill -$signal "$sim"
    begin=$(date +%s%N) status=0
    wait $process || status=$?
    took=$((($(date +%s%N) - begin) / 1000000))
    [ $status -eq $code ] || problem "exit code $status after SIG$signal"
    [ $took -lt 1000 ] || problem "SIG$signal took $took ms"
  done
done

# Of a finite number of them nothing is lost: as many commands, in the order of time, whoever has a turn in between.
kind=0 suffix=elf times=20000
endless --json r.json || problem "does not end"
jq -e '[.pipes[] | select(.pipe == "V") | .commands] == [20000, 20000]' r.json >out || problem "commands are lost"
rm -f out.npy
status=0
endless --max-cycles "$(jq '.cycles - 1' r.json)" || status=$?
[ $status -eq 3 ] || problem "a cycle less than it takes: exit code $status"
endless --max-cycles "$(jq .cycles r.json)" || problem "as many cycles as it takes"
exit $failed
