#!/bin/sh
# A sweep on a real Slurm whose arrays have ten tasks at most: the same table as here, points that fail included; nothing is
# run twice; jobs that the cluster does not accept, or answers too late for; what is refused.
# SPDX-License-Identifier: Apache-2.0
set -eu
. "$ROOT/tests/sweep/slurm_cluster.sh"
dir=$(mktemp -d)
trap 'slurm_stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
cd "$dir"
fail() { echo "slurm_sweep.sh: $*" >&2; exit 1; }
mkdir work
cd work

cat >study.yaml <<'END'
question: What do buffers and latency do?
command: run amla --timing-only --gm c --heads 16 --seq-kv 512
axes:
  - {name: buffers, option: --kv-buffers, values: [2, 3, 6]}
  - {name: latency, set: gm.l2_latency_us, values: [0.5, 1, 2, 4]}
metrics:
  - {name: cycles, json: cycles, unit: cycles, better: min}
END

# refused PATTERN OPTION...: exit code 2, one line, and nothing is made
refused() {
  pattern=$1
  shift
  code=0
  PATH=${path:-$PATH} "$SIM" sweep study.yaml "$@" >out 2>err || code=$?
  [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q -e "$pattern" err && [ ! -e sweeps ] || fail "$*: exit code $code, $(cat err)"
}
refused "--partition: goes with --on slurm" --partition x
refused "--time: goes with --on slurm" --time 5
refused "--chunk: goes with --on slurm" --chunk 5
refused "--jobs: cannot go with --on slurm" --on slurm --jobs 2
refused "--time: expected minutes" --on slurm --time soon
refused "--sbatch: --array=1: not possible" --on slurm --sbatch --array=1
path=/nowhere
refused "cannot start scontrol; expected the commands of Slurm in PATH" --on slurm

slurm_start "$dir/slurm" MaxArraySize=10

# sweep CODE OPTION...
sweep() {
  want=$1
  shift
  code=0
  timeout 300 "$SIM" sweep study.yaml "$@" >said 2>err || code=$?
  [ $code = "$want" ] || fail "$*: exit code $code, expected $want: $(cat said err; cat "$slurm/slurmctld.out")"
}
# Columns that say what came out; the last ones are of the host.
results() { sed -E 's/(,[^,]*){4}$//' "$1/study/results.csv"; }
jobs_submitted() { grep -c '_slurm_rpc_submit_batch_job: JobId' "$slurm/slurmctld.out" || :; }

sweep 1 --store here
sweep 1 --store there --on slurm --chunk 1 --time 10 --mem 300 --sbatch '--comment="of a test"'
results here >want
results there >got
cmp want got || fail "not the same: $(diff want got)"
[ "$(grep -c ',done,' got)" = 8 ] && [ "$(grep -c ',failed,' got)" = 4 ] || fail "$(cat got)"
grep -q '^failed, 4 points: .*need cube.l1_kb' said || fail "equal failures in one line: $(cat said)"
[ "$(awk -F, 'NR > 1 { print $(NF - 3) }' there/study/results.csv | sort -u)" = 1 ] || fail "points were run more than once"
# An array has ten tasks at most. Nothing is left behind.
[ "$(jobs_submitted)" -ge 2 ] || fail "12 tasks in $(jobs_submitted) arrays of 10"
slurm_wait 60 sh -c '[ -z "$(squeue --noheader)" ]' || fail "jobs are left: $(squeue)"
[ -z "$(find there/store/claims there/store/workers -type f)" ] && [ ! -e there/study/slurm ] || fail "left behind: $(ls there/store/claims there/store/workers there/study)"

# The same command again has nothing to do; one whose results are put away has, by few workers at a time.
jobs=$(jobs_submitted)
sweep 1 --store there --on slurm
[ "$(jobs_submitted)" = "$jobs" ] || fail "jobs for nothing"
rm -r there/store/[0-9a-f][0-9a-f]
sweep 0 --store there --on slurm --chunk 3 --max-running 2 --only 'buffers < 6' --quiet
sweep 1 --store there --on slurm --chunk 100
results there >got
cmp want got || fail "not the same after some were put away: $(diff want got)"

# Too many jobs: a site's limit, for which sbatch stands in here. Arrays of three are accepted.
mkdir bin
sbatch=$(command -v sbatch)
cat >bin/sbatch <<END
#!/bin/sh
for word; do
  case \$word in --array=0-[012]) ;; --array=*) echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >&2; exit 1 ;; esac
done
exec $sbatch "\$@"
END
chmod +x bin/sbatch
path=$PATH
PATH=$PWD/bin:$PATH
rm -r there/store/[0-9a-f][0-9a-f]
jobs=$(jobs_submitted)
sweep 0 --store there --on slurm --chunk 1 --only 'buffers < 6' --quiet
[ "$(jobs_submitted)" -ge $((jobs + 3)) ] || fail "8 tasks in $(($(jobs_submitted) - jobs)) arrays of 3"

# sbatch gives up although the job is there: it is not submitted twice.
cat >bin/sbatch <<END
#!/bin/sh
$sbatch "\$@"
echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2
exit 1
END
rm -r there/store/[0-9a-f][0-9a-f]
jobs=$(jobs_submitted)
sweep 0 --store there --on slurm --chunk 8 --only 'buffers < 6' --quiet
[ "$(jobs_submitted)" = $((jobs + 1)) ] || fail "$(($(jobs_submitted) - jobs)) jobs for one"

PATH=$path

# Ctrl-C ends the jobs, and releases what they ran.
sed 's/^command: .*/command: run amla --timing-only --heads 64 --seq-kv 16384 --launches 10000/' study.yaml >long.yaml
"$SIM" sweep long.yaml --store there --on slurm --quiet >said 2>err &
sweeping=$!
slurm_wait 120 sh -c '[ -n "$(ls -A there/store/claims)" ]' || fail "nothing is run: $(squeue; cat err)"
kill -TERM $sweeping
code=0
wait $sweeping || code=$?
[ $code = 143 ] && grep -q '^amalgam: interrupted; 0 of 12 points are done' err || fail "interrupted: exit code $code, $(cat err)"
slurm_wait 120 sh -c '[ -z "$(squeue --noheader)" ]' || fail "interrupted: jobs are left: $(squeue)"
[ -z "$(ls -A there/store/claims)" ] || fail "interrupted: claims are left"

# What Slurm refuses is said in its words.
sweep 2 --store there --on slurm --partition nowhere
[ "$(wc -l <err)" = 1 ] && grep -q 'sbatch: .*partition' err || fail "no such partition: $(cat err)"
echo "all as expected, by $(jobs_submitted) jobs"
