#!/bin/sh
# model/sweep/slurm with a real Slurm: jobs that run, wait, are too many, are ended, have no time left; a controller that is not there.
# SPDX-License-Identifier: Apache-2.0
set -eu
. "$ROOT/tests/sweep/slurm_cluster.sh"
dir=$(mktemp -d)
trap 'slurm_stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
cd "$dir"
fail() { echo "slurm_jobs.sh: $*" >&2; exit 1; }
mkdir work
slurm_start "$dir/slurm" MaxArraySize=10
cd work

# answer CODE WORDS...: of slurm_jobs
answer() {
  want=$1
  shift
  code=0
  "$JOBS" "$@" >said 2>err || code=$?
  [ $code = "$want" ] || fail "$*: $code, expected $want: $(cat said err)"
}
done_=0 unanswered=1 refused=3
nothing_is_left() { [ -z "$("$JOBS" look "$1")" ]; }

# MaxArraySize caps the index.
answer $done_ most
[ "$(cat said)" = 10 ] || fail "most: $(cat said)"
answer $done_ submit t-ten 10 0 5 /dev/null sh -c 'echo "$*" >task.$SLURM_ARRAY_TASK_ID' t
answer $refused submit t-eleven 11 0 5 /dev/null true
grep -q 'sbatch: .*array' err || fail "eleven tasks: $(cat err)"
answer $refused submit t-never 1 0 often /dev/null true
grep -q "sbatch: .*time" err || fail "a time that is none: $(cat err)"
slurm_wait 100 nothing_is_left t-ten || fail "ten tasks: $("$JOBS" look t-ten)"
[ "$(echo task.*)" = "$(echo task.0 task.1 task.2 task.3 task.4 task.5 task.6 task.7 task.8 task.9)" ] || fail "$(ls)"
for task in task.*; do
  [ "$(cat "$task")" = "-j 1 -m 450" ] || fail "$task: $(cat "$task")"   # DefMemPerCPU is 500
done

# What waits, and why; what is ended: SIGTERM first.
answer $done_ submit t-stay 3 1 5 stay.log sh -c 'trap "echo ended >ended; exit 0" TERM; : >began; while :; do sleep 0.1; done'
slurm_wait 100 test -e began || fail "nothing began: $(squeue)"
slurm_wait 30 sh -c "'$JOBS' look t-st | grep -q '^t-stay 2 waiting 1 running JobArrayTaskLimit'" || fail "$("$JOBS" look t-st)"
answer $done_ look u-
[ ! -s said ] || fail "look u-: $(cat said)"
answer $done_ cancel t-stay
slurm_wait 100 nothing_is_left t-stay || fail "ended: $("$JOBS" look t-stay)"
[ -e ended ] || fail "it was not told to end"

# A controller that cannot be reached: nobody knows.
sed 's/^SlurmctldPort=.*/SlurmctldPort=1/; s/^MessageTimeout=.*/MessageTimeout=2/' "$SLURM_CONF" >down.conf
export SLURM_CONF="$PWD/down.conf"
answer $unanswered look t-
answer $unanswered submit t-down 1 0 5 /dev/null true
echo "all as expected"
