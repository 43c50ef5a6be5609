#!/bin/sh
# kill -9 of a command and all its tools while it fills a cache, with an engine's library or a unit's netlist: the next
# one gives what a command with an empty cache gave.
#   cache.sh TIMES SEED      TIMES kills, at times drawn by SEED
# SPDX-License-Identifier: Apache-2.0
times=$1 seed=$2
. "$(dirname "$0")/../script.sh"
cp -r "$ROOT/rtl" rtl
export AMALGAM_RTL="$dir/rtl" AMALGAM_SYNTH="$dir/synth" CCACHE_DISABLE=1
kept='rtl.units synth'

start() {   # start COMMAND [WORD...]: with words such as setsid before it
  command=$1
  shift
  case $command in
    engine) set -- "$@" "$SIM" run hfa --impl rtl --head-dim 4 --blocks 2 --rows 32 --seq-kv 40 --seq-q 2 --out result --quiet ;;
    synth) set -- "$@" "$SIM" synth --unit bf16_max --json result --quiet ;;
  esac
  "$@"
}
plain() { case $1 in synth) jq 'del(.host, .seconds)' result ;; engine) cat result ;; esac; }
now() { date +%s%N | cut -c 1-13; }   # in ms

for command in engine synth; do
  begin=$(now)
  start $command || { echo "FAILED: $command without a fault"; exit 1; }
  plain $command >whole_$command
  eval "took_$command=$(($(now) - begin))"
done

turn=0 during=0
while [ $turn -lt "$times" ]; do
  turn=$((turn + 1))
  case $((turn % 2)) in 0) command=synth ;; *) command=engine ;; esac
  eval "took=\$took_$command"
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  wait=$((seed / 16 % took))
  # shellcheck disable=SC2086
  rm -rf $kept result
  start $command exec setsid >/dev/null 2>&1 &   # its tools are of its process group
  process=$!
  sleep "$(printf '%d.%03d' $((wait / 1000)) $((wait % 1000)))"
  ! pkill -9 -g $process || during=$((during + 1))
  wait $process 2>/dev/null || :
  if ! start $command 2>err || ! plain $command | cmp -s - whole_$command; then
    echo "FAILED: $command, killed after $wait ms of $took: the next one: $(head -c 300 err)"
    exit 1
  fi
done
echo "$during of $times commands were killed before they ended; the next ones gave what they should"
[ $during -gt 0 ]
