#!/bin/sh
# A sweep on this machine: what it says is what single runs say, nothing is run twice, and what fails is told apart: bad
# values, no time, no memory, an unwritable store.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
expect() {   # expect CODE ARGS...: sweep ends with it
  want=$1 status=0
  shift
  "$SIM" sweep "$@" >out 2>err || status=$?
  [ $status -eq "$want" ] || { cat out err; fail "sweep $*: exit code $status"; }
}
results() { find "${1:-sweeps}/store" -name point.json | wc -l; }
states() { "$SIM" sweep "$@" --list | awk '{ ++n[$1] } END { for (s in n) printf "%s %d ", s, n[s] }'; }
# column NAME FILE: counted from the end behind the error, whose text may have commas.
column() {
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) { if ($i == "error") e = i; if ($i == name) at = i - (e ? NF : 0) } next }
    { print $(at > 0 ? at : NF + at) }' "$2"
}

cat >small.yaml <<'YAML'
question: How many buffers?
command: run amla --timing-only --gm c --seq-kv 1024
axes:
  - {name: buffers, option: --kv-buffers, values: [2, 3, 8]}
  - {name: latency, set: gm.l2_latency_us, values: [0.5, 1, 2]}
constraints: [latency < 2 or buffers < 8]
metrics:
  - {name: cycles, json: cycles, unit: cycles, better: min}
  - {name: busy, json: "pipes[2].busy"}
  - {name: slower, expression: cycles / min(cycles) over ()}
plots:
  - {name: lines, kind: lines, x: buffers, y: cycles, series: latency}
YAML

# Six points are done, two do not fit into L1, one is dropped.
expect 1 small.yaml
grep -q '^small: 6 done, 2 failed, 1 dropped by constraints$' out || { cat out; fail "the count"; }
grep -q '^failed, 2 points: .*cube.l1_kb' out || { cat out; fail "failures are not folded"; }
[ "$(states small.yaml)" = "done 6 failed 2 " ] || [ "$(states small.yaml)" = "failed 2 done 6 " ] || fail "--list"
for file in results.csv results.sqlite lines.svg index.html; do
  [ -s sweeps/small/$file ] || fail "no $file"
done
[ -z "$(ls sweeps/store/claims sweeps/store/workers | grep -v :)" ] || fail "claims or workers are left"

# Another study of the same file name has no part in that folder; a copy has, and one whose other is gone.
mkdir other
sed 's/small/other/; s/How many/How few/' small.yaml >other/small.yaml
cp sweeps/small/points points
expect 2 other/small.yaml
[ "$(cat err)" = "amalgam: other/small.yaml: sweeps/small is the folder of another study of this name, $(pwd -P)/small.yaml; expected another name, or another --store" ] ||
  { cat err; fail "two studies, one folder"; }
cmp -s points sweeps/small/points || fail "another study took the folder"
expect 0 other/small.yaml --list --store elsewhere
mv small.yaml away.yaml
expect 0 other/small.yaml --list
mv away.yaml small.yaml
cp small.yaml other/small.yaml
expect 0 other/small.yaml --list
rm -r other

# The same numbers as the commands by themselves.
"$SIM" sweep small.yaml --csv >table.csv 2>said || true
cmp table.csv sweeps/small/results.csv || fail "--csv is not results.csv"
sed -n 2,5p table.csv >rows
while IFS=, read -r buffers latency cycles busy rest; do
  "$SIM" run amla --timing-only --gm c --seq-kv 1024 --kv-buffers "$buffers" --set gm.l2_latency_us="$latency" --quiet --json r.json
  holds ".cycles == $cycles and .pipes[2].busy == $busy" r.json
done <rows
least=$(column cycles table.csv | sort -n | awk NF | head -n 1)
awk -F, -v least="$least" 'NR > 1 && $6 == "done" { d = $5 - $3 / least; if (d > 1e-9 || d < -1e-9) exit 1 }' table.csv || fail "slower"
for name in $(column result table.csv | awk NF); do
  point=sweeps/store/$(echo "$name" | cut -c1-2)/$(echo "$name" | cut -c3-)
  [ -e "$point/point.json" ] || { grep -q "dropped.*$name" table.csv || fail "$name: no result"; continue; }
  holds '.attempts == 1 and .seconds > 0 and .peak_mb > 1 and (.host | length > 0) and (.version | length > 4)' "$point/point.json"
  [ "$(jq .exit "$point/point.json")" = 0 ] || [ -s "$point/log" ] || fail "$name: a failure without a log"
done

# Once more: nothing is run, nothing written; an equal point of another study is there already.
touch stamp
sleep 1
expect 1 small.yaml
[ -z "$(find sweeps -newer stamp -type f ! -name index)" ] || fail "written again: $(find sweeps -newer stamp -type f)"
sed 's/^question:.*/question: Another?/; s/values: \[2, 3, 8\]/values: [3, 4]/' small.yaml >other.yaml
[ "$("$SIM" sweep other.yaml --dry-run | wc -l)" -eq 3 ] || fail "--dry-run of a study that shares points"
expect 0 other.yaml --only 'buffers = 3'
[ "$(results)" -eq 8 ] || fail "equal points were run again"

