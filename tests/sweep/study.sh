#!/bin/sh
# Studies that are taken as they are meant, and what is wrong with others: one line each, with file and field, exit code 2,
# nothing written.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

cat >good.yaml <<'YAML'
question: Which is it?
command: run amla --timing-only --gm c --seq-kv 1024
axes:
  - name: kernel
    word: 1
    values: [base, amla]
  - name: buffers
    option: --kv-buffers
    range: {from: 2, to: 3}
  - name: latency
    set: gm.l2_latency_us
    values: [0.5, 1]
  - name: heads
    option: --heads
    powers: {from: 64, to: 128}
  - name: races
    option: --no-race-check
    values: [without, with]
constraints:
  - buffers < 3 or latency < 1
  - '"soc.clock_mhz" > heads'
  - heads / 64 = 1 or kernel = 'amla'
metrics:
  - name: cycles
    json: cycles
    unit: cycles
    better: min
  - name: first_busy
    json: pipes[0].busy
  - name: share
    expression: first_busy / cycles
plots:
  - name: one
    kind: lines
    x: heads
    y: cycles
    series: kernel
    log: [x, y]
limits: {seconds: 60, memory_mb: 2000}
YAML

# Points in the order of the axes, the last one fastest; constraints count as SQL has them, in real numbers.
"$SIM" sweep good.yaml --dry-run >commands
for kernel in base amla; do
  for buffers in 2 3; do
    for latency in 0.5 1; do
      for heads in 64 128; do
        for races in '' ' --no-race-check'; do
          [ "$buffers$latency" != 31 ] || continue
          [ "$kernel$heads" != base128 ] || continue
          echo "./amalgam run $kernel --timing-only --gm c --seq-kv 1024 --kv-buffers $buffers --set gm.l2_latency_us=$latency --heads $heads$races"
        done
      done
    done
  done
done >want
cmp commands want || { diff want commands; fail "points"; }
"$SIM" sweep good.yaml --only "heads > 64 and races = 'with'" --dry-run >some
grep -- '--heads 128 --no-race-check' want | cmp - some || fail "--only"
[ ! -e sweeps ] || fail "--dry-run has made a store"

# What is not known is not true.
sed "s/^  - buffers < 3 or latency < 1/  - nullif(buffers, 2)/" good.yaml >null.yaml
"$SIM" sweep null.yaml --dry-run >some
grep -q -- '--kv-buffers 3' some && ! grep -q -- '--kv-buffers 2' some || fail "a constraint that is NULL: $(cat some)"

# The same words, written otherwise, are the same points; others are not.
names() { "$SIM" sweep "$@" --list | awk '{ print $NF }'; }
names good.yaml >list
[ "$(sort -u list | wc -l)" -eq "$(wc -l <want)" ] || fail "two points have one name"
cp list first
edited() {   # edited SED: good.yaml, edited, as edited/good.yaml
  mkdir -p edited
  sed "$1" good.yaml >edited/good.yaml
  cmp -s good.yaml edited/good.yaml && fail "nothing is edited by $1"
  return 0
}
same() { edited "$1"; names edited/good.yaml | cmp - first || fail "other names by: $1"; }
other() { edited "$1"; names edited/good.yaml | grep -qxF -f first && fail "a name of the first study, by: $1"; return 0; }
same 's/--seq-kv 1024/--seq-kv=01024/'
same 's/--timing-only --gm c --seq-kv 1024/--seq-kv 1024 --gm c --threads 1 --timing-only/'
same 's/run amla/run amla --config ascend910_core/'
same 's/values: \[0.5, 1\]/values: [0.50, 1.0]/'
same 's/run amla/run amla --l2 warm/'
other 's/--seq-kv 1024/--seq-kv 1025/'
other 's/run amla/run amla --set soc.flag_cycles=77/'
other 's/run amla/run amla --l2 cold/'
other 's/--gm c/--gm rtl/'
other 's/run amla/run amla --config ascend910/'
cat >"$dir/mine.yaml" <<'YAML'
include: ascend910_core
soc: {flag_cycles: 78}
YAML
other "s|run amla|run amla --config $dir/mine.yaml|"
names edited/good.yaml >before
sed -i 's/78/79/' mine.yaml
names edited/good.yaml | grep -qxF -f before && fail "a machine's file has changed, and the names have not"

# A file that is named counts by what it has in it, wherever it is.
cat >file.yaml <<'YAML'
question: Which?
command: run lm --impl c --model one.bin
axes: [{name: tokens, option: --tokens, values: [1, 2]}]
metrics: [{name: cycles, json: cycles}]
YAML
echo one >one.bin
names file.yaml >of_one
cp one.bin two.bin
sed 's/one.bin/two.bin/' file.yaml >two.yaml
names two.yaml | cmp - of_one || fail "another name of the same file"
echo two >one.bin
names file.yaml | grep -qxF -f of_one && fail "another content, and the same names"

