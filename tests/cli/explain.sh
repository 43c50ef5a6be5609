#!/bin/sh
# amalgam explain: what it names for AMLA at one and two query tokens; that the chain's links add up;
# what it refuses.  SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

run() {   # run TOKENS FILE OPTION...
  tokens=$1 file=$2
  shift 2
  "$SIM" run amla --heads 128 --seq-q "$tokens" --seq-kv 8192 --timing-only --gm c --quiet --json "$file" "$@"
}
# worth FILE NAME: the share of the cycles that a resource would save, in whole %
worth() { jq --arg name "$2" '.worth[] | select(.name == $name).saved_percent | trunc' "$1"; }
at_least() { [ "$(worth "$1" "$2")" -ge "$3" ] || fail "$1: $2 saves $(worth "$1" "$2") %, expected $3 or more"; }
less_than() { [ "$(worth "$1" "$2")" -lt "$3" ] || fail "$1: $2 saves $(worth "$1" "$2") %, expected less than $3"; }

run 1 one.json
run 1 far.json --set gm.l2_latency_us=1.5 --set gm.worst_efficiency=1
run 2 two.json
"$SIM" explain one.json --json why_one.json >one.txt 2>/dev/null
"$SIM" explain far.json --json why_far.json >far.txt 2>/dev/null
"$SIM" explain two.json --json why_two.json >two.txt 2>/dev/null

# One token: loads of rows that are not aligned. Where those were as fast, and memory far away, three K/V buffers could not
# cover its latency. Two tokens: the cube is busy, and Q and P wait for each other's buffers.
at_least why_one.json "alignment" 10
at_least why_one.json "cube loads" 12
less_than why_one.json "L2 latency" 2
less_than why_one.json "cube MACs" 5
at_least why_far.json "K/V buffers" 15
at_least why_far.json "L2 latency" 15
less_than why_far.json "Q/P swaps" 1
less_than why_far.json "alignment" 2
at_least why_two.json "Q/P swaps" 3
at_least why_two.json "cube MACs" 8
less_than why_two.json "L2 latency" 5
grep -q "MTE2  LOAD_NZ .*load_right" one.txt || fail "one.txt: no loads of K and V on the chain"
grep -q "MTE2  buffer .*load_right" far.txt || fail "far.txt: loads of K and V do not wait for buffers"
grep -q "MTE2  LOAD_NZ .*load_left" two.txt || fail "two.txt: no loads of P on the chain"

# Half the cycles of vector arithmetic are half of all its times: casts from E4M3 by other instructions, too.
"$SIM" run fp8 --convert emulated --timing-only --gm c --firmware native --quiet --json emulated.json
"$SIM" explain emulated.json --quiet --json why_emulated.json
at_least why_emulated.json "vector arithmetic" 6

# The links of a chain are all of the time: one core, many with a barrier over all, several launches.
adds_up() {
  jq -e '.cycles > 0 and ([.links[].cycles] | add) == .cycles' "$1" >/dev/null || fail "$1: the links do not add up"
}
"$SIM" run amla --heads 16 --seq-kv 1500 --quiet --critical-path a.json
adds_up a.json
# A cross-core flag is as long under way as the config says, from the last of the cores that set it: the first
# vector core, which has more rows.
"$SIM" run amla --heads 17 --seq-kv 3000 --preload 0 --timing-only --gm c --quiet --critical-path flags.json
adds_up flags.json
jq '[.links[] | select(.what == "flag" and .command == "CROSS_WAIT")]' flags.json >flags
jq -e 'any(.core | startswith("cube"))' flags >/dev/null || fail "flags.json: no cube core waits for its vector cores"
jq -e 'all(.cycles == 900 * .times)' flags >/dev/null || fail "flags.json: flags take other than 900 cycles: $(cat flags)"
"$SIM" run amla --config ascend910_die --cores 4 --heads 64 --seq-kv 6000 --split-kv 4 --timing-only --gm c \
  --quiet --critical-path b.json
adds_up b.json
"$SIM" run lm --eval "$DATA/kjv_val.txt" --windows 1 --context 200 --impl c --quiet --critical-path c.json
adds_up c.json

# Interrupted while it runs them: they end too, and leave nothing.
mkdir temporary
TMPDIR=$dir/temporary "$SIM" explain one.json --quiet --json cut.json >out 2>err &
explain=$!
tries=0
until [ -n "$(ls temporary)" ]; do
  tries=$((tries + 1))
  [ $tries -le 200 ] || fail "no folder in TMPDIR"
  sleep 0.1