# A study may read another's table, as it was swept last; and nothing else of its file.
sed '/^plots/,$d; s/^axes:/beside: [small]\naxes:/; s/buffers < 8/buffers < 3/' small.yaml >beside.yaml
cat >>beside.yaml <<'YAML'
  - {name: less, expression: "(select s.cycles from small.results as s where s.buffers = results.buffers and s.latency = results.latency) - cycles"}
  - {name: all_of_them, expression: (select count(s.cycles) from small.results as s)}
YAML
expect 1 beside.yaml --csv
[ "$(column less out | sort -u | tr '\n' ' ')" = " 0 " ] || { cat out; fail "another study's column"; }
[ "$(column all_of_them out | sort -u | tr '\n' ' ')" = "6 " ] || { cat out; fail "another study's rows"; }
mkdir half
sed 's/0.5, 1, 2/0.5, 2/' small.yaml >half/small.yaml
expect 1 half/small.yaml --store half
cp sweeps/small/results.sqlite whole.sqlite
cp half/small/results.sqlite sweeps/small/results.sqlite
expect 1 beside.yaml --csv
[ "$(column all_of_them out | sort -u | tr '\n' ' ')" = "4 " ] || { cat out; fail "the table before"; }
mv whole.sqlite sweeps/small/results.sqlite
sed 's/small.results as s)/small.sqlite_master as s)/; s/count(s.cycles)/count(*)/' beside.yaml >reads.yaml
expect 2 reads.yaml
grep -q 'reads.yaml: metric all_of_them: expression: .*not authorized\|prohibited' err || { cat err; fail "more than a table is read"; }
rm -r sweeps/beside beside.yaml reads.yaml half

# An index that is broken or gone is made again from the results.
echo nonsense >sweeps/small/index
expect 1 small.yaml --csv
cmp out table.csv || fail "another table after the index was broken"
rm sweeps/small/index sweeps/small/written
expect 1 small.yaml --csv
cmp out table.csv || fail "another table without the index"

# A result that is cut, as by a power failure, is none.
name=$(column result table.csv | head -n 1)
point=sweeps/store/$(echo "$name" | cut -c1-2)/$(echo "$name" | cut -c3-)
cut -c1-40 "$point/point.json" | head -n 2 >cut && rm "$point/point.json" && mv cut "$point/point.json"
expect 1 small.yaml --csv
cut -d, -f1-6 out | cmp - "$(cut -d, -f1-6 table.csv >want; echo want)" || fail "a result that was cut"

# Failures are tried again when that is asked for, and only they.
expect 1 small.yaml --retry-failed
[ "$(find sweeps/store -name before.json | wc -l)" -ge 2 ] || fail "--retry-failed"
[ "$(column attempts sweeps/small/results.csv | sort | uniq -c | awk '$2 == 2 { print $1 }')" = 2 ] || fail "attempts after --retry-failed"

# Another machine is other points; what no study names any more goes.
sed -i 's/values: \[0.5, 1, 2\]/values: [0.5, 1]/' small.yaml
expect 1 small.yaml
expect 0 other.yaml --only 'buffers = 3 and latency < 2'
sed -i 's/values: \[0.5, 1, 2\]/values: [0.5]/' other.yaml
rm -r sweeps/other
expect 0 --gc
grep -q '^sweeps: 6 results kept, 2 removed$' out || { cat out; fail "--gc"; }
[ "$("$SIM" sweep small.yaml --dry-run | wc -l)" -eq 0 ] || fail "--gc has removed what is named"

# A point that takes too long, one that needs too much memory: told so, the others are done.
cat >limits.yaml <<'YAML'
question: What is too much?
command: run gemm --k 512 --n 512
axes: [{name: m, option: --m, values: [64, 49152]}]
metrics: [{name: cycles, json: cycles}]
limits: {memory_mb: 90}
YAML
expect 1 limits.yaml
[ "$(column status sweeps/limits/results.csv | tr '\n' ' ')" = "done failed " ] || { cat out; fail "memory limit"; }
grep -q 'needs more than [0-9.]* MB, twice its limit' out || { cat out; fail "memory limit: reason"; }
[ "$(column attempts sweeps/limits/results.csv | tr '\n' ' ')" = "1 2 " ] || fail "a point that was killed for memory is tried twice"
sed 's/memory_mb: 90/seconds: 0.3/; s/49152/400000/; s/--k 512/--k 2048/' limits.yaml >slow.yaml
expect 1 slow.yaml --only 'm > 64'
grep -q 'took longer than 0.3 s, its limit' out || { cat out; fail "time limit"; }