refused() {   # refused SED FRAGMENT
  edited "$1"
  status=0
  "$SIM" sweep edited/good.yaml --store none >out 2>err || status=$?
  if [ $status -ne 2 ] || [ "$(wc -l <err)" -ne 1 ] || [ -s out ]; then cat out err; fail "by $1: exit code $status"; fi
  grep -qF -e "$2" err || { cat err; fail "by $1: expected $2"; }
  grep -q '^amalgam: edited/good.yaml:' err || { cat err; fail "by $1: no file"; }
}
refused '/^question/d' 'question: missing'
refused 's/^question:/quesiton:/' 'quesiton: no such field in a study'
refused 's/^command: run amla/command: report table5/' "expected 'run KERNEL ...' or 'synth ...', got 'report'"
refused 's/^command:.*/command: ""/' 'command: expected one such as'
refused "s/^command:.*/command: run amla --seq-kv '10/" 'command: a quote does not end'
refused 's/--seq-kv 1024/--seq-vk 1024/' '--seq-vk: unknown option'
refused 's/--seq-kv 1024/--json r.json/' '--json: all points would write the same file'
refused 's/option: --heads/option: --timeline/' 'axes[3] (heads): --timeline: all points would write the same file'
refused 's/option: --heads/option: --haeds/' 'axes[3] (heads): the command has no option --haeds; did you mean --heads'
refused 's/option: --heads/option: heads/' 'axes[3].option: expected an option such as --heads'
refused 's/    word: 1/    word: 9/' 'axes[0].word: expected 1 to 6'
refused 's/    word: 1/    word: 1\n    set: a.b/' 'axes[0]: expected one of option, set and word'
refused 's/base, amla/bsae, amla/' 'run bsae: no such kernel'
refused 's/name: heads/name: 2heads/' 'axes[3].name: expected a name of letters'
refused 's/name: heads/name: order/' "axes[3].name: 'order' is a word of SQL"
refused 's/name: heads/name: Status/' "axes[3].name: 'Status' is a column of every table"
refused 's/name: heads/name: CYCLES/' "the name 'cycles' is given twice"
refused 's/{from: 2, to: 3}/{from: 3, to: 2}/' 'axes[1].range: expected from <= to'
refused 's/{from: 2, to: 3}/{from: 2, to: 3, step: 0}/' 'axes[1].range: expected from <= to and a step above 0'
refused 's/{from: 2, to: 3}/{from: 2, to: 3z}/' "axes[1].range.to: expected a number, got '3z'"
refused 's/{from: 2, to: 3}/{from: 2, too: 3}/' 'axes[1].range.too: no such field in a study'
refused 's/{from: 2, to: 3}/{from: 2}/' 'axes[1].range.to: missing'
refused 's/{from: 64, to: 128}/{from: 63, to: 128}/' 'axes[3].powers: expected powers of two'
refused 's/values: \[0.5, 1\]/values: [0.5, 0.5]/' "axes[2]: value '0.5' given twice"
refused 's/values: \[0.5, 1\]/values: []/' 'axes[2]: expected one of values, range and powers'
refused 's/values: \[0.5, 1\]/values: 5/' 'axes[2].values: expected a list'
refused 's/values: \[0.5, 1\]/range: {from: 1, to: 2}\n    powers: {from: 1, to: 2}/' 'axes[2]: expected one of values, range and powers'
refused 's/\[without, with\]/[yes, no]/' '--no-race-check takes no value; expected the values [without, with]'
refused 's/buffers < 3 or/bufers < 3 or/' 'constraints[0]: no such column: bufers'
refused 's/soc.clock_mhz/soc.clock/' 'constraints: "soc.clock" is no parameter of this command'
refused 's/heads \/ 64 = 1/load_extension(1)/' 'constraints[2]: not authorized'
refused 's/heads \/ 64 = 1/heads; select 1/' 'constraints[2]'
refused 's/heads \/ 64 = 1 .*/1) FROM results UNION SELECT 1000000, (0/' 'constraints[2]: near "FROM": syntax error'
refused 's/    json: cycles/    json: cycles\n    expression: 1/' 'metrics[0]: expected one of json and expression'
refused 's/json: pipes\[0\].busy/json: pipes[x].busy/' 'metrics[1].json: expected a path'
refused 's/better: min/better: less/' 'metrics[0].better: expected min or max'
refused 's/first_busy \/ cycles/first_bsuy \/ cycles/' 'metric share: expression: no such column: first_bsuy'
refused 's/kind: lines/kind: pie/' 'plots[0].kind: expected pareto, heat or lines'
refused 's/kind: lines/kind: heat/' 'plots[0].value: missing; a heat map has one'
refused 's/    y: cycles/    y: cycle/' "plots[0].y: expected the name of an axis or a metric, got 'cycle'"
refused 's/log: \[x, y\]/log: [z]/' 'plots[0].log: expected x or y'
refused 's/seconds: 60/seconds: 0/' 'limits.seconds: expected a number above 0'
refused 's/^axes:/beside: [other]\naxes:/' 'beside: none/other/results.sqlite is not there; sweep the study other first'
refused 's/^axes:/beside: [good]\naxes:/' 'beside[0]: this study; expected another'
refused 's/^axes:/beside: [one, one]\naxes:/' 'beside[1]: given twice'
refused 's/^axes:/beside: [an-other]\naxes:/' 'beside[0]: expected a name of letters'
refused 's/^axes:/beside: [a, b, c, d, e]\naxes:/' 'beside: 5 studies; expected at most 4'
refused 's/^axes:/beside: other\naxes:/' 'beside: expected a list'
refused 's/{from: 2, to: 3}/{from: 9, to: 10}/' '--kv-buffers: expected a whole number from 2 to 8'
refused 's/^metrics:/metrics: {}\nmore:/' 'metrics: expected a list'
refused 's/{from: 64, to: 128}/{from: 1, to: 9223372036854775808}/;s/\[0.5, 1\]/{}/' 'axes[2].values: expected a list'
[ ! -e none ] || fail "a store was made for a bad study"

