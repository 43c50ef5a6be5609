#!/bin/sh
# Waveforms of the SoC: a run with them has the cycles and bits of one without; every file opens, its
# time never goes back, and pipes, flags, bandwidth and the slices' Verilog show in it what the
# run's books say.
# SPDX-License-Identifier: Apache-2.0
here=$(pwd)
. "$(dirname "$0")/../../script.sh"
run() { "$SIM" run amla --heads 8 --seq-kv 1100 --dist normal:1 --verify --quiet "$@"; }
same_books() { holds 'map(del(.host, .set)) | .[0] == .[1]' plain.json "$1"; }
look() {   # look FILE WHAT [NAME=VALUE...]
  file=$1 want=$2
  shift 2
  set_values=
  for pair; do set_values="$set_values -v $pair"; done
  # shellcheck disable=SC2086
  [ -e "$file.vcd" ] || fst2vcd "$file" >"$file.vcd"
  awk -f "$here/inspect/vcd.awk" -v "want=$want" $set_values "$file.vcd"
}
same() { [ "$2" = "$3" ] || fail "$1: $2, expected $3"; }

run --json plain.json --out plain.npy
run --json traced.json --out traced.npy --trace all.fst
cmp plain.npy traced.npy
# The same, with less in it for awk to read.
run --trace pipes.fst --trace-scope cube0 --trace-scope vector0_1.v --trace-scope 'gm'
run --trace rtl.fst --trace-scope 'slice*.gm_atomic.guard_zero_o' --trace-scope 'slice*.gm_atomic.clk_i' \
  --trace-scope 'slice*.gm_atomic.req_valid_i'
same_books traced.json

# The books: commands of a pipe, busy cycles, the cycles of the run.
pipe_of() {   # pipe_of CORE PIPE FIELD
  jq ".pipes[] | select(.core == \"$1\" and .pipe == \"$2\").$3" plain.json
}
cycles=$(jq .cycles plain.json)
mhz=1800
# Picoseconds to cycles.
busy_cycles() {   # busy_cycles FILE CORE.PIPE
  look "$1" changes "a=$2.state" | awk -v mhz=$mhz '
    function cycle(ps) { return int(ps * mhz / 1000000 + 0.5) }
    { if (was == 1) sum += cycle($1) - since; was = $2; since = cycle($1) }
    END { print sum }'
}
# shellcheck disable=SC2046
set -- $(look all.fst times)
same "time stamps that go back" "$3" 0
same "first time stamp" "$1" 0
ends=$(awk -v ps="$2" -v mhz=$mhz 'BEGIN { print int(ps * mhz / 1000000) }')
[ "$ends" -le "$((cycles + 1))" ] && [ "$ends" -ge "$((cycles - 2000))" ] ||
  fail "waveforms end in cycle $ends of $cycles"
for pipe in M FIX MTE1 MTE2; do
  lower=$(echo $pipe | tr '[:upper:]' '[:lower:]')
  same "busy cycles of cube0 $pipe" "$(busy_cycles pipes.fst cube0.$lower)" "$(pipe_of cube0 $pipe busy)"
  same "its queue at the end" "$(look pipes.fst last a=cube0.$lower.queue)" 0
  same "its state at the end" "$(look pipes.fst last a=cube0.$lower.state)" 0
done
same "busy cycles of vector0_1 V" "$(busy_cycles pipes.fst vector0_1.v)" "$(pipe_of vector0_1 V busy)"

# Every MMAD is a command with a number of its own; the timeline counts them, too.
run --timeline t.json
mmads=$(jq '[.traceEvents[] | select(.name == "MMAD")] | length' t.json)
[ "$mmads" -gt 20 ]
opcode=$(look pipes.fst changes a=cube0.m.command | awk '{ print $2 }' | sort -n | uniq -c | sort -rn |
  awk '{ print $2 }' | head -20 | tr '\n' ' ')
