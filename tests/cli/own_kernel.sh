#!/bin/sh
# "Write your own kernel" of sw/README.md, done from its text: its files written, its commands run, and
# what it says one sees compared with what is seen.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

# `amalgam` as the script in the root of the checkout has it, but for looking whether all is built.
mkdir bin
cat >bin/amalgam <<END
#!/bin/sh
exec "$SIM" "\$@"
END
chmod +x bin/amalgam
PATH=$dir/bin:$PATH:$ROOT AMALGAM=$dir/bin/amalgam
export PATH AMALGAM

# ```c NAME is a file; ```sh are commands, in order; ```text is what the commands before it print, by
# lines and, in a line, by the pieces between " ... ".
mkdir work
awk -v dir=work '
  /^## / && to == "" { inside = $0 == "## Write your own kernel" }
  !inside { next }
  /^```(c|cmake) / { to = dir "/" $2; next }
  /^```sh$/ { ++steps; to = "step" steps; next }
  /^```text$/ { to = "seen" steps; next }
  /^```/ { to = ""; next }
  to != "" { print >to }' "$ROOT/sw/README.md"
steps=$(find . -maxdepth 1 -name 'step*' | wc -l)
[ "$steps" -ge 3 ] || fail "$steps steps"
[ "$(wc -l <work/softmax.c)" -le 60 ] || fail "the kernel has more than 60 lines"
awk 'length > 100 { exit 1 }' work/*.c || fail "a line of the code is too long"

cd work
number=0
while [ $number -lt "$steps" ]; do
  number=$((number + 1))
  sh -e "../step$number" >"../out$number" 2>&1 ||
    { status=$?; cat "../out$number"; fail "step $number: exit code $status"; }
  [ -e "../seen$number" ] || continue
  sed 's/ \.\.\. /\n/g' "../seen$number" >"../pieces"
  while read -r piece; do
    grep -qF -e "$piece" "../out$number" ||
      { cat "../out$number"; fail "step $number does not print '$piece'"; }
  done <../pieces
done

# The result is what the step compared, and a wrong one would have been noticed.
[ -s y.npy ] || fail "no result"
cp build/softmax.elf build/softmax.so .
cp kept/want.npy want.npy
cp kept/in0.npy x.npy
cp want.npy other.npy
printf '\000\000\000\077' | dd of=other.npy bs=1 seek=1456 conv=notrunc 2>dd.log   # element [3,0]
status=0
amalgam run custom --firmware softmax.so --in x.npy --out-shape 300,100 --expect other.npy \
  --tolerance 1e-6 --out not.npy --json r.json --quiet 2>err || status=$?
[ $status -eq 1 ] || fail "exit code $status, not 1"
grep -q 'out of tolerance: 1 of 30000 elements, first \[3,0\], which is .*; expected 0.5' err ||
  { cat err; fail "message"; }
[ -s not.npy ] || fail "no result of a run out of tolerance"
holds '.expected.off == 1' r.json
cmp y.npy not.npy || fail "RV64 and native differ"

# What is refused.
refused() {   # refused FRAGMENT ARGS...
  fragment=$1
  shift
  status=0
  amalgam "$@" >stdout 2>stderr || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <stderr)" -eq 1 ] && grep -qF -e "$fragment" stderr ||
    { cat stderr; fail "$*: exit code $status"; }
}
refused "--firmware" run custom
refused "--firmware: expected" run custom --firmware softmax.c --out-shape 1
refused "none.elf" run custom --firmware none.elf --out-shape 1
refused "--out-shape: the result" run custom --firmware softmax.elf
for shape in 0 1, ,1 1,2,3,4,5 -1 4294967296 65536,65536 a; do
  refused "--out-shape: expected" run custom --firmware softmax.elf --out-shape "$shape"
done
refused "--param" run custom --firmware softmax.elf --out-shape 1 --param x
refused "--param" run custom --firmware softmax.elf --out-shape 1 --param 1e39
refused "--param: given" run custom --firmware softmax.elf --out-shape 1 --param 1 --param 1 \
  --param 1 --param 1 --param 1 --param 1 --param 1 --param 1 --param 1
refused "none.npy" run custom --firmware softmax.elf --out-shape 1 --in none.npy
refused "want.npy" run custom --firmware softmax.elf --out-shape 300 --expect want.npy
refused "want.npy" run custom --firmware softmax.elf --out-shape 300,100 --out-type i4 --expect want.npy
refused "--tolerance: needs" run custom --firmware softmax.elf --out-shape 1 --tolerance 1
refused "--tolerance: for" run custom --firmware softmax.elf --out-shape 300 --out-type u2 \
  --expect want.npy --tolerance 1
refused "soc.engines" run custom --firmware softmax.elf --out-shape 1 --config engines
refused "no source" firmware
refused "none.c: cannot read" firmware none.c
refused "unknown option" firmware -x softmax.c
refused "no C source" firmware softmax.elf
[ ! -e none.elf ] && [ -z "$(find . -name '*.part')" ] || fail "files of a build that was refused"

# Arguments as the kernel reads them, and outputs of every type.
cat >args.c <<'END'
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"
#include "lib/panic.h"

void vector_main(void) {
  const custom_args_t *args = hal_gm(hal_read(REG_ARGS));
  if (hal_read(REG_SUB_INDEX) != 0) {
    return;
  }
  require(args->inputs == 2 && args->params == 3, PANIC_ARGUMENTS);
  require(args->param[0].whole == -3 && args->param[1].f32 == 0x3f000000 &&
          args->param[1].whole == 0 && args->param[2].whole == INT32_MAX, PANIC_ARGUMENTS);
  require(args->in[1].dims == 3 && args->in[1].shape[0] == 2 && args->in[1].shape[2] == 4 &&
          args->in[1].shape[3] == 1 && args->in[1].element == 2 && args->in[1].bytes == 48,
          PANIC_ARGUMENTS);
  data_copy_gm_to_ub(.gm = args->in[1].gm, .gm_pitch = 48, .ub = 0, .ub_pitch = 64, .rows = 1,
                     .row_bytes = 48);
  set_flag(PIPE_MTE2, PIPE_MTE3, 0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, 0);
  data_copy_ub_to_gm(.ub = 0, .ub_pitch = 64, .gm = args->out.gm, .gm_pitch = 48, .rows = 1,
                     .row_bytes = (uint32_t)args->out.bytes, .op = GM_STORE);
}
END
amalgam firmware -o given args.c >built
[ "$(cat built)" = 'given.elf given.so' ] || fail "what was built: $(cat built)"
"$MKNPY" three.npy '<u2' 2,3,4
for type in u2:24 f2:24 f4:12 i4:12 u1:48; do
  amalgam run custom --firmware given.elf --in x.npy --in three.npy --out-shape "${type#*:}" \
    --out-type "${type%:*}" --param -3.9 --param 0.5 --param 1e20 --out got.npy --quiet
  tail -c 48 three.npy >want.bytes
  tail -c 48 got.npy | cmp - want.bytes || fail "output of type $type"
done
grep -q "'<i4'\|'|u1'" got.npy || fail "type in the file"

# For a debugger: variables are there, and the numbers are the same.
amalgam firmware softmax.c --debug -o debug.elf >built   # as a compiler takes them
grep -aq -e ' -Og ' debug.elf && grep -aq -e ' -Og ' debug.so && ! grep -aq -e ' -Og ' softmax.elf || fail "firmware --debug"
amalgam run custom --firmware debug.elf --in x.npy --out-shape 300,100 --out debug.npy --quiet
cmp debug.npy y.npy || fail "--debug changes the result"

# Constants; panics by name, by a number of its own, with a clause of two lines, and with none.
cat >panics.c <<'END'
#include "kernels/custom/custom.h"

void vector_main(void) {
  const custom_args_t *args = custom_args();
  require(F32(0.5) == 0x3f000000 && F32(-1e-6) == 0xb58637bd && F32(3 * args->out.bytes) == 0x42400000);
  require(custom_whole(args, 0) != 1, PANIC_MACHINE);
  if (custom_whole(args, 0) == 2) {
    panic(99, "a reason of its own\033");
  }
  require(custom_whole(args, 0) == 4 ||
          custom_whole(args, 0) == 5);
  hal_halt(PANIC_ARGUMENTS);
}
END
amalgam firmware panics.c >built
panics() {   # panics PARAM MESSAGE
  for kind in elf so; do
    status=0
    amalgam run custom --firmware panics.$kind --out-shape 4 --param "$1" --quiet 2>err || status=$?
    [ $status -eq 3 ] && grep -qF -e "firmware panic$2 at panics.c:" err || { cat err; fail "panic $1, $kind: exit code $status"; }
  done
}
panics 1 " MACHINE: the kernel needs more cores or buffers than there are: require(custom_whole(args, 0) != 1, PANIC_MACHINE)"
panics 2 ", code 99: a reason of its own?"
panics 3 " REQUIRED: what the kernel requires is not so: require(custom_whole(args, 0) == 4 || custom_whole(args, 0) == 5)"
panics 4 " ARGUMENTS: the kernel's arguments are outside of its limits"
echo "all as expected: $steps steps"
