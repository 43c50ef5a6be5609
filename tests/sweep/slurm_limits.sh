#!/bin/sh
# A sweep on a real Slurm where jobs have little of something: memory, time, room on the disk; where workers are killed by
# Slurm's own hand; and two sweeps on one store.
# SPDX-License-Identifier: Apache-2.0
set -eu
. "$ROOT/tests/sweep/slurm_cluster.sh"
dir=$(mktemp -d)
full=
trap 'slurm_stop; [ -z "$full" ] || umount "$full"; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
cd "$dir"
fail() { echo "slurm_limits.sh: $*" >&2; exit 1; }
mkdir work
cd work
slurm_start "$dir/slurm" JobAcctGatherParams=OverMemoryKill MaxArraySize=10

# sweep CODE STUDY OPTION...
sweep() {
  want=$1 study=$2
  shift 2
  code=0
  timeout 900 "$SIM" sweep "$study.yaml" --on slurm "$@" >said 2>err || code=$?
  [ $code = "$want" ] || fail "$study $*: exit code $code, expected $want: $(cat said err)"
}
# Of each point, in order. An error may have commas in it: columns are counted from the end that is near.
status() {   # status STUDY
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "status") at = i; next } { printf "%s ", $at }' "sweeps/$1/results.csv"
}
attempts() { awk -F, 'NR > 1 { printf "%s ", $(NF - 3) }' "sweeps/$1/results.csv"; }

# Memory, in MB: about 30, 70 and 200 are needed. Jobs of 50 are too small for the second, and it is tried once more in one of
# 100; the third needs more than that.
cat >memory.yaml <<'END'
question: How much memory?
command: run amla --heads 16 --golden none --gm c
axes:
  - {name: keys, option: --seq-kv, values: [512, 1024, 2048, 32768, 131072]}
metrics:
  - {name: cycles, json: cycles}
END
sweep 1 memory --mem 50 --chunk 2
[ "$(status memory)" = 'done done done done failed ' ] || fail "memory: $(cat sweeps/memory/results.csv)"
[ "$(attempts memory)" = '1 1 1 2 2 ' ] || fail "memory: attempts: $(cat sweeps/memory/results.csv)"
grep -q 'needs more than [0-9.]* MB, twice its limit' said || fail "memory: $(cat said)"

# Time: a job has a minute, of which Slurm leaves it half; the second point takes longer, in any job.
cat >time.yaml <<'END'
question: How long?
command: run amla --timing-only --heads 64 --seq-kv 16384
axes:
  - {name: launches, option: --launches, values: [1, 10000]}
metrics:
  - {name: cycles, json: cycles}
END
sweep 1 time --time 1 --chunk 1
[ "$(status time)" = 'done failed ' ] || fail "time: $(cat sweeps/time/results.csv)"
grep -q 'takes longer than all the time of a job' said || fail "time: $(cat said)"
[ "$(attempts time)" = '1 2 ' ] || fail "time: attempts: $(cat sweeps/time/results.csv)"

# Two at once: one store, the same points, each run once.
cat >two.yaml <<'END'
question: Who?
command: run amla --timing-only --heads 64 --seq-kv 16384
axes:
  - {name: batch, option: --batch, range: {from: 1, to: 6}}
  - {name: latency, set: gm.l2_latency_us, values: [0.5, 1, 2, 3]}
metrics:
  - {name: cycles, json: cycles}
END
"$SIM" sweep two.yaml --on slurm --chunk 3 --max-running 2 --quiet >said.other 2>err.other &
other=$!
sweep 0 two --chunk 2
code=0
wait $other || code=$?
[ $code = 0 ] || fail "two at once: exit code $code: $(cat err.other)"
[ "$(status two | tr ' ' '\n' | sort | uniq -c | tr -s ' \n' ' ')" = ' 24 done ' ] || fail "two at once: $(cat sweeps/two/results.csv)"
[ "$(attempts two | tr -d ' ')" = 111111111111111111111111 ] || fail "two at once: points were run twice: $(cat sweeps/two/results.csv)"

# Jobs that bring nothing are not submitted for ever.
mkdir bin
cat >bin/sbatch <<END
#!/bin/sh
sed 's/ .--worker. / --list --quiet --nothing /' | $(command -v sbatch) "\$@"
END
chmod +x bin/sbatch
path=$PATH
PATH=$PWD/bin:$PATH
sweep 2 two --store other --chunk 100
grep -q 'one job after the other has ended without a result; the last words: amalgam: --nothing: unknown option' err ||
  fail "in vain: $(cat err)"
PATH=$path

# The disk is full, and then it is not: one line, and the same command goes on.
mkdir small
if mount -t tmpfs -o size=200k none small 2>/dev/null; then
  full=$PWD/small
  mkdir small/sweeps
  head -c 150000 /dev/zero >small/filling
  code=0
  timeout 900 "$SIM" sweep two.yaml --on slurm --store small/sweeps --chunk 2 >said 2>err || code=$?
  [ $code = 2 ] && [ "$(grep -c '^amalgam: ' err)" = 1 ] && grep -q 'No space left' err || fail "full disk: exit code $code, $(cat err)"
  rm small/filling
  mount -o remount,size=20m small
  slurm_wait 60 sh -c '[ -z "$(squeue --noheader)" ]' || fail "full disk: jobs are left: $(squeue)"
  sweep 0 two --store small/sweeps --chunk 2
  sed -E 's/(,[^,]*){4}$//' sweeps/two/results.csv >want
  sed -E 's/(,[^,]*){4}$//' small/sweeps/two/results.csv | cmp want - || fail "full disk: not the same afterwards"
else
  echo "no disk can be filled here: that part is left out"
fi
echo "all as expected"