found=0
for code in $opcode; do   # MMAD is the one of M's commands that keeps it busy as often as that
  [ "$(look pipes.fst count a=cube0.m.command b=cube0.m.number value="$code")" != "$mmads" ] || found=1
done
same "an opcode with $mmads numbers" $found 1

# Flags rise as often as they fall; all are down at the end.  So are the moves.
for flag in mte2_to_mte1 mte1_to_m m_to_fix fix_to_m; do
  look pipes.fst changes a=cube0.flags.$flag >flag
  [ "$(wc -l <flag)" -gt 3 ] || fail "flag $flag hardly ever changes"
  same "flag $flag at the end" "$(tail -n 1 flag | cut -d' ' -f2)" 0
done
[ "$(look pipes.fst changes a=cube0.cross.vector0_0_2 | wc -l)" -gt 1 ] || fail "no cross-core flag"
same "moves at the end" "$(look pipes.fst last a=gm.die0.moves)" 0
look pipes.fst changes a=gm.die0.l2 | awk '$2 > 100 { high = 1 } END { exit !high }' || fail "no L2 bandwidth"
look pipes.fst changes a=cube0.l0c.writing | awk '$2 > 1000 { high = 1 } END { exit !high }' || fail "L0C"
same "reading L0A at the end" "$(look pipes.fst last a=cube0.l0a.reading)" 0

# The slices' Verilog: requests are taken, guards are what the run says.
look rtl.fst names >names
slices=$(grep -c '^slice[0-9]*\.gm_atomic\.req_valid_i$' names)
[ "$slices" -ge 2 ] || fail "no slices"
raised=0
i=0
while [ $i -lt "$slices" ]; do
  raised=$((raised + $(look rtl.fst last a=slice$i.gm_atomic.guard_zero_o)))
  i=$((i + 1))
done
same "slices whose zero guard is up" "$raised" "$(jq .guards.zero plain.json)"
rises=0
i=0
while [ $i -lt "$slices" ]; do
  rises=$((rises + $(look rtl.fst count a=slice$i.gm_atomic.clk_i b=slice$i.gm_atomic.clk_i value=1)))
  i=$((i + 1))
done
same "clock cycles of the slices" "$rises" "$(jq .host.rtl_cycles plain.json)"

# Scopes, and a window in cycles: nothing else is in the file, and what is, is as in all of it.
run --trace part.fst --trace-scope 'cube0.m*' --trace-scope 'slice1.gm_atomic.req_*' --trace-window 9000:14000 \
  --json part.json
same_books part.json
look part.fst names >names
grep -q '^cube0\.m\.state$' names && grep -q '^cube0\.mte2\.queue$' names || fail "scopes leave out too much"
! grep -vE '^(cube0\.m|slice1\.gm_atomic\.req_)' names || fail "scopes leave in too much"
# shellcheck disable=SC2046
set -- $(look part.fst times)
[ "$1" -eq 5000000 ] && [ "$2" -le 7778334 ] || fail "the window is $1 to $2 ps"
within() { awk -v from=5000000 -v to=7777900 '$1 <= from { last = $2 } $1 > from && !said++ { print from, last } $1 > from && $1 <= to'; }
look pipes.fst changes a=cube0.mte1.command | within >expected
look part.fst changes a=cube0.mte1.command | within >got
cmp expected got || fail "the window shows something else"

# From one command to another.
run --trace named.fst --trace-scope cube0.m --trace-window mmad#5:cube0.mmad#8
same "MMADs from the 5th to the 8th" "$(look named.fst changes a=cube0.m.number | wc -l | tr -d ' ' |
  awk '{ print ($1 >= 4) }')" 1
