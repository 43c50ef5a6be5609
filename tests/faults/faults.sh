#!/bin/sh
# A disk that is full, memory that cannot be had, a power cut: whatever a command was doing, a file under its final name
# is what was there before or the whole result, and what the command ends with says which.
#   faults.sh KINDS TIMES SEED      KINDS: of disk, room, write, limit, memory and kill; TIMES faults of each, drawn by SEED
# SPDX-License-Identifier: Apache-2.0
kinds=$1 times=$2 seed=$3
. "$(dirname "$0")/../script.sh"
failed=0

problem() { echo "FAILED $command, $kind $fault: $*"; [ ! -s err ] || head -c 300 err; failed=1; }

# The commands; each writes files into the current folder. Some read what `run` or `tiny` have written.
commands='run trace engine dump decode report convert diff explain blame synth sweep page'
export AMALGAM_SYNTH="$dir/synth"
attention='run amla --heads 4 --seq-kv 64 --quiet'
words() {
  case $1 in
    run) echo "$attention --out o.npy --json r.json --csv r --profile --timeline t.json --log l.txt --critical-path c.json" ;;
    trace) echo "$attention --trace w.fst --trace-scope cube0 --json t.json" ;;
    engine) echo "run hfa --blocks 2 --rows 64 --head-dim 8 --seq-kv 40 --quiet --trace w.fst --out o.npy" ;;
    dump) echo "$attention --dump-all all --dump mmad#1:l0c:d.npy" ;;
    report) echo "report table2 --seq-kv 512 --batch 1 --cores 1 --out . --quiet" ;;
    convert) echo "convert $ROOT/tests/data/mla_real_kv_bf16bits.npy tokens.npy --quiet" ;;
    decode) echo "run decode --gm c --firmware native --layers 1 --tokens 1 --prompt a --quiet --logits l.npy --json d.json" ;;
    tiny) echo "run gemm --m 16 --n 16 --k 16 --gm c --quiet --json tiny.json" ;;
    explain) echo "explain $dir/whole_tiny/tiny.json --json e.json --quiet" ;;
    synth) echo "synth --unit bf16_max --json s.json --quiet" ;;
    sweep) echo "sweep $dir/study.yaml --quiet" ;;
    sweep_again) echo "sweep $dir/study.yaml --quiet --retry-failed" ;;
    diff) echo "diff $dir/whole_run/r.json $dir/whole_run/r.json --json d.json --quiet" ;;
    blame) echo "blame $dir/whole_run/r.json --element 0,0 --json b.json --csv b --quiet --no-repair" ;;
    page) echo "report table2 --seq-kv 512 --batch 1 --cores 1 --out . --quiet --html" ;;
  esac
}
start() {   # start COMMAND [WORD...]: with words such as env or strace before it
  to=$1
  shift
  # shellcheck disable=SC2046   # words
  "$@" "$SIM" $(words "$to")
}
cat >study.yaml <<'YAML'
question: What do columns cost?
command: run gemm --m 16 --n 16 --k 16 --timing-only
axes:
  - {name: columns, option: --n, values: [16, 32]}
metrics:
  - {name: cycles, json: cycles}
YAML
# What is the same whenever it is written: JSON without its host, tables of sweeps without times, waveforms without their
# head, which has a date.
plain() {
  case $1 in
    *.json) jq 'del(.host, .seconds)' "$1" ;;
    *results.csv) cut -d , -f 1-2 "$1" ;;
    *.fst) tail -c +331 "$1" ;;
    *) cat "$1" ;;
  esac
}
files() { (cd "$1"; find . -type f | sort); }

# What a command writes without a fault; once.
prepare() {   # prepare COMMAND
  [ ! -e "files_$1" ] || return 0
  case $1 in
    diff | blame) prepare run ;;
    explain) prepare tiny ;;
  esac
  mkdir "whole_$1"
  (cd "whole_$1"; start "$1" >/dev/null) || fail "$1 without a fault"
  # A sweep's other files have times.
  files "whole_$1" | if [ "$1" = sweep ]; then grep 'results\.csv$'; else cat; fi >"files_$1"
  [ -s "files_$1" ] || fail "$1 writes no file"
}

