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
if command -v strace >/dev/null; then   # a thread that cannot be started is done without
  for firmware in riscv native; do
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 timeout 60 strace -f -qq --seccomp-bpf -o /dev/null -e trace=clone3 \
      -e inject=clone3:error=EAGAIN:when=3 "$SIM" run amla --heads 4 --seq-kv 64 --threads 4 --firmware $firmware --quiet \
      --json t.json || fail "a thread less, $firmware: exit code $?"
  done
  holds '.[0].error == .[1].error' a.json t.json
fi

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
# The first place, in text, message and JSON; blame explains an element that is no number, and not a healthy one.
grep -q 'smaller softmax scale; first out\[0,0\], which is not a number; FP64 has ' err || fail "first place: $(cat err)"
grep -q '^         first out\[0,0\], which is not a number' text || fail "first place in the text"
holds '.error.not_finite == {elements: 4096, first: [0, 0]}' big.json
"$MKNPY" kv.npy '<u2' 20,32
"$MKNPY" q.npy '<u2' 3,32 c 65=7f7f
for kernel in amla base flash; do
  [ $kernel = flash ] && set -- --k kv.npy --v kv.npy || set -- --kv kv.npy
  status=0
  "$SIM" run $kernel --q q.npy "$@" --verify --json nan.json --quiet 2>err || status=$?
  [ $status -eq 1 ] && holds '.error.not_finite == {elements: 32, first: [2, 0]}' nan.json || fail "$kernel: $status $(cat err)"
  "$SIM" blame nan.json --quiet --json why.json
  holds '.element == "out[2,0]"' why.json || fail "blame explains another one: $(jq -c .element why.json)"
done

# A kernel of one's own, of which nothing is expected: the same, unless it is allowed. Of 16 bits nobody knows the type.
own() {   # own TYPE STATUS ARGS...: a NaN in element 2; FP32 values pass a kernel of eight of them
  type=$1 want=$2 status=0
  shift 2
  "$MKNPY" x.npy '<f4' 8 c all=3f800000 2=7fc00000
  "$SIM" run custom --firmware "$FIRMWARE/tests/roots.elf" --in x.npy --out-type "$type" --json own.json "$@" >text 2>err || status=$?
  [ $status -eq "$want" ] && grep -q "^overflow [12] of [0-9]* elements of the result are not finite, first \[[0-9]*\], which is nan" text ||
    fail "own $type: $status $(cat err text)"
  holds '.not_finite | .elements > 0 and (.first | test("^.[25].$"))' own.json
}
own f4 1 --out-shape 8
grep -q '^amalgam: 1 of 8 elements of the result are not finite, first \[2\], which is nan$' err || fail "own kernel: $(cat err)"
own f4 0 --out-shape 8 --allow-overflow
grep -q '^overflow .* (--allow-overflow)$' text || fail "--allow-overflow is not told: $(cat text)"
own u2 0 --out-shape 16
grep -q '^overflow .*, if it is BF16$' text || fail "16 bits: $(cat text)"

# Scores beyond what AMLA's rescaling is good for: a warning; Base has no such limit.
scores() { "$SIM" run "$1" --heads 4 --seq-kv 64 --kv-block 16 --dist normal:"$2" --golden full --gm c --json r.json >text 2>/dev/null || true; }
scores amla 10000   # scores of 1e8
grep -q '^warning  scores reach .*e+0[89]; AMLA.s rescaling is good up to 8.39e+06 (docs/amla.md)' text || fail "large scores: $(cat text)"
holds '.error.scores_reach > 8388608' r.json
scores base 10000
! grep -q '^warning' text || fail "base: $(cat text)"
scores amla 100
! grep -q '^warning' text && holds '.error | has("scores_reach") | not' r.json || fail "small scores: $(cat text)"

# No floor below errors; what is too small for the type is told, and errors against zeros are absolute.
wrong() {   # wrong ERROR JSON ARGS...: exit code 1 and such an error
  error=$1 holds=$2 status=0
  shift 2
  "$SIM" run "$@" --gm c --json r.json >text 2>err || status=$?
  [ $status -eq 1 ] && grep -q "^amalgam: relative error $error is out of tolerance" err || fail "$*: $status $(cat err)"
  holds "$holds" r.json
  grep -q '^         underflow: [0-9]* elements became 0, [0-9]* subnormal' text || fail "$*: underflow is not told: $(cat text)"
}
wrong 0.0208 '.error.underflow | .to_zero > 0 and .to_subnormal > 1000' amla --heads 4 --seq-kv 64 --dist normal:1e-38
wrong 1 '.error.underflow.to_zero > 1000 and .error.rel_fro == 1' gemm --m 16 --n 64 --k 64 --dist normal:1e-7
# The error of w4a16 is on weights rounded to FP16, and, named as well, on exact ones: the same for whole numbers, more for
# a zero point far from them.
"$MKNPY" a.npy '<f2' 4,128
"$MKNPY" w.npy '<i4' 128,8
for scale in 3c00 211f; do   # 1, 0.01
  "$MKNPY" s.npy '<f2' 1,64 c all=$scale
  "$MKNPY" z.npy '<f2' 1,64 c all=63d0   # 1000
  "$SIM" run w4a16 --a a.npy --w w.npy --scale s.npy --zero z.npy --nibbles unsigned --gm c --json $scale.json >text
  grep -q '^         that is on weights rounded to FP16; on exact ones [0-9.e-]*$' text || fail "w4a16: $(cat text)"
done
holds '.error.exact_weights.rel_fro == .error.rel_fro' 3c00.json
holds '.error | .exact_weights.rel_fro > 1.2 * .rel_fro and .exact_weights.rel_fro < 1e-3' 211f.json

"$MKNPY" q.npy '<u2' 3,32
"$MKNPY" kv.npy '<u2' 20,32 c all=0
"$SIM" run amla --q q.npy --kv kv.npy --json zero.json >text
grep -q '^error    0 absolute, for all is 0 in FP64' text || fail "all zeros: $(cat text)"
holds '.error | .absolute and .rel_fro == 0 and (has("underflow") | not)' zero.json

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
