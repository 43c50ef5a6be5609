#!/bin/sh
# `cmake --install` to a prefix that is then moved and cannot be written: what is there works from there, without the
# checkout and its build folder, for a user whose cache it fills.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../script.sh"

cmake --install "$BUILD" --prefix "$dir/first" >log || { cat log; fail "cmake --install"; }
grep -rIl "$ROOT\|$BUILD" first/lib first/share && fail "these name the checkout"   # debug information may
mkdir moved home work
mv first moved/prefix
chmod -R a-w moved
touch log
prefix=$dir/moved/prefix
# A file of the checkout that would be read is noticed, since another machine's would be.
if command -v strace >/dev/null; then watch="strace -f --seccomp-bpf -e trace=open,openat -o $dir/opened"; else watch=; fi
amalgam() { HOME=$dir/home XDG_CACHE_HOME='' $watch "$prefix/bin/amalgam" "$@"; }
from_prefix() { [ -z "$watch" ] || ! grep -e "\"$ROOT/" -e "\"$BUILD/" "$dir/opened" || fail "$*: reads the checkout"; }

cd work
[ "$(amalgam --version)" = "$("$SIM" --version)" ] || fail "--version"
for firmware in riscv native; do
  amalgam run amla --firmware $firmware --gm c --json run.json --quiet
  from_prefix run amla
  "$SIM" run amla --firmware $firmware --gm c --json want.json --quiet
  [ "$(without_host run.json)" = "$(without_host want.json)" ] || fail "another result, $firmware"
done
holds '.shape.seq_kv == 4096' run.json
amalgam explain run.json >said || fail "explain"

# A kernel of one's own.
cat >empty.c <<'C'
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"
#include "lib/debug_printf.h"
#include "lib/panic.h"

struct words { int word[64]; };
static void fill(struct words *of, int with) {
  struct words w = {{with}};   // the compiler calls memset
  *of = w;                     // and memcpy
}
void cube_main(void) {
  struct words w;
  fill(&w, 7);
  require(w.word[0] == 7 && w.word[1] == 0 && w.word[63] == 0, PANIC_ARGUMENTS);
}
C
amalgam firmware empty.c >built || fail "firmware"
amalgam run custom --firmware empty.elf --out-shape 4 --no-init-check --quiet || fail "run custom"
amalgam run custom --firmware empty.so --out-shape 4 --no-init-check --quiet || fail "run custom, native"
from_prefix firmware

# A project of one's own, and its test, by the installed package.
if command -v cmake >/dev/null && [ -e /usr/include/cmocka.h ]; then
  cp -r "$prefix/share/amalgam/sw/test/rmsnorm" own
  chmod -R u+w own
  (cd own && PATH=$prefix/bin:$PATH cmake -B build && cmake --build build && ctest --test-dir build) >said 2>&1 ||
    { cat said; fail "a project of one's own"; }
  grep -q "Building firmware rmsnorm" said && grep -q "100% tests passed" said || { cat said; fail "its test"; }
  (cd own && PATH=$prefix/bin:$PATH && AMALGAM_TEST_KEEP=kept build/rmsnorm_test 2>&1 &&
    amalgam blame kept/run.json --expect kept/want.npy --tolerance 1e-6) >said || { cat said; fail "blame of a test's run"; }
  grep -q "^off      0 of 30000 elements" said || { cat said; fail "blame of a test's run"; }
  grep -q "$ROOT" own/build/CMakeCache.txt && fail "it was given the checkout's Amalgam"
fi

# The Python module, with the installed command.
for python in python3 /usr/bin/python3; do
  "$python" -c 'import numpy' 2>/dev/null || continue
  cat >try.py <<'PY'
import amalgam
import numpy
x = numpy.random.default_rng(0).normal(size=(200, 64)).astype("<f4")
result = amalgam.run("amla", q=x[:8], kv=x, options=["--gm", "c"])
assert result.out.shape == (8, 64) and result.json["cycles"] > 0, result
PY
  PATH=$prefix/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$prefix/lib/python3/dist-packages "$python" try.py || fail "the Python module"
  break
done

# The RTL is built in the user's cache, and found there again.
AMALGAM_UNIT_FLAGS=-O0 amalgam run hfa --seq-kv 32 --blocks 1 --quiet || fail "run hfa"
from_prefix run hfa
ls "$dir"/home/.cache/amalgam/units/hfa-*/unit.so >said || fail "no unit in the cache"
[ -z "$(find "$prefix" -newer "$dir/log")" ] || fail "something was written below the prefix"

# A page for each of the help, with a name that man's index finds; completion from the same.
pages=0
for page in "$prefix"/share/man/man1/*.1; do
  pages=$((pages + 1))
  sed -n 3p "$page" | grep -q '^amalgam[a-z0-9-]* \\- [^ ]' || fail "$page: NAME"
done
[ $pages -ge 15 ] || fail "$pages pages"
grep -q -e '\\-\\-rescale element|row' "$prefix/share/man/man1/amalgam-run-amla.1" || fail "options of run amla"
completes() {   # complete WANT WORDS...: the last word is completed
  want=$1
  shift
  bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _amalgam; echo "${COMPREPLY[*]}"' \
    "$prefix/share/bash-completion/completions/amalgam" "$@" >completed
  [ "$(cat completed)" = "$want" ] || fail "completion of '$*': $(cat completed)"
}
in_zsh() {
  want=$1
  shift
  zsh -f -c 'source "$0"; words=("$@"); CURRENT=$#; reply=(); _amalgam_words
    print -r -- ${(M)reply:#${words[-1]}*}' "$prefix/share/zsh/vendor-completions/_amalgam" "$@" >completed
  [ "$(cat completed)" = "$want" ] || fail "completion in zsh of '$*': $(cat completed)"
}
if command -v zsh >/dev/null; then
  in_zsh "report" amalgam rep
  in_zsh "flash fp8 fa2" amalgam run f
  in_zsh "--rescale" amalgam run amla --resc
  in_zsh "element row" amalgam run amla --rescale ""
  in_zsh "table4 table4_hfa" amalgam report table4
  in_zsh "engines" amalgam run lm --config eng
fi
completes "engines" amalgam run lm --config eng
completes "report" amalgam rep
completes "flash fp8 fa2" amalgam run f
completes "--rescale" amalgam run amla --resc
completes "" amalgam run base --resc
completes "element row" amalgam run amla --rescale ""
completes "table4 table4_hfa" amalgam report table4
echo "all as expected: $pages pages"
