#!/bin/sh
# Help, exit code 1, choice of data, and agreement of the options that must not change a result.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

"$SIM" --help | grep -q 'amalgam run' || fail "--help"
"$SIM" run --help | grep -q "^  amla " || fail "run --help"
"$SIM" run amla --help | grep -q -e '--rescale' || fail "run amla --help"
"$SIM" run base --help | grep -q -e '--rescale' && fail "base has no --rescale"
"$SIM" report --help | grep -q -e '--seeds' || fail "report --help"
"$SIM" commands | grep -q 'MMAD' || fail "commands"
"$SIM" run amla --help | awk 'length > 101 { exit 1 }' || fail "a line of --help is too long"

# Without inputs: the shipped data, which it says; from any directory, with the same numbers twice.
"$SIM" run amla --gm c --json a.json >text
grep -q 'shipped' text || fail "does not say that it took the shipped data"
holds '.shape.seq_kv == 4096' a.json
"$SIM" run amla --gm c --json b.json --quiet >quiet
[ ! -s quiet ] || fail "--quiet prints"
without_host a.json >a.cut
without_host b.json >b.cut
cmp a.cut b.cut

# The same error through a tolerance: exit code 1, and the outputs are there.
status=0
"$SIM" run amla --heads 4 --seq-kv 64 --tolerance 1e-9 --out o.npy --quiet 2>err || status=$?
[ $status -eq 1 ] || fail "exit code $status, not 1"
grep -q 'out of tolerance' err || fail "message"
[ -s o.npy ] || fail "no output"

# Timing only: the same cycles, no data, no error; results do not depend on threads.
"$SIM" run amla --heads 4 --seq-kv 64 --gm c --quiet --json a.json
"$SIM" run amla --heads 4 --seq-kv 64 --timing-only --threads 3 --gm c --quiet --json b.json
holds '.[0].cycles == .[1].cycles and .[0].cycles > 0' a.json b.json
holds '.timing_only and has("error") and .error == null' b.json
holds '.error.rel_fro > 0' a.json

# Cores: all of the config, or as many of each die; one core needs one die.
"$SIM" run amla --heads 4 --seq-kv 64 --batch 3 --timing-only --config ascend910_die \
  --set soc.ai_cores=2 --quiet --json c.json
holds '.cores == 2' c.json   # of the config
"$SIM" run amla --heads 4 --seq-kv 64 --batch 3 --timing-only --config ascend910 --cores 3 \
  --quiet --json c.json
holds '.cores == 4' c.json   # of both dies
"$SIM" run amla --heads 4 --seq-kv 64 --timing-only --config ascend910 --cores 1 --quiet \
  --json c.json
holds '.cores == 1' c.json

# The golden: of all rows, which says so, with errors by token; of some, which says so; of none.
golden() {   # golden CHOICE EXPRESSION OPTIONS...
  choice=$1
  want=$2
  shift 2
  "$SIM" run amla --gm c --golden "$choice" --json g.json "$@" >g.text || fail "--golden $choice"
  holds "$want" g.json
}
golden auto '.error.golden == "fp64, untiled"' --heads 4 --seq-kv 64 --batch 2
grep -q 'relative to FP64 (BF16.*by token' g.text || fail "text of the full golden"
golden none 'has("error") and .error == null' --heads 4 --seq-kv 64
grep -q 'FP64' g.text && fail "text without a golden"
golden sample '.error.golden == "fp64, untiled, 112 of 128 rows"' --heads 128 --seq-kv 8192
holds '.error | has("per_token") and .per_token == null' g.json
grep -q 'relative to FP64 in 112 of 128 rows (BF16' g.text || fail "text of a sample"

# A timeline, an output through a pipe, a batch, a mask that hides everything.
"$SIM" run base --heads 4 --seq-kv 64 --timeline t.json --quiet
holds '.traceEvents | length > 100' t.json
"$SIM" run amla --heads 4 --seq-kv 64 --batch 3 --out-f32 --out /dev/stdout --quiet | head -c 128 |
  grep -aq "'<f4'.*'shape': (3, 1, 4, 512)" || fail "output of a batch through a pipe"
"$MKNPY" q.npy '<u2' 4,32
"$MKNPY" kv.npy '<u2' 20,32
printf '\223NUMPY\001\000\166\000' >none.npy
printf '%-117s\n' "{'descr': '|b1', 'fortran_order': False, 'shape': (20,), }" >>none.npy
head -c 20 /dev/zero >>none.npy
"$SIM" run amla --q q.npy --kv kv.npy --mask none.npy --verify --out z.npy --quiet
tail -c 256 z.npy | tr -d '\000' | cmp - /dev/null || fail "masked rows are not zero"

# Scores that overflow: in words, and null in JSON.
status=0
"$SIM" run amla --heads 4 --seq-kv 64 --seq-q 2 --dist normal:1e25 --json big.json >text 2>err || status=$?
[ $status -eq 1 ] && grep -q 'the error is no number: values overflow' err || fail "overflow: $status $(cat err)"
grep -q '^error    is no number, relative to FP64' text || fail "text of an overflow"
grep -qi 'nan\b' text && fail "a NaN in the text"
holds '.error.rel_fro == null and .error.overflow' big.json

# What is printed does not arrive.
full() {   # full ARGS...
  status=0
  "$SIM" "$@" >/dev/full 2>err || status=$?
  [ $status -eq 2 ] && grep -q 'standard output: cannot write' err || fail "$* >/dev/full: $status"
}
full commands
full run amla --heads 4 --seq-kv 64 --timing-only

# Ctrl-C while files are written (to a pipe that nobody reads, and which is too small for this one).
mkfifo pipe
"$SIM" run amla --heads 128 --seq-kv 64 --timeline cut.json --out pipe --quiet 2>err &
run=$!
exec 3<pipe   # waits for the writer
kill -INT $run
status=0
wait $run || status=$?
exec 3<&-
[ $status -eq 130 ] && [ "$(cat err)" = 'amalgam: interrupted' ] || fail "interrupted: $status"
[ -z "$(find . -name 'cut*')" ] || fail "a file of an interrupted run"
ls ./*.part-* 2>/dev/null && fail "temporary files left"
echo "all as expected"