# What fails under a limit has not failed under a higher one or none; what is done is done under each limit that it has met.
# limited CODE LIMITS STATES: of the study with these limits, "": none
limited() {
  sed "/^limits:/d" limits.yaml >both.yaml
  [ -z "$2" ] || echo "limits: {$2}" >>both.yaml
  expect "$1" both.yaml --store limited
  [ "$(column status limited/both/results.csv | tr '\n' ' ')" = "$3 " ] || { cat out; fail "limits {$2}"; }
}
sed -i 's/64, 49152/64, 128/; s/--n 512/--n 512 --timing-only/' limits.yaml
limited 1 'seconds: 1e-9' 'failed failed'
grep -q 'took longer than 1e-09 s, its limit' out || { cat out; fail "no time at all"; }
first=$(find limited/store -name point.json -exec stat -c %i {} + | sort)
limited 1 'seconds: 1e-10' 'failed failed'   # without a run
grep -q 'took longer than 1e-10 s, its limit' out || { cat out; fail "even less time"; }
[ "$(find limited/store -name point.json -exec stat -c %i {} + | sort)" = "$first" ] || fail "a lower limit ran points again"
limited 1 'memory_mb: 1' 'failed failed'
grep -q 'needs more than 2 MB, twice its limit' out || { cat out; fail "no memory at all"; }
limited 0 'seconds: 1000, memory_mb: 2000' 'done done'
first=$(find limited/store -name point.json -exec stat -c %i {} + | sort)
limited 0 '' 'done done'
limited 1 'memory_mb: 1' 'failed failed'
limited 1 'seconds: 1e-9' 'failed failed'
expect 1 both.yaml --store limited --retry-failed
[ "$(find limited/store -name point.json -exec stat -c %i {} + | sort)" = "$first" ] || fail "what was done was run again"
limited 0 '' 'done done'

# A host that starts no more threads: that is told, no point is kept as failed, and the next sweep runs it. ThreadSanitizer
# has a thread of its own.
if command -v strace >/dev/null && [ -z "${AMALGAM_SLOWED:-}" ]; then
  sed '/^limits:/d; s/--k 512 --n 512/--k 16 --n 16/' limits.yaml >short.yaml
  status=0
  ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f -qq --seccomp-bpf -o /dev/null -e trace=clone3 \
    -e inject=clone3:error=EAGAIN:when=2+ "$SIM" sweep short.yaml --store short --jobs 1 >out 2>err || status=$?
  [ $status -eq 2 ] && [ "$(cat err)" = "amalgam: a run cannot go on here: no thread can be started: Resource temporarily unavailable" ] ||
    { cat out err; fail "no threads: exit code $status"; }
  [ "$(results short)" -eq 0 ] || fail "a point failed because a thread could not be started"
  expect 0 short.yaml --store short
  grep -q '^short: 2 done$' out || { cat out; fail "threads again"; }
fi

# Two at once on one store: each point is run once, and both have all.
cat >two.yaml <<'YAML'
question: Who runs what?
command: run amla --timing-only --gm c --seq-kv 1024
axes: [{name: latency, set: gm.l2_latency_us, range: {from: 0.1, to: 3, step: 0.1}}]
metrics: [{name: cycles, json: cycles}]
YAML
"$SIM" sweep two.yaml --store both --jobs 2 >one.txt &
first=$!
"$SIM" sweep two.yaml --store both --jobs 2 --worker &
second=$!
expect 0 two.yaml --store both --jobs 2
wait $first && wait $second || fail "two at once"
grep -q '^two: 30 done$' out && grep -q '^two: 30 done$' one.txt || fail "two at once: not all"
[ -z "$(find both/store -name '*.json.*')" ] || fail "files are left"

# A store that cannot be written: one line, and nothing half-made.
if [ "$(id -u)" -ne 0 ]; then
  mkdir closed
  chmod a-w closed
  expect 2 two.yaml --store closed/store
  [ "$(wc -l <err)" -eq 1 ] && grep -q 'closed/store: cannot make this folder' err || fail "unwritable"
fi
: >file
expect 2 two.yaml --store file/store
[ "$(wc -l <err)" -eq 1 ] || { cat err; fail "a store below a file"; }

# Ctrl-C: one line, nothing left behind, and the same command goes on.
sed 's/--seq-kv 1024/--seq-kv 8192 --batch 2/' two.yaml >stop.yaml
"$SIM" sweep stop.yaml --store stopped >out 2>err &
pid=$!
while [ "$(results stopped 2>/dev/null || echo 0)" -lt 3 ]; do sleep 0.05; done
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 143 ] && grep -q 'interrupted; .* of 30 points are done' err || { cat err; fail "SIGTERM: $status"; }
[ -z "$(ls stopped/store/claims stopped/store/workers | grep -v :)" ] || fail "claims are left by SIGTERM"
expect 0 stop.yaml --store stopped
grep -q '^stop: 30 done$' out || fail "going on"
echo "all as expected"
