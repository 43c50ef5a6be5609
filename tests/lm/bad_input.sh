#!/bin/sh
# Bad input for `run lm`: exit code 2, one line on stderr that names what is wrong, no output files.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/refused.sh"
always="--json out.json"

# model FILE dim hidden layers heads kv_heads vocab context: weights are 0.
model() {
  file=$1
  shift
  kv=$(($1 / $4 * $5))
  count=$(($6 * $1 + $3 * (2 * $1 + 2 * $1 * $1 + 2 * kv * $1 + 3 * $2 * $1) + $1))
  {
    printf LMBF
    for field in "$@"; do
      # shellcheck disable=SC2059
      printf "\\$(printf %03o $((field % 256)))\\$(printf %03o $((field / 256)))\\000\\000"
    done
    head -c $((2 * count)) /dev/zero
  } >"$file"
}
model good.bin 32 8 1 2 1 100 8
model d8.bin 32 8 1 4 2 100 8
model d3.bin 30 8 1 10 2 100 8
model d64.bin 256 8 1 4 1 100 8
head -c 5000 good.bin >short.bin
printf 'hello, I am no model at all, but long enough for a header' >hello.bin
printf 'ab ca' >text
printf 'x' >one
: >empty
printf 'abc\200d' >eighth

# The file of the test is good.
"$SIM" run lm --model good.bin --impl c --eval text --json good.json --quiet
jq -e '.shape.predictions == 4' good.json >/dev/null || { echo "FAILED: the good model"; exit 1; }

refused "none.bin: No such file" run lm --model none.bin
refused "hello.bin: not a language model" run lm --model hello.bin
refused "short.bin: 5000 bytes; expected" run lm --model short.bin
refused "d3.bin: dim 30 with 10 heads" run lm --model d3.bin
refused ".: Is a directory" run lm --model .
refused "heads have 8 elements; expected a multiple of 16" run lm --model d8.bin --eval text
refused "heads have 8 elements" run lm --model d8.bin --eval text --attention fa2 --impl c

refused "engine.buffer_kb = 1: the kernel needs 4 for a token" run lm --model d64.bin --eval text --set engine.buffer_kb=1
refused "none.txt: No such file" run lm --eval none.txt
refused ".: Is a directory" run lm --eval .
refused "empty: 0 bytes; expected at least 2" run lm --eval empty
refused "one: 1 byte; expected at least 2" run lm --attention fp32 --eval one
refused "eighth: byte 3 is 128; the model knows 0 to 99" run lm --model good.bin --eval eighth
refused "--windows: needs --eval" run lm --windows 2
refused "--windows: needs --eval" run lm --prompt x --windows 2
refused "--windows: expected a whole number from 1" run lm --eval text --windows 0

refused "--prompt: empty" run lm --prompt ""
refused "--eval, --prompt: only one of them" run lm --eval text --prompt x
refused "--tokens: needs --prompt" run lm --tokens 10
refused "--tokens: needs --prompt" run lm --eval text --tokens 10
refused "--tokens: expected a whole number from 1" run lm --prompt x --tokens 0
refused "--prompt of 1 bytes and --tokens 1024: the context has 1024; --context N" \
  run lm --prompt x --tokens 1024
refused "the context has 8; --context" run lm --model good.bin --prompt ab --tokens 7
refused "--prompt: byte 1 is 122; the model knows 0 to 99" run lm --model good.bin --prompt az \
  --tokens 1
refused "--context: expected a whole number from 1 to 65536" run lm --context 65537

# Options that need others.
refused "--lns: needs --attention hfa" run lm --attention fa2 --lns mitchell
refused "--lns: needs --attention hfa" run lm --attention fp32 --lns corrected
refused "--zero-exact: needs --attention hfa" run lm --attention fa2 --zero-exact
for option in "impl c" "impl rtl" "blocks 4" "queries 1" "engines 4" "chunk 512"; do
  # shellcheck disable=SC2086
  refused "--${option% *}: needs attention engines" run lm --attention fp32 --$option
done
for option in "config engines" "set soc.engines=4" "firmware riscv"; do
  # shellcheck disable=SC2086
  refused "--${option% *}: needs a machine" run lm --attention fp32 --$option
done
refused "--attention: expected fp32|fa2|hfa" run lm --attention fp16
refused "--gemm: expected host|soc" run lm --gemm cube
refused "--firmware: expected riscv|native" run lm --firmware my.elf

# The machine.
refused "--engines: expected a whole number from 1 to 64" run lm --engines 0
refused "soc.engines is 0; --attention hfa needs engines" run lm --set soc.engines=0
refused "soc.engines is 0" run lm --config ascend910_core --attention fa2
refused "--chunk 1025: an engine holds 1024 keys" run lm --chunk 1025
refused "--chunk: expected a whole number from 1" run lm --chunk 0
refused "engine.rows 1024: expected a multiple of engine.blocks, 3" run lm --blocks 3
refused "mars" run lm --config mars
refused "soc.wheels" run lm --set soc.wheels=4
refused "unexpected argument 'twice'" run lm twice
refused "did you mean --context?" run lm --contexts 4
refused "--q: may be --queries or --quiet" run lm --q x

# Where the results go.
always=
refused "none/r.json: No such file" run lm --eval text --json none/r.json
refused "hello.bin/r.json" run lm --eval text --json hello.bin/r.json
[ -z "$(find . -name 'out*' -o -name '*.part-*')" ] || { echo "FAILED: files left"; failed=1; }
echo "$tests refused"
exit $failed
