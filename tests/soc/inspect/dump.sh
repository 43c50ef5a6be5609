#!/bin/sh
# --dump writes what commands leave, with type and shape: a product of dumped operands is the dumped result, and what a
# store leaves is what --out has. Wrong ones are refused in a line, and leave no file.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../script.sh"
run() { timeout 120 "$SIM" run amla --heads 4 --seq-kv 64 --quiet "$@" 2>err; }
shape() { head -c 128 "$1" | tail -c +11 | sed -n "s/.*'descr': '\([^']*\)'.*'shape': (\([0-9, ]*\)).*/\1 \2/p"; }
expect_shape() { [ "$(shape "$1")" = "$2" ] || fail "$1 is $(shape "$1"), not $2"; }
values() {   # values FILE: of FP32, row after row
  tail -c +129 "$1" | od -An -v -tf4 -w4
}

run --json plain.json --out plain.npy
run --json dumped.json --out dumped.npy --dump mmad#1:l0c:c.npy --dump cube0.m.mmad#1:l0a:a.npy --dump mmad#1:l0b:b.npy \
  --dump vec#1:ub --dump mmad#1:l0c@0x0
cmp plain.npy dumped.npy
[ "$(jq .cycles plain.json)" = "$(jq .cycles dumped.json)" ] || fail "a dump changes cycles"
m=$(shape a.npy | cut -d' ' -f2 | tr -d ,)
k=$(shape a.npy | cut -d' ' -f3 | tr -d ,)
n=$(shape b.npy | cut -d' ' -f3 | tr -d ,)
expect_shape b.npy "<f4 $k, $n"
expect_shape c.npy "<f4 $m, $n"
[ -s 'vec#1_ub.npy' ] || fail "no file of the usual name"
cmp c.npy 'mmad#1_l0c@0x0.npy'
{ values a.npy; values b.npy; values c.npy; } |
  awk -v m="$m" -v k="$k" -v n="$n" '
    NR <= m * k { a[NR - 1] = $1; next }
    NR <= m * k + k * n { b[NR - 1 - m * k] = $1; next }
    { c[NR - 1 - m * k - k * n] = $1 }
    END {
      for (r = 0; r < m; r++)
        for (j = 0; j < n; j++) {
          sum = 0
          for (i = 0; i < k; i++) sum += a[r * k + i] * b[i * n + j]
          d = sum - c[r * n + j]
          if (d < 0) d = -d
          if (d > worst) worst = d
          if (c[r * n + j] != 0) some++
        }
      exit !(worst < 1e-3 && some > m * n / 2)
    }' || fail "l0c is not l0a times l0b"

refused() {   # refused FRAGMENT OPTION...
  fragment=$1
  shift
  status=0
  run "$@" --out refused.npy || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$fragment" err ||
    fail "$* is not refused: exit code $status, $(cat err)"
  [ ! -e refused.npy ] && ! ls ./*:* >/dev/null 2>&1 || fail "$* leaves a file"
}
refused "mmad#99999:l0c: there was no such command" --dump mmad#99999:l0c
refused "no command 'foo'" --dump foo#1:l0c
refused "expected COMMAND:MEMORY" --dump mmad:l0c
refused "MMAD has no operand there" --dump mmad#1:ub
refused "MMAD has no operand there" --dump mmad#1:l0c@0x30000
refused "no memory 'xx'" --dump mmad#1:xx
refused "no core 'cube9'" --dump cube9.mmad#1:l0c
refused "--timing-only" --dump mmad#1:l0c --timing-only --gm c

# --dump-all: the same bits and cycles; each file is what --dump gives of that name, and the index has a line for each.
run --json all.json --out all.npy --dump-all all
cmp plain.npy all.npy
[ "$(jq .cycles plain.json)" = "$(jq .cycles all.json)" ] || fail "--dump-all changes cycles"
jq -r .file all/index.jsonl | sort >listed
(cd all && ls ./*.npy) | sed 's|^\./||' | sort | cmp - listed || fail "index.jsonl is not what is there"
jq -s -e 'length > 100 and (map(.cycle) | . == sort) and all(.core and .pipe and .line and .address >= 0 and .type)' \
  all/index.jsonl >/dev/null || fail "index.jsonl"
awk -v seed="${SEED:-7}" 'BEGIN { srand(seed) } rand() < 0.12' listed >some
while read -r file; do
  name=${file%.npy}
  run --dump "${name%_*}:${name##*_}:one.npy" || fail "--dump ${name%_*}: $(cat err)"
  cmp one.npy "all/$file"
  want=$(jq -r "select(.file == \"$file\") | .shape | map(tostring) | join(\", \")" all/index.jsonl)
  [ "$(shape one.npy | cut -d' ' -f2-)" = "$want" ] || fail "$file: shape $want in index.jsonl"
done <some
[ "$(wc -l <some)" -ge 5 ] || fail "too few were compared"
mkdir window   # an empty one will do
run --dump-all window/ --dump-window mmad#1:mmad#2 --log log.txt --timeline-window mmad#1:mmad#2
[ -s window/cube0.mmad#1_l0c.npy ] && [ -s window/cube0.mmad#2_l0c.npy ] && [ ! -e window/cube0.mmad#3_l0c.npy ] ||
  fail "the window has $(ls window)"
wrote=$(grep -cE ' (MMAD|VEC|LOAD_[ABN]Z?|COPY_|FIXPIPE)' log.txt)
[ "$wrote" -eq "$(wc -l <window/index.jsonl)" ] || fail "the window has not what --log has in it"

refuses_folder() {   # refuses_folder FRAGMENT FOLDER OPTION...: and nothing is written
  fragment=$1 folder=$2
  shift 2
  ls -R . >before
  : >err   # it is in both lists
  status=0
  run "$@" --dump-all "$folder" --json refused.json || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$fragment" err ||
    fail "--dump-all $folder $* is not refused: exit code $status, $(cat err)"
  ls -R . | cmp - before || fail "--dump-all $folder $* leaves something"
}
echo mine >all/mine
refuses_folder "other things in it" all
refuses_folder "Not a directory" plain.npy
refuses_folder "cannot write there" nowhere/all
refuses_folder "no command of the window wrote anything" none --dump-window 1:2
refuses_folder "there was no mmad#99999" none --dump-window mmad#99999:
refuses_folder "no command 'foo'" none --dump-window foo#1:
refuses_folder "--timing-only" none --timing-only
refuses_folder "at most 10000 of 1024 MB are written, give a smaller --dump-window A:B" none --heads 128 --seq-q 4 --seq-kv 16384 --gm c
refused "--dump-window: needs --dump-all" --dump-window 1:2

# What a run that is stopped has left until then; interrupted, nothing half-written.
status=0
"$MKNPY" in.npy '<u2' 32,16
timeout 60 "$SIM" run custom --in in.npy --param 6 --out-shape 8 --quiet --firmware "$FIRMWARE/tests/mistakes.elf" --dump-all stopped 2>err || status=$?
[ $status -eq 3 ] && grep -q race err && [ -s stopped/index.jsonl ] || fail "of a run that is stopped: $status, $(cat err), $(ls stopped)"
echo "dumps: the product of the operands is the result"