usage() {   # usage FRAGMENT ARGS...
  fragment=$1 status=0
  shift
  "$SIM" sweep "$@" >out 2>err || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$fragment" err || { cat err; fail "$*: exit code $status"; }
}
usage 'name a study' --list
usage 'nosuch.yaml: No such file' nosuch.yaml
usage "unexpected argument 'x'" good.yaml x
usage 'cannot go with --list' good.yaml --list --dry-run
usage '--retry-failed: cannot go with --list' good.yaml --list --retry-failed
usage '--only: no such column: nosuch' good.yaml --only 'nosuch = 1'
usage '--jobs: expected a whole number from 1 to 256' good.yaml --jobs 0
usage '--store: empty' good.yaml --store ''
usage 'no store is there' --gc --store none
: >empty.yaml
usage 'empty.yaml: empty; expected a study' empty.yaml
printf 'question: [' >broken.yaml
usage 'broken.yaml' broken.yaml
cp good.yaml store.yaml
usage 'cannot be named store' store.yaml

# A point's result is named by the shipped data that its kernel runs on, in the tree that AMALGAM_HOME names.
cat >data.yaml <<'YAML'
question: Whose data are they?
command: run amla
axes:
  - name: kernel
    word: 1
    values: [amla, fp8, w4a16, gemm, hfa, fa2, expmul, flash]
metrics:
  - name: rate
    json: host.seconds
YAML
mkdir -p home/tests
for entry in "$ROOT"/*; do [ "${entry##*/}" = tests ] || ln -s "$entry" home/; done
cp -r "$ROOT/tests/data" home/tests/
result_names() { AMALGAM_HOME=$PWD/home "$SIM" sweep data.yaml --list | awk '{ print $NF }'; }
while read -r data same; do   # 1: the kernel's result has its old name
  result_names >before
  echo >>"home/tests/data/$data"
  result_names >after
  found=$(paste -d' ' before after | awk '{ printf "%d", $1 == $2 }')
  [ "$found" = "$same" ] || fail "other $data: results of the same name $found; expected $same"
done <<'END'
mla_real_q_bf16bits.npy 00111111
w4a16_real_w.npy 11001111
kjv_val.txt 11110001
END
# And by the firmware that it runs, RV64's or the host's, in a prefix where there is a copy of it.
mkdir -p prefix/bin prefix/share prefix/lib/amalgam/firmware
cp "$SIM" prefix/bin/amalgam
ln -s "$ROOT" prefix/share/amalgam
cp "$BUILD"/firmware/amla.elf "$BUILD"/firmware/amla.so prefix/lib/amalgam/firmware/
for how in riscv native; do
  sed "s/run amla/run amla --firmware $how/; s/values: .amla.*/values: [amla]/" data.yaml >firmware.yaml
  firmware_names() { prefix/bin/amalgam sweep firmware.yaml --list | awk '{ print $NF }'; }
  firmware_names >before
  for kind in elf so; do
    echo >>prefix/lib/amalgam/firmware/amla.$kind
    firmware_names >after
    case $how$kind in
      riscvelf | nativeso) cmp -s before after && fail "$how: other firmware .$kind, and a result of the same name" ;;
      *) cmp before after || fail "$how: another .$kind has nothing to do with it" ;;
    esac
    cp after before
  done
done
echo "all as expected"