mmad() { jq "[.traceEvents[] | select(.name == \"MMAD\")][$1 - 1] | $2" t.json; }
begin=$(mmad 5 .ts)
end=$(mmad 8 '.ts + .dur')
# shellcheck disable=SC2046
set -- $(look named.fst times)
awk -v first="$1" -v last="$2" -v begin="$begin" -v end="$end" 'BEGIN {
  exit !(first / 1e6 - begin < 0.001 && begin - first / 1e6 < 0.001 && last / 1e6 <= end + 0.002) }' ||
  fail "the window between commands is $1 to $2 ps; commands $begin to $end us"

# Only if it goes wrong, and then the last cycles: of a deadlock; nothing of a good run.
run --trace good.fst --trace-on error
[ ! -e good.fst ] || fail "a file without an error"
status=0
"$SIM" run custom --param 9 --out-shape 8 --firmware "$FIRMWARE/tests/mistakes.elf" --quiet \
  --trace bad.fst --trace-on error 2>error || status=$?
[ $status -eq 3 ] && [ -e bad.fst ] || fail "no waveforms of an error: exit code $status"
look bad.fst names | grep -q '^cube0\.m\.state$' || fail "no pipes in an error's waveforms"
# The last 3000 cycles of a run that is interrupted, and the same when all is kept.  Nothing is made up
# before it, so that it is under way when it is interrupted.
for keep in '' '--trace-on error --trace-last 3000'; do
  # shellcheck disable=SC2086
  "$SIM" run amla --heads 128 --seq-kv 3000000 --timing-only --quiet --trace cut.fst \
    --trace-scope 'cube0' $keep 2>error &
  run=$!
  computes $run 1
  kill -INT $run
  status=0
  wait $run || status=$?
  same "exit code of an interrupted run" $status 130
  # shellcheck disable=SC2046
  set -- $(look cut.fst times)
  [ "$2" -gt 1000000 ] || fail "an interrupted run's waveforms end at $2 ps"
  [ -z "$keep" ] || [ "$1" -gt 0 ] && [ -z "$keep" ] || [ $(($2 - $1)) -le 1700000 ] ||
    fail "waveforms of $1 to $2 ps, not 3000 cycles"
  rm cut.fst cut.fst.vcd
done

# Without the Verilog there are the machine's signals.
run --gm c --trace c.fst
look c.fst names >names
[ -s names ] && ! grep -q gm_atomic names || fail "the C model has no Verilog"
run --gm c --trace c.fst --trace-scope cube0
rm c.fst.vcd
same "busy cycles without the Verilog" "$(busy_cycles c.fst cube0.m)" "$(pipe_of cube0 M busy)"

# Save files for GTKWave name signals that there are.
look all.fst names | sort -u >names
for save in slice aicore; do
  grep -vE '^(\[|@|#|-|\*|$)' "$here/../../model/soc/watch/gtkw/$save.gtkw" | sed 's/\[[0-9]*:[0-9]*\]$//' |
    sort -u >wanted
  [ "$(wc -l <wanted)" -ge 10 ] || fail "$save.gtkw names hardly anything"
  comm -23 wanted names >missing
  [ ! -s missing ] || fail "$save.gtkw names what is not there: $(cat missing)"
done

refused() {   # refused FRAGMENT OPTION...
  fragment=$1
  shift
  status=0
  run --trace no.fst "$@" 2>error || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <error)" -eq 1 ] && grep -q -e "$fragment" error && [ ! -e no.fst ] ||
    fail "$* is not refused: exit code $status, $(cat error)"
}
refused '--trace-scope nothing' --trace-scope nothing
refused '--trace-window' --trace-window 7
refused '--trace-window' --trace-window 9:3
refused '--trace-window' --trace-window mmad#0:
refused "no command 'mmat'" --trace-window mmat#1:
refused 'say of which pipe' --trace-window set_flag#1:
refused "no core 'cube7'" --trace-window cube7.mmad#1:
refused 'takes no mmad' --trace-window cube0.fix.mmad#1:
refused '--trace-last' --trace-last 100
echo "$(wc -c <all.fst) bytes of waveforms, $mmads MMADs in them, nothing else changed"
