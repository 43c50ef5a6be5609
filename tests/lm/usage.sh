#!/bin/sh
# Help, what is printed, what goes where, what Ctrl-C leaves.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

lm() { "$SIM" run lm "$@"; }
val=$DATA/kjv_val.txt

"$SIM" --help | grep -q "^  lm  *a byte-level language model" || fail "--help"
"$SIM" run --help | grep -q "^  lm " || fail "run --help"
lm --help >help
for option in --model --context --eval --windows --prompt --tokens --attention --gemm --engines \
  --blocks --queries --chunk --lns --zero-exact --impl --config --set --firmware --threads --json \
  --quiet; do
  grep -q "^  $option" help || fail "--help: no $option"
done
grep -q -e '--mask' -e '--seed' help && fail "--help: options of others"
awk 'length > 104 { exit 1 }' help || fail "a line of --help is too long"

# Without inputs: the shipped model continues a prompt, which it says; from any directory.
lm --impl c >text
grep -q '^kernel   lm on engines; attention hfa, Mitchell' text || fail "kernel"
grep -q '^engines  4 of 4 blocks x 1 query, 1024 keys, in chunks of 512; C model' text ||
  fail "engines"
grep -q '^model    tests/data/kjv_lm_bf16.bin: 3 layers, 4 heads of 64' text || fail "model"
grep -q '^data     a prompt of 17 bytes (no --prompt or --eval was given), 200 bytes more' text ||
  fail "data"
grep -q '^In the beginning [a-z]' text || fail "the text"
grep -q '^choices .* gap' text || fail "gap"
grep -q '^time     [0-9]* cycles = .* us at 1800 MHz' text || fail "time"
grep -q ' cycles a token in 600 launches, by layer [0-9]*, [0-9]*, [0-9]*$' text || fail "layers"
grep -q '^  engine3 *ATTN' text || fail "pipes"
grep -q '^  cube0' text && fail "pipes that did nothing"

# A text: what is there depends on who computes.
lm --attention fp32 --eval "$val" --windows 2 >text
grep -q '^kernel   lm; attention fp32; products in FP32 on the host' text || fail "kernel of FP32"
grep -q '^loss     0.8730 nats a byte over 2048 predictions$' text || fail "loss of FP32"
grep -q '^         by window 0.8385, 0.9075$' text || fail "windows of FP32"
grep -q -e '^time' -e '^engines' text && fail "FP32 has a machine"
lm --impl c --attention fa2 --blocks 1 --eval "$val" --context 100 --windows 1 >text
grep -q '^engines  4 of 1 block x 1 query' text || fail "one block"
grep -q '^loss     .* predictions, FP32 .* (.*); the best byte is FP32.s in .* %$' text || fail "loss"
grep -q 'by window' text && fail "one window by window"

lm --impl c --gemm soc --prompt x --tokens 2 >text
grep -q 'products in BF16 on the cube core$' text || fail "products on the cube core"
grep -q '^time .*: attention [1-9][0-9]*, products [1-9][0-9]* in 44 launches$' text ||
  fail "time of products"
grep -q '^  cube0 *M ' text && grep -q '^  engine0 *ATTN ' text || fail "pipes of both"

# Bytes are bytes: to the terminal as they are, in JSON as characters.
printf 'Er sprach: \303\204\303\244 \377' >prompt
lm --attention fp32 --prompt "$(cat prompt)" --tokens 1 --json p.json >text
grep -aqF "$(cat prompt)" text || fail "the prompt's bytes"
[ "$(jq -r .prompt p.json)" = "Er sprach: $(printf '\303\204\303\244 \357\277\275')" ] ||
  fail "the prompt in JSON"

# Quiet; a JSON through a pipe; an output that cannot be written.
lm --attention fp32 --prompt x --tokens 2 --quiet >quiet 2>&1
[ ! -s quiet ] || fail "--quiet prints"
lm --impl c --prompt x --tokens 2 --quiet --timeline t.json
holds 'any(.traceEvents[]; .name == "ATTN")' t.json
lm --attention fp32 --prompt x --tokens 2 --quiet --json /dev/stdout | jq -e '.shape.tokens == 2' >/dev/null ||
  fail "JSON through a pipe"
status=0
lm --attention fp32 --prompt x --tokens 2 >/dev/full 2>err || status=$?
[ $status -eq 2 ] && grep -q 'standard output' err || fail "a full standard output: $status"

# A text through a pipe, of which only the first windows are read.
head -c 100000 /dev/zero | lm --attention fp32 --eval /dev/stdin --context 10 --windows 3 --quiet \
  --json z.json
holds '.shape.predictions == 30' z.json   # 3 windows of a pipe

# Ctrl-C: exit code 130, nothing is left; with the machine or without it.
interrupt() {   # interrupt NAME OPTIONS...
  name=$1
  shift
  "$SIM" run lm "$@" --json cut.json --quiet 2>err &   # itself, not a shell around it
  run=$!
  for _ in $(seq 50); do   # until it catches SIGINT, which a shell's background process begins by ignoring
    sleep 0.2
    ! grep -q '^SigCgt:.*[2367abef]$' /proc/$run/status || break
  done
  kill -INT $run
  status=0
  wait $run || status=$?
  [ $status -eq 130 ] && grep -q interrupted err && [ "$(wc -l <err)" -eq 1 ] ||
    fail "$name: exit code $status after a signal, not 130"
  [ -z "$(find . -name 'cut*')" ] || fail "$name: a file of an interrupted run"
}
for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$val"; done >long
interrupt engines --impl c --eval long
interrupt fp32 --attention fp32 --eval long
interrupt text --impl c --prompt x --tokens 1023
[ -z "$(find . -name '*.part-*')" ] || fail "temporary files left"
echo "all as expected"