done
children=$(cat /proc/$explain/task/*/children)
kill -TERM $explain
status=0
wait $explain || status=$?
[ "$status" = 143 ] && [ "$(cat err)" = 'amalgam: interrupted' ] || fail "interrupted: exit code $status, $(cat err)"
[ -z "$(ls temporary)" ] && [ ! -e cut.json ] || fail "interrupted: $(ls temporary) is left"
for child in $children; do
  ! kill -0 "$child" 2>kill.err || fail "$child still runs"
done

# refused NAME PATTERN [OPTION]: exit code 2 and one line
refused() {
  status=0
  "$SIM" explain ${3:+$3} "$1" >out 2>err || status=$?
  [ "$status" = 2 ] || fail "$1: exit code $status"
  [ "$(wc -l <err)" = 1 ] || fail "$1: $(cat err)"
  grep -q "$2" err || fail "$1: '$(cat err)' says nothing of '$2'"
}
refused nothing.json "nothing.json: No such file"
echo '{"kernel":' >broken.json
refused broken.json "broken.json: no JSON; expected the file"
"$SIM" run hfa --impl c --quiet --json hfa.json
refused hfa.json "only runs of the SoC"
jq ".cycles = 4711000" one.json >other.json
refused other.json "4711000 cycles"
jq '.host.arguments[1] = "--tails"' one.json >words.json
refused words.json "words.json: host.arguments: --tails: unknown option"
jq '.host.arguments += ["--config", "nothing.yaml"]' one.json >words.json
refused words.json "cannot be made again: --config: nothing.yaml: No such file"

# Numbers that no run has.
for cycles in -1 0 0.5 1e300 null '"1"' '[1]'; do
  jq ".cycles = $cycles" one.json >number.json
  refused number.json "number.json: cycles: expected a whole number above 0"
done
for busy in -1 1e12 '"1"' null; do
  jq ".pipes[0].busy = $busy" one.json >number.json
  refused number.json "number.json: pipes: busy: expected"
done

# What the file says is run again, but it writes nothing, and what would be loaded into this process is asked for.
jq '.host.arguments += ["--json", "w.json", "--out=w.npy", "--log", "w.log", "--timeline", "w.t", "--trace=w.fst",
  "--critical-path", "w.path", "--trace-on", "error", "--quiet"]' one.json >writes.json
ls >before
"$SIM" explain writes.json --quiet
ls | diff before - || fail "explain wrote files of the run"
cat >own.c <<'END'
#include <fcntl.h>
__attribute__((constructor)) static void load(void) { close(open("loaded", O_CREAT | O_WRONLY, 0666)); }
END
sed -i '1i #include <unistd.h>' own.c
gcc -shared -fPIC -o own.so own.c
for words in '"--firmware", "own.so"' '"--firmware=./own.so"' '"--firm", "own.so"' '"--firmware", "riscv", "--firmware", "own.so"'; do
  jq ".host.arguments += [$words]" one.json >native.json
  refused native.json "own.so .*--allow-native"
  [ ! -e loaded ] || fail "$words: native firmware was loaded"
done
refused native.json "cannot be made again: " --allow-native   # it is no kernel
[ -e loaded ] || fail "--allow-native: it was not loaded"
jq '.kernel = "custom" | .host.arguments = ["custom", "--firmware", "own.so", "--out-shape", "4"]' one.json >native.json
refused native.json "own.so .*--allow-native"
jq '.kernel = "ascend" | .host.arguments = ["ascend", "own.so", "--arg", "n=1"]' one.json >native.json
refused native.json "own.so .*--allow-native"

# Files for the runs are where TMPDIR says, however long that is; where they cannot be, that is said.
long=$dir/$(printf '%0200d' 0)/$(printf '%0200d' 1)
mkdir -p "$long"
TMPDIR=$long "$SIM" explain one.json --quiet --json long.json
[ -z "$(ls "$long")" ] || fail "left in TMPDIR: $(ls "$long")"
jq -e '.worth | length > 5' long.json >/dev/null || fail "nothing was tried in a long TMPDIR"
TMPDIR=$dir/none
export TMPDIR
refused one.json "TMPDIR: No such file"
unset TMPDIR
cp one.json same.json
refused same.json "named for an output" --json=same.json
cmp one.json same.json
