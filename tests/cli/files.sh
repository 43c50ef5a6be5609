#!/bin/sh
# What commands do to files: "-" is standard output, devices, FIFOs and links stay what they are, no output is an
# input, and whatever ends a command leaves nothing half-made.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
run="run amla --heads 4 --seq-kv 64 --timing-only --gm c"

# --- standard output --------------------------------------------------------------------------

# shellcheck disable=SC2086
{
"$SIM" $run --json plain.json --log plain.log --timeline plain.t >plain.text
"$SIM" $run --json - >o.json 2>o.text
without_host plain.json >a
without_host o.json | diff a - || fail "--json -: other numbers"
grep -q '^time ' o.text || fail "--json -: the text is not on stderr: $(cat o.text)"
"$SIM" $run --json /dev/stdout --quiet | jq -e .cycles >/dev/null || fail "--json /dev/stdout"
echo first >appended
"$SIM" $run --log - --quiet >>appended
{ echo first; cat plain.log; } | cmp - appended || fail "--log - >>: what was there is lost"
"$SIM" $run --timeline - --quiet 2>err | cmp - plain.t || fail "--timeline -"
"$SIM" $run --json /dev/fd/3 --quiet 3>third
jq -e .cycles third >/dev/null || fail "--json /dev/fd/3"
status=0
"$SIM" $run --json - --log /dev/stdout 2>err || status=$?
[ $status -eq 2 ] && grep -q 'two outputs' err || fail "two outputs on one stdout: $status"
status=0
"$SIM" $run --json - >&- 2>err || status=$?
[ $status -eq 2 ] && [ "$(cat err)" = 'amalgam: -: Bad file descriptor' ] || fail "--json - >&-: $status $(cat err)"
"$SIM" $run --json closed.json <&- >&- 2>err && fail "text on a closed stdout"
jq -e .cycles closed.json >/dev/null || fail "a file instead of a closed stdout"
}
"$MKNPY" kv.npy '<u2' 8,576
"$SIM" convert kv.npy tokens.npy --quiet
"$SIM" convert kv.npy - 2>err | cmp - tokens.npy || fail "convert to -"
[ ! -e - ] || fail "a file named -"

# --- names and numbers ------------------------------------------------------------------------

# JSON is UTF-8, whatever a file is called; numbers have points, whatever the locale has.
odd=$(printf 'o\377\200\303.json')
"$SIM" run amla --heads 4 --seq-kv 64 --gm c --quiet --json "$odd" --csv odd --out "$odd.npy" --timeline odd.t --critical-path odd.c --set gm.l2_latency_us=0.25
"$SIM" diff "$odd" "$odd" --quiet --json odd.d
"$SIM" blame "$odd" --no-repair --element 0,0 --quiet --json odd.b 2>err || fail "blame: $(cat err)"
for file in "$odd" odd.t odd.c odd.d odd.b; do
  iconv -f UTF-8 -t UTF-16 "$file" >/dev/null && jq -e . "$file" >/dev/null || fail "$file is no JSON in UTF-8"
done
if localedef -i de_DE -f UTF-8 "$dir/comma" 2>err; then
  mkdir comma_locale
  (cd comma_locale; LOCPATH=$dir LC_ALL=comma "$SIM" run amla --heads 4 --seq-kv 64 --gm c --quiet --json "$odd" --csv odd \
    --out "$odd.npy" --timeline odd.t --critical-path odd.c --set gm.l2_latency_us=0.25)
  for file in odd.pipes.csv odd.traffic.csv odd.t odd.c; do
    cmp "$file" "comma_locale/$file" || fail "$file is another in a locale with commas"
  done
  without_host "$odd" >a
  without_host "comma_locale/$odd" | cmp - a || fail "--json is another in a locale with commas"
fi

# --- devices, FIFOs, links, folders -------------------------------------------------------------

# Who may do all, root, tries it on a device of its own: a mistake would cost the machine its /dev/null.
null=/dev/null
if [ "$(id -u)" -eq 0 ]; then
  null=$dir/device
  mknod device c 1 3 || exit 77
fi
before=$(stat -c '%F %t %T %i %a' $null)
ln -s $null null
mkfifo pipe
mkdir folder
touch real
ln -s real link
for option in --json --log --timeline --critical-path --trace; do
  # shellcheck disable=SC2086
  {
  "$SIM" $run $option $null --quiet || fail "$option of a device"
  "$SIM" $run $option null --quiet || fail "$option of a link to a device"
  cat pipe >piped &
  "$SIM" $run $option pipe --quiet || fail "$option of a FIFO"
  wait $!
  [ -p pipe ] && [ -s piped ] || fail "$option of a FIFO: nothing came"
  "$SIM" $run $option link --quiet || fail "$option of a link"
  [ -L link ] && [ -s real ] || fail "$option: a link was replaced"
  status=0
  "$SIM" $run $option folder 2>err || status=$?
  [ $status -eq 2 ] && grep -q 'folder: Is a directory' err || fail "$option of a folder: $status"
  }
done
[ "$(stat -c '%F %t %T %i %a' $null)" = "$before" ] || fail "the device is another one"
[ -L null ] || fail "a link to a device was replaced"

# --- inputs -------------------------------------------------------------------------------------

