#!/bin/sh
# Help, the shipped input, the text, the golden's choices, exit code 1, what Ctrl-C leaves.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

"$SIM" --help | grep -q "^  hfa  *attention by the H-FA engine" || fail "--help"
"$SIM" run --help | grep -q "^  fa2 " || fail "run --help"
"$SIM" run hfa --help >hfa.help
"$SIM" run fa2 --help >fa2.help
for option in --q --k --v --mask --causal --softmax-scale --blocks --queries --rows --impl --out \
  --out-f32 --json --trace --seed --seq-q --seq-kv --head-dim --dist --verify --quiet --threads \
  --clock-mhz --golden; do
  grep -q "^  $option " hfa.help || fail "hfa --help: no $option"
  grep -q "^  $option " fa2.help || fail "fa2 --help: no $option"
done
grep -q '^  --lns ' hfa.help && grep -q '^  --zero-exact ' hfa.help || fail "hfa --help"
grep -q '^  --one-mul ' fa2.help || fail "fa2 --help"
grep -q -e '--one-mul' hfa.help && fail "hfa has no --one-mul"
grep -q -e '--lns' fa2.help && fail "fa2 has no --lns"
grep -q -e '--kv ' hfa.help && fail "hfa has no --kv"
awk 'length > 101 { exit 1 }' hfa.help fa2.help || fail "a line of --help is too long"

# Without inputs: a head of the language model, from any directory, and its error. 128 queries of
# 1024 keys, causal: 897 + .. + 1024 keys.
"$SIM" run hfa --impl c --json a.json >text
grep -q 'shipped.*language model.*causal' text || fail "does not say that it took the shipped data"
holds '.keys == 122944' a.json
grep -q "Mitchell's log2.*--lns corrected" text || fail "does not say where the error comes from"
grep -q '^kernel   hfa, Mitchell.*4 blocks x 1 query, d 64, 1024 keys; C model' text || fail "kernel"
grep -q '^time .* cycles = .* a query; utilisation' text || fail "time"
grep -q '^load     1024 cycles' text || fail "load"
"$SIM" run hfa --impl c --lns corrected --json b.json >text
grep -q 'lns corrected' text && fail "proposes what was asked for"
"$SIM" run hfa --impl c --seq-kv 1 --head-dim 8 >text   # adds nothing
grep -q 'lns corrected' text && fail "blames additions for an error without any"
"$SIM" run fa2 --impl c --json c.json >text
grep -q Mitchell text && fail "FA-2 has nothing of Mitchell's"
holds 'map(.error.rel_fro) | .[0] > 0.1 and .[0] < 0.4 and .[1] < 0.05 and .[2] < 0.05' a.json b.json c.json

# The KV memory: 1024 keys, more for more, a multiple of the blocks.
rows() { "$SIM" run fa2 --impl c --head-dim 4 "$@" --quiet --json r.json && jq .config.rows r.json; }
[ "$(rows --seq-kv 8 --blocks 4)" -eq 1024 ] || fail "usual rows"
[ "$(rows --seq-kv 1025 --blocks 4)" -eq 2048 ] || fail "rows of 1025 keys"
[ "$(rows --seq-kv 8 --blocks 3)" -eq 1026 ] || fail "rows of 3 blocks"
[ "$(rows --seq-kv 2049 --blocks 3 --rows 3)" -eq 3 ] || fail "rows given"

# The golden: of all rows, of some, of none.
"$SIM" run fa2 --impl c --seq-q 4 --head-dim 8 --golden none --json n.json >text
holds 'has("error") and .error == null' n.json
grep -q '^error' text && fail "text of --golden none"
# Query i sees keys i and i + 1, so that it does not take long.
printf '\223NUMPY\001\000\166\000' >pairs.npy
printf '%-117s\n' "{'descr': '|b1', 'fortran_order': False, 'shape': (2000, 4000), }" >>pairs.npy
awk 'BEGIN { ORS = ""; none = sprintf("%04000d", 0)
  for (i = 0; i < 2000; ++i) print substr(none, 1, i) "11" substr(none, i + 3) }' |
  tr 01 '\000\001' >>pairs.npy
"$SIM" run fa2 --impl c --seq-q 2000 --seq-kv 4000 --head-dim 128 --mask pairs.npy --golden sample \
  --json s.json >text
holds '.error.golden | startswith("fp64, untiled, 976 of 2000 rows")' s.json
grep -q ' in 976 of 2000 rows' text || fail "text of --golden sample"
holds '.error.rel_fro | 1e-4 < . and . < 0.02' s.json

# NaN from finite inputs: two opposite values whose products overflow. Exit code 1, files and all.
"$MKNPY" q.npy '<u2' 1,2 c 0=0 1=0
"$MKNPY" k.npy '<u2' 4,2
"$MKNPY" v.npy '<u2' 4,2 c 0=7f7f 2=7f7f 4=ff7f 6=ff7f
status=0
"$SIM" run fa2 --q q.npy --k k.npy --v v.npy --impl c --blocks 2 --out o.npy --json o.json --quiet \
  2>err || status=$?
[ $status -eq 1 ] || fail "exit code $status, not 1"
grep -q '1 of 1 rows have NaN' err && [ "$(wc -l <err)" -eq 1 ] || fail "message of NaN"
[ -s o.npy ] || fail "no result of a run with NaN"
holds '.error | has("rel_fro") and .rel_fro == null' o.json

# An output that is no regular file; nothing printed with --quiet; nothing left behind.
"$SIM" run hfa --impl c --seq-kv 16 --head-dim 8 --out /dev/stdout --quiet | head -c 80 |
  grep -aq "'shape': (1, 8)" || fail "output through a pipe"
"$SIM" run hfa --impl c --seq-kv 16 --head-dim 8 --quiet --out /dev/null >quiet 2>&1
[ ! -s quiet ] || fail "--quiet prints"
status=0
"$SIM" run hfa --impl c --seq-kv 16 --head-dim 8 >/dev/full 2>err || status=$?
[ $status -eq 2 ] && grep -q 'standard output: cannot write' err || fail "/dev/full: $status"
"$SIM" run hfa --impl c --seq-q 100000 --seq-kv 4096 --out cut.npy --quiet 2>err &
run=$!
for _ in $(seq 50); do   # until it catches SIGINT, which a shell's background process begins by ignoring
  sleep 0.2
  ! grep -q '^SigCgt:.*[2367abef]$' /proc/$run/status || break
done
kill -INT $run
status=0
wait $run || status=$?
[ $status -eq 130 ] && grep -q interrupted err || fail "exit code $status after a signal, not 130"
[ -z "$(find . -name 'cut*')" ] || fail "a file of an interrupted run"
ls ./*.part-* 2>/dev/null && fail "temporary files left"
echo "all as expected"
