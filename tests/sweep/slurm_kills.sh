#!/bin/sh
# A study of 60 points on a Slurm of one's own, while the sweep command, workers, slurmd and slurmctld are killed at random:
# it ends as it does here, byte for byte but for what is of the host.
#   slurm_kills.sh [KILLS]
# SPDX-License-Identifier: Apache-2.0
set -eu
. "$ROOT/tests/sweep/slurm_cluster.sh"
kills=${1:-12}
dir=$(mktemp -d)
trap 'slurm_stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
cd "$dir"
fail() { echo "slurm_kills.sh: $*" >&2; exit 1; }
mkdir work
cd work

# A third of the points fails, always.
cat >study.yaml <<'END'
question: Does it end the same?
command: run amla --timing-only --heads 64 --seq-kv 16384
axes:
  - {name: buffers, option: --kv-buffers, values: [2, 3, 6]}
  - {name: latency, set: gm.l2_latency_us, values: [0.5, 1, 2, 3, 4]}
  - {name: batch, option: --batch, values: [3, 4, 5, 6]}
metrics:
  - {name: cycles, json: cycles, unit: cycles, better: min}
  - {name: slower, expression: "cycles / min(cycles) OVER (PARTITION BY latency, batch)"}
plots:
  - {name: cycles, kind: lines, x: latency, y: cycles, series: buffers}
END
results() { sed -E 's/(,[^,]*){4}$//' "$1/study/results.csv"; }

code=0
"$SIM" sweep study.yaml --store here --quiet || code=$?
[ $code = 1 ] || fail "here: exit code $code"
results here >want
[ "$(wc -l <want)" = 61 ] && [ "$(grep -c ',failed,' want)" = 20 ] || fail "here: $(cat want)"

slurm_start "$dir/slurm" MaxArraySize=10
store=$dir/work/there
options="--store $store --on slurm --chunk 4 --time 20"

# The same command again and again, as a user would, until it ends by itself.
sweep() {
  code=137
  while [ $code = 137 ]; do
    code=0
    # shellcheck disable=SC2086
    "$SIM" sweep study.yaml $options --quiet >said 2>err || code=$?
  done
  echo $code >ended
}

random() { echo $(($(od -An -N2 -tu2 /dev/urandom) % $1)); }
one_of() {   # one_of PATTERN: a process whose command line matches
  pids=$(pgrep -f "$1") || return 1
  # shellcheck disable=SC2086
  set -- $pids
  shift "$(random $#)"
  echo "$1"
}
kill_daemon() {   # kill_daemon NAME COMMAND...: and start it again
  kill -9 "$(slurm_pid "$1")"
  wait "$(slurm_pid "$1")" 2>/dev/null || :
  shift
  "$@"
}
kill_something() {
  case $(random 6) in
    0) ! pid=$(one_of "sweep study.yaml $options") || { kill -9 "$pid" 2>/dev/null && what="sweep"; } ;;
    1 | 2) ! pid=$(one_of "sweep study.yaml --worker --store $store") || { kill -9 "$pid" 2>/dev/null && what="worker"; } ;;
    3) kill_daemon slurmctld slurm_controller; what="slurmctld" ;;
    4) kill_daemon n1 slurm_node 1; what="slurmd n1" ;;
    5) kill_daemon n2 slurm_node 2; what="slurmd n2" ;;
  esac
}

# Slurm sets nodes aside on which a job could not be started; and that a job is gone it may learn when slurmd is started.
since=0
administer() {
  scontrol update nodename=n1,n2 state=resume >admin.out 2>&1 || :
  since=$((since + 1))
  [ $killed -ge "$kills" ] && [ $((since % 20)) = 0 ] || return 0
  kill_daemon n1 slurm_node 1
  kill_daemon n2 slurm_node 2
}

killed=0
while [ $killed -lt "$kills" ]; do   # more than once, if it has ended before that
  rm -rf "$store/store" ended
  sweep &
  sweeping=$!
  until [ -e ended ]; do
    sleep 1.$(random 10)
    what=
    [ $killed -ge "$kills" ] || kill_something || :
    [ -z "$what" ] || { killed=$((killed + 1)); echo "killed $what"; }
    administer
  done
  wait $sweeping
  [ "$(cat ended)" = 1 ] || fail "after $killed kills: exit code $(cat ended): $(cat err)"
  results there >got
  cmp want got || fail "after $killed kills: $(diff want got)"
done
slurm_wait 120 sh -c '[ -z "$(squeue --noheader)" ]' || fail "jobs are left: $(squeue)"
[ "$(ls -A "$store/store/claims" | wc -l)" = 0 ] || fail "claims are left: $(ls -A "$store/store/claims")"
echo "the same after $killed kills"