# spares FILE ARGS...: refused at once, and FILE is what it was.
spares() {
  file=$1
  shift
  sum=$(cksum <"$file")
  status=0
  timeout 60 "$SIM" "$@" >out 2>err || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" = 1 ] && grep -qE 'named for an output|is read|two outputs' err ||
    fail "$*: $status, $(cat err)"
  [ "$(cksum <"$file")" = "$sum" ] || fail "$*: $file was overwritten"
}
"$MKNPY" q.npy '<u2' 8,64
"$MKNPY" k.npy '<u2' 48,64
"$MKNPY" words.npy '<i4' 8,8
ln -s q.npy soft.npy
ln q.npy hard.npy
cp "$ROOT/model/config/ascend910_core.yaml" base.yaml
printf 'include: base.yaml\n' >machine.yaml
cp "$FIRMWARE/amla.elf" own.elf
cp "$ROOT/tests/data/kjv_val.txt" text
for name in q.npy ./q.npy "$dir/q.npy" soft.npy hard.npy folder/../q.npy; do
  spares q.npy run amla --q q.npy --kv k.npy --out "$name"
done
spares q.npy run amla --q soft.npy --kv k.npy --json hard.npy
spares k.npy run amla --q q.npy --kv k.npy --trace k.npy
# shellcheck disable=SC2086
{
spares machine.yaml $run --config machine.yaml --json machine.yaml
spares base.yaml $run --config machine.yaml --log base.yaml
spares own.elf $run --firmware own.elf --timeline own.elf
spares q.npy $run --json q.npy --log hard.npy
}
spares q.npy run hfa --impl c --q q.npy --k k.npy --v k.npy --out q.npy
spares text run lm --eval text --windows 1 --attention fp32 --json text
spares q.npy run custom --firmware own.elf --in q.npy --out-shape 4 --out q.npy
spares k.npy run custom --firmware own.elf --in q.npy --expect k.npy --out-shape 4 --out k.npy
spares kv.npy convert kv.npy kv.npy
spares words.npy convert words.npy other.npy --scale words.npy
spares base.yaml synth --liberty base.yaml --json base.yaml
[ ! -e other.npy ] || fail "a file of a refused conversion"

# --- what ends a command --------------------------------------------------------------------------

# ended SIGNAL CODE SECONDS: a run that writes everything is ended so long after it began to catch SIGTERM, the 15th.
ended() {
  mkdir -p cut/tmp
  TMPDIR=$dir/cut/tmp "$SIM" run amla --heads 128 --seq-q 2 --seq-kv 65536 --timing-only --gm c --json cut/json \
    --timeline cut/timeline --trace cut/trace --quiet >out 2>err &
  sim=$!
  until [ ! -e /proc/$sim ] || grep -q '^SigCgt:.*[4-7c-f]...$' /proc/$sim/status; do sleep 0.02; done
  sleep "$3"
  kill "-$1" $sim
  status=0
  wait $sim || status=$?
  [ $status -eq "$2" ] || fail "$1 after $3 s: exit code $status, not $2"
  [ "$(cat err)" = 'amalgam: interrupted' ] || fail "$1 after $3 s: $(cat err)"
  left=$(find cut -type f ! -name timeline ! -name trace)   # how far it got
  [ -z "$left$(ls cut/tmp)" ] || fail "$1 after $3 s: $left $(ls cut/tmp) is left"
  rm -r cut
}
for seconds in 0.3 0.8; do
  ended HUP 129 $seconds
  ended TERM 143 $seconds
done
# Nobody reads what it prints: quietly, and with its files.
{ status=0; "$SIM" run amla --json whole.json 2>err || status=$?; echo $status >status; } | true
[ "$(cat status)" = 141 ] && [ ! -s err ] || fail "| true: exit code $(cat status), $(cat err)"
jq -e .cycles whole.json >/dev/null || fail "| true: no file"
# shellcheck disable=SC2086
{ status=0; "$SIM" run amla --timing-only --log - --json cut.json 2>err || status=$?; echo $status >status; } | true
[ "$(cat status)" = 141 ] && [ ! -s err ] && [ ! -e cut.json ] || fail "--log - | true: exit code $(cat status), $(cat err)"
status=0
(ulimit -f 4; "$SIM" run amla --heads 16 --seq-kv 512 --out large.npy --json large.json --quiet) 2>err || status=$?
[ $status -eq 2 ] && grep -q '^amalgam: large.npy: ' err || fail "too large a file: $status, $(cat err)"
[ ! -e large.npy ] && [ ! -e large.json ] || fail "too large a file is there"
[ -z "$(find . -name '*.part-*')" ] || fail "left: $(find . -name '*.part-*')"
# Emulators are shared where addresses are few: a run needs one at a time. (A sanitizer takes more than these.)
if (ulimit -v 1300000; "$SIM" --version) >/dev/null 2>&1; then
  for kib in 1800000 3000000 5000000; do
    (ulimit -v $kib; "$SIM" run amla --heads 16 --seq-kv 600 --config ascend910_die --quiet) || fail "$kib KiB of addresses"
  done
  status=0
  (ulimit -v 1000000; "$SIM" run amla --heads 16 --seq-kv 600 --config ascend910_die --quiet) 2>err || status=$?
  [ $status -eq 2 ] && grep -q 'no address space for an emulator' err || fail "few addresses: $status, $(cat err)"
fi
echo "all as expected"
