#!/bin/sh
# A new user's path: from an empty folder to a kernel of one's own that is built and tested, in 60 lines; what the test says
# of kernels that are wrong.
# SPDX-License-Identifier: Apache-2.0
[ -e /usr/include/cmocka.h ] || { echo "needs cmocka"; exit 77; }
. "$(dirname "$0")/../../script.sh"

# The simulator under test, in place of the checkout's script, which would look whether all is built.
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$SIM" >bin/amalgam
chmod +x bin/amalgam
AMALGAM=$dir/bin/amalgam PATH=$PATH:$ROOT TMPDIR=$dir/tmp
export AMALGAM PATH TMPDIR
mkdir "$TMPDIR"

cp -r "$ROOT/sw/test/rmsnorm" own
cd own
[ "$(cat ./* | wc -l)" -le 60 ] || fail "$(cat ./* | wc -l) lines"
awk 'length > 130 { exit 1 }' ./* || fail "a line is too long"
CFLAGS='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror' cmake -B build >said 2>&1 || { cat said; fail "cmake"; }

# tried WANT FRAGMENT...: builds, and runs the test, whose exit code and message are these.
tried() {
  want=$1
  shift
  cmake --build build >said 2>&1 || { cat said; fail "build"; }
  status=0
  build/rmsnorm_test >said 2>&1 || status=$?
  [ $status -eq "$want" ] || { cat said; fail "exit code $status, not $want"; }
  for fragment; do
    grep -qF -e "$fragment" said || { cat said; fail "no '$fragment'"; }
  done
}
broken() {   # broken SED-PROGRAM FRAGMENT...: the kernel is changed so for one trial
  program=$1
  shift
  sed "$program" "$ROOT/sw/test/rmsnorm/rmsnorm.c" >rmsnorm.c
  cmp -s rmsnorm.c "$ROOT/sw/test/rmsnorm/rmsnorm.c" && fail "$program changes nothing"
  tried 1 "$@"
}
line=$(grep -n amalgam_expect rmsnorm_test.c | cut -d: -f1)
launch=$(grep -n amalgam_launch rmsnorm_test.c | cut -d: -f1)

tried 0 "PASSED"
ctest --test-dir build >said || { cat said; fail "ctest"; }

# Wrong numbers: the first element that is wrong, and the line of the comparison.
broken 's/VOP_RSQRT/VOP_SQRT/' "rmsnorm.elf: element [0,1] is " "expected " "of 30000 are off by more than 1e-06" \
  "rmsnorm_test.c:$line:"
broken 's/= X, .b = SUMS/= X + 4096, .b = SUMS/' "rmsnorm.elf: element [0,1]"
cp said ../no_folder
# Panics, races and commands that cannot be: the run's message, and the line of the launch.
broken 's/cols = x->shape\[1\]/cols = x->shape[2]/' "exit code 3" "firmware panic REQUIRED: " \
  'require(x->dims == 2 && x->element == 4 && ' "rmsnorm.c:" "rmsnorm_test.c:$launch:"
broken 's/custom_f32(args, 0)/custom_f32(args, 1)/' \
  "firmware panic PARAM: the kernel reads a number that was not given (--param): custom_f32(args, 1) at rmsnorm.c:"
broken 's/custom_in(args, 1)/custom_in(args, 2)/' \
  "firmware panic INPUT: the kernel reads an array that was not given (--in): custom_in(args, 2) at rmsnorm.c:"
broken '/PIPE_MTE2, PIPE_V/d' "race in UB" "rmsnorm.c:"
broken 's/.op = VOP_DIV/.op = 99/' "VEC" "op=99" "rmsnorm.c:"

# blamed SED-PROGRAM: the kernel changed so is wrong in one line. What the test then says to do names that line.
blamed() {
  AMALGAM_TEST_KEEP=$dir/kept
  export AMALGAM_TEST_KEEP
  broken "$1" "which line is wrong: amalgam blame $dir/kept/run.json --expect $dir/kept/want.npy --tolerance 1e-06"
  unset AMALGAM_TEST_KEEP
  wrong=$(diff "$ROOT/sw/test/rmsnorm/rmsnorm.c" rmsnorm.c | sed -n 's/^\([0-9]*\)c[0-9]*$/\1/p')
  [ -n "$wrong" ] || fail "$1: expected to change one line"
  # shellcheck disable=SC2046   # words
  PATH=$dir/bin:$PATH $(sed -n 's/^which line is wrong: //p' said) >why || fail "blame"
  grep -q "^to blame rmsnorm.c:$wrong (vector_main)\$" why || { cat why; fail "$1: line $wrong is wrong"; }
  echo "$1: $(sed -n '3,4p' why | tr -s ' \n' ' ')"
}
blamed 's/VOP_RSQRT/VOP_SQRT/'
# docs/why-wrong.md shows this.
{ grep '^ERROR: ' said; grep -A 1 '^to blame' why; } >shown
[ "$(wc -l <shown)" -eq 3 ] || fail "shown: $(cat shown)"
while IFS= read -r one; do
  grep -qF -e "$one" "$ROOT/docs/why-wrong.md" || fail "docs/why-wrong.md does not show: $one"
done <shown
blamed 's/.scalar = F32(cols)/.scalar = F32(rows)/'
blamed 's/.rows = 1, .row_bytes = bytes/.rows = 1, .row_bytes = bytes - 4/'
blamed 's/= X, .b = SUMS/= Y, .b = SUMS/'
grep -q "AMALGAM_TEST_KEEP=DIR in the environment, then amalgam blame DIR/run.json" ../no_folder || fail "no advice"

# One bit that is off, with a tolerance and without.
cp "$ROOT/sw/test/rmsnorm/rmsnorm.c" .
sed -i 's/golden, 1e-6/golden, 0/' rmsnorm_test.c
tried 1 "are off by more than 0, at most by"
# What is kept of a launch is what `run custom` takes.
cp "$ROOT/sw/test/rmsnorm/rmsnorm_test.c" .
AMALGAM_TEST_KEEP=kept
export AMALGAM_TEST_KEEP
tried 0
amalgam=$AMALGAM
"$amalgam" run custom --firmware build/rmsnorm.so --in kept/in0.npy --in kept/in1.npy --param 1e-5 --out-shape 300,100 \
  --expect kept/want.npy --tolerance 1e-6 --out native.npy --quiet
cmp native.npy kept/out.npy && holds '.cycles > 0' kept/run.json || fail "what is kept"
# Of two machines each has its own folder.
sed -i 's/^AMALGAM_MAIN.*/int main(void) { const struct CMUnitTest both[] = {cmocka_unit_test(is_right), cmocka_unit_test(is_right)}; return cmocka_run_group_tests(both, NULL, NULL); }/' rmsnorm_test.c
rm -r kept
tried 0
[ -s kept/want.npy ] && [ -s kept/2/want.npy ] && [ ! -e kept/3 ] || fail "what is kept of two machines: $(ls -R kept)"
unset AMALGAM_TEST_KEEP
# Not the command, or none.
AMALGAM=$dir/none build/rmsnorm_test >said 2>&1 && fail "a test without a command"
grep -qF "$dir/none" said || { cat said; fail "no command"; }
[ -z "$(ls "$TMPDIR")" ] || fail "files are left: $(ls "$TMPDIR")"
echo "all as expected: $(cat "$ROOT"/sw/test/rmsnorm/* | wc -l) lines"