# Every file is what it was, or gone if one of several could not take its name, or all are whole; nothing else is there,
# but after a kill. A report's page is made when the report is there. A sweep leaves what the next one goes on from, and
# points that have failed.
check() {   # check STATUS
  whole=0 rest=0
  if [ "$command" = sweep ]; then
    (cd work; start sweep_again >/dev/null 2>../err2) || problem "the next sweep: exit code $?, $(head -c 300 err2)"
  fi
  while read -r name; do
    if [ ! -e "work/$name" ] || [ "$(cat "work/$name")" = old ]; then
      rest=$((rest + 1))
    elif [ "$(plain "work/$name" 2>/dev/null | cksum)" = "$(plain "whole_$command/$name" | cksum)" ]; then
      whole=$((whole + 1))
    else
      problem "$name is neither what it was nor whole"
    fi
  done <"files_$command"
  if [ "$kind" != kill ]; then
    [ "$1" -ne 0 ] || [ $rest -eq 0 ] || problem "exit code 0, and $rest files not written"
    [ $whole -eq 0 ] || [ $rest -eq 0 ] || [ "$command" = page ] || problem "$whole files whole, $rest not"
    [ "$command" = sweep ] || [ -z "$(files work | comm -23 - "files_$command")$(find work -mindepth 1 -type d -empty)" ] ||
      problem "left: $(files work)"
    [ -z "$(find work -name '*.part*')" ] || problem "left: $(find work -name '*.part*')"
  fi
  [ $rest -eq 0 ] && all=$((all + 1)) || nothing=$((nothing + 1))
}
# Good, or bad with one line, by which somebody can find out what to do; which may be what could not be written.
check_words() {   # check_words STATUS [LEAST-LINES]
  lines=$(wc -l <err)
  [ "$command" != sweep ] || [ "$1" -ne 1 ] || return 0   # a point has failed, and its table is printed
  [ "$1" -eq 0 ] || { [ "$1" -eq 2 ] && [ "$lines" -le 1 ] && [ "$lines" -ge "${2:-1}" ]; } ||
    problem "exit code $1, $lines lines"
}
# Files of a folder are new, as that has to be.
fresh() {
  rm -rf work
  mkdir work
  while read -r name; do case $name in ./*/*) ;; *) echo old >"work/$name" ;; esac; done <"files_$command"
}
draw() { seed=$(((seed * 1103515245 + 12345) % 2147483648)); drawn=$((seed / 16 % $1)); }   # below this
pick() { draw $#; shift $drawn; picked=$1; }   # one of these
try() {   # try [WORD...]: what it says goes through a pipe, for which no limit counts
  rm -f status
  { (cd work; start "$command" "$@") >/dev/null || echo $? >status; } 2>&1 | cat >err
  status=$(cat status 2>/dev/null || echo 0)
}

# What is no file, either: every allocation there is.
prepare_memory() {
  command=--version
  version=$("$SIM" --version)
  env LD_PRELOAD="$NO_MEMORY" FAULT_COUNT="$dir/count" "$SIM" --version >out
  for fault in $(seq "$(cat count)"); do
    status=0
    said=$(env LD_PRELOAD="$NO_MEMORY" FAULT_AT=$fault "$SIM" --version 2>err) || status=$?
    [ $status -eq 2 ] || [ "$said" = "$version" ] || problem "exit code $status, '$said'"
  done
}

break_one() {
  # One after the other, so that few faults come to all.
  # shellcheck disable=SC2086   # words
  set -- $commands
  shift $((place % $#))
  place=$((place + 1)) command=$1
  prepare "$command"
  fresh
  case $kind in
    disk)   # no file larger than this
      draw 18
      fault=$((200000 >> drawn))
      draw $((fault + 1))
      fault=$drawn
      try prlimit --fsize=$fault
      check_words $status ;;
    room)   # a disk with so many free blocks of 4 KiB
      draw 8
      draw $((1 + (1 << drawn)))
      fault=$drawn
      export ROOM=$(($(find work -type f | wc -l) + fault)) TMPDIR=/tmp
      export TRY='mount -t tmpfs -o nr_blocks=$ROOM none here && cp -a work/. here && cd here && "$@"; status=$?; cd ..; rm -rf work; cp -a here work; exit $status'
      mkdir -p here
      status=0
      # shellcheck disable=SC2046   # words
      unshare -rm sh -c "$TRY" sh "$SIM" $(words "$command") >out 2>err || status=$?
      check_words $status ;;
    write)   # from this call on, or at it alone, of one of these
      pick rename,renameat,renameat2,link,linkat close openat,memfd_create,mkdir,pipe2 write,pwrite64,writev write,pwrite64,writev
      call=$picked
      case $call in rename*) draw 6 ;; openat*) draw 150 ;; close) draw 80 ;; *) draw 60 ;; esac
      pick ENOSPC EDQUOT EROFS EIO ENOMEM
      fault=$call:$picked:$((drawn + 1))
      pick "" +   # a file less that is opened may be a source line less that is known
      case $call in openat*) fault=$fault+ ;; *) fault=$fault$picked ;; esac
      try strace -f -qq -o /dev/null --seccomp-bpf -e "trace=$call" -e "inject=$call:error=$(echo "$fault" | cut -d: -f2):when=${fault##*:}"
      case $call in
        write*) check_words $status 0 ;;
        *) { [ $status -eq 127 ] && grep -q 'error while loading shared libraries' err; } || check_words $status ;;
      esac ;;
    limit)   # so many bytes of addresses or stack, open files, or threads
      pick as stack nofile threads
      case $picked in
        as) draw 64; fault=as=$(((drawn + 1) << 26)) ;;
        stack) draw 8; fault=stack=$((65536 << drawn)) ;;
        nofile) draw 24; fault=nofile=$((drawn + 4)) ;;
        threads) draw 12; fault=clone,clone3:error=EAGAIN:when=$((drawn + 1))+ ;;
      esac
      case $fault in
        clone*) try strace -f -qq -o /dev/null --seccomp-bpf -e trace=clone,clone3 -e "inject=$fault" ;;
        *) try prlimit --"$fault" ;;
      esac
      check_words $status ;;
    memory)
      [ -e "count_$command" ] || { try env LD_PRELOAD="$NO_MEMORY" FAULT_COUNT="$dir/count_$command"; fresh; }
      draw "$(cat "count_$command")"
      fault=$((drawn + 1)) on=
      [ $((turn % 2)) -eq 0 ] || on=FAULT_ON=1
      try env LD_PRELOAD="$NO_MEMORY" FAULT_AT=$fault $on
      [ $status -lt 128 ] || problem "exit code $status" ;;
    kill)   # within this many hundredths of a second, beside another that writes the same files
      draw 40
      fault=0.$(printf %02d $drawn)
      (cd work; start "$command" >../out2 2>../err2) & other=$!
      (cd work; start "$command" >../out 2>../err) & process=$!
      sleep "$fault"
      status=0
      pkill -9 -P $process || :   # it may be over
      wait $process 2>/dev/null || status=$?
      # A folder of dumps is one run's: the other may find it full.
      wait $other || [ "$command" = dump ] || problem "the one beside it: exit code $?" ;;
  esac
  check $status
}

place=0
for kind in $kinds; do
  case $kind in
    memory) prepare_memory ;;
    room) unshare -rm mount -t tmpfs none "$dir" 2>/dev/null || { echo "room: no disk can be mounted here"; continue; } ;;
  esac
  all=0 nothing=0 turn=0
  while [ $turn -lt "$times" ]; do
    turn=$((turn + 1))
    break_one
  done
  echo "$kind: $times faults: $all times all was written, $nothing times not"
done
exit $failed
