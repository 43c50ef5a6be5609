#!/bin/sh
# A disk that is full, memory that cannot be had, a power cut: whatever a command was doing, a file under its final name
# is what was there before or the whole result, and what the command ends with says which.
#   faults.sh KIND TIMES SEED      KIND: disk, write, memory or kill; TIMES faults of it, drawn by SEED
# SPDX-License-Identifier: Apache-2.0
kind=$1 times=$2 seed=$3
. "$(dirname "$0")/../script.sh"
failed=0 all=0 nothing=0

problem() { echo "FAILED $command, $kind $fault: $*"; [ ! -s err ] || head -c 300 err; failed=1; }

# The commands; each writes files of these names into the current folder.
files_run='o.npy r.json t.json l.txt c.json'
files_report='table2.md table2.json'
start() {   # start COMMAND [WORD...]: with words such as env or strace before it
  to=$1
  shift
  case $to in
    run) set -- "$@" "$SIM" run amla --heads 4 --seq-kv 64 --quiet --out o.npy --json r.json --timeline t.json --log l.txt \
      --critical-path c.json ;;
    report) set -- "$@" "$SIM" report table2 --seq-kv 512 --batch 1 --cores 1 --out . --quiet ;;
  esac
  "$@"
}
names() { case $1 in run) echo "$files_run" ;; report) echo "$files_report" ;; esac; }
plain() { case $1 in *r.json | *table2.json) jq 'del(.host)' "$1" ;; *) cat "$1" ;; esac; }

# What each gives when nothing goes wrong.
for command in run report; do
  mkdir "whole_$command"
  (cd "whole_$command"; start $command) || fail "$command without a fault"
  for name in $(names $command); do
    [ -s "whole_$command/$name" ] || fail "$command writes no $name"
    plain "whole_$command/$name" >"whole_$command.$name"
  done
done

# Every file is what it was, or gone if one of several could not take its name, or all are whole; nothing else is there,
# but after a kill.
check() {   # check STATUS
  whole=0 rest=0
  for name in $(names $command); do
    if [ ! -e "work/$name" ] || [ "$(cat "work/$name")" = old ]; then
      rest=$((rest + 1))
    elif plain "work/$name" 2>/dev/null | cmp -s - "whole_$command.$name"; then
      whole=$((whole + 1))
    else
      problem "$name is neither what it was nor whole"
    fi
  done
  if [ "$kind" != kill ]; then
    [ "$1" -ne 0 ] || [ $rest -eq 0 ] || problem "exit code 0, and $rest files not written"
    [ $whole -eq 0 ] || [ $rest -eq 0 ] || [ $command = report ] || problem "$whole files whole, $rest not"
    [ "$1" -gt 128 ] || [ -z "$(find work -name '*.part*')" ] || problem "left: $(ls -A work)"
  fi
  [ $rest -eq 0 ] && all=$((all + 1)) || nothing=$((nothing + 1))
}
fresh() {
  rm -rf work
  mkdir work
  for name in $(names $command); do echo old >"work/$name"; done
}
draw() { seed=$(((seed * 1103515245 + 12345) % 2147483648)); drawn=$((seed / 16 % $1)); }   # below this

[ "$kind" != memory ] || for command in run report; do
  fresh
  (cd work; start $command env LD_PRELOAD="$NO_MEMORY" FAULT_COUNT="$dir/count_$command") 2>err >out
done
# What is no file, either: every allocation there is.
if [ "$kind" = memory ]; then
  command=--version
  version=$("$SIM" --version)
  env LD_PRELOAD="$NO_MEMORY" FAULT_COUNT="$dir/count" "$SIM" --version >out
  for fault in $(seq "$(cat count)"); do
    status=0
    said=$(env LD_PRELOAD="$NO_MEMORY" FAULT_AT=$fault "$SIM" --version 2>err) || status=$?
    [ $status -eq 2 ] || [ "$said" = "$version" ] || problem "exit code $status, '$said'"
  done
fi

largest=200000
turn=0
while [ $turn -lt "$times" ]; do
  turn=$((turn + 1))
  case $((turn % 3)) in 0) command=report ;; *) command=run ;; esac
  fresh
  status=0
  case $kind in
    disk)   # no file larger than this
      draw 14
      fault=$((largest >> drawn))
      draw $((fault + 1))
      fault=$drawn
      { (cd work; start $command prlimit --fsize=$fault) || echo $? >status; } 2>&1 | cat >err
      [ ! -e status ] || { status=$(cat status); rm status; }
      [ $status -eq 0 ] || { [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]; } || problem "exit code $status" ;;
    write)   # from this call on, of one of these
      draw 5
      case $drawn in 0) call=rename,renameat,renameat2,link ;; 1) call=close ;; 2) call=openat ;; *) call=write,pwrite64,writev ;; esac
      case $call in rename*) draw 6 ;; openat) draw 150 ;; close) draw 80 ;; *) draw 60 ;; esac
      fault=$call:$((drawn + 1))
      (cd work; start $command strace -f -qq -o /dev/null -e "trace=$call" -e "inject=$call:error=ENOSPC:when=$((drawn + 1))+") >out 2>err ||
        status=$?
      [ $status -lt 128 ] || problem "exit code $status" ;;
    memory)
      draw "$(cat count_$command)"
      fault=$((drawn + 1)) on=
      [ $((turn % 2)) -eq 0 ] || on=FAULT_ON=1
      (cd work; start $command env LD_PRELOAD="$NO_MEMORY" FAULT_AT=$fault $on) >out 2>err || status=$?
      [ $status -lt 128 ] || problem "exit code $status" ;;
    kill)   # within this many hundredths of a second, beside another that writes the same files
      draw 40
      fault=0.$(printf %02d $drawn)
      (cd work; start $command >../out2 2>../err2) & other=$!
      (cd work; start $command >../out 2>../err) & process=$!
      sleep "$fault"
      pkill -9 -P $process || :   # it may be over
      wait $process 2>/dev/null || status=$?
      wait $other || problem "the one beside it: exit code $?" ;;
  esac
  check $status
done
echo "$kind: $times faults: $all times all was written, $nothing times not"
exit $failed
