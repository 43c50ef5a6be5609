#!/bin/sh
# Waveforms of the attention engines by themselves: windows, scopes, the last cycles of a run that is stopped. No cycle
# changes. With WHOLE the paper's engine, of which 10 thousand cycles take less than 5 MB, and those in the SoC beside the
# signals of their pipes.
# SPDX-License-Identifier: Apache-2.0
here=$(pwd)
. "$(dirname "$0")/../script.sh"
same() { [ "$2" = "$3" ] || fail "$1: $2, expected $3"; }
look() {   # look FILE WHAT [NAME=VALUE...]
  file=$1 want=$2
  shift 2
  set_values=
  for pair; do set_values="$set_values -v $pair"; done
  [ -e "$file.vcd" ] || fst2vcd "$file" >"$file.vcd"
  # shellcheck disable=SC2086
  awk -f "$here/../soc/inspect/vcd.awk" -v "want=$want" $set_values "$file.vcd"
}
same_books() { holds 'map(del(.host)) | .[0] == .[1]' plain.json "$1"; }
refused() {   # refused FRAGMENT OPTION...
  fragment=$1
  shift
  status=0
  "$SIM" run hfa $shape --quiet "$@" 2>error || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <error)" -eq 1 ] && grep -q -e "$fragment" error && [ ! -e no.fst ] ||
    fail "$* is not refused: exit code $status, $(cat error)"
}

# --- by itself ---
small='--blocks 2 --rows 64 --head-dim 8 --golden none'
shape="$small --seq-q 40 --seq-kv 64" load=64 from=200 to=1000
[ -z "${WHOLE:-}" ] || shape='--seq-q 40 --golden none' load=1024 from=2000 to=12000   # 4 blocks, d 64
# shellcheck disable=SC2086
run() { "$SIM" run hfa $shape --quiet "$@"; }
run --json plain.json
run --json traced.json --trace all.fst
same_books traced.json
cycles=$(jq .cycles plain.json)
[ "$(wc -c <all.fst)" -lt 5000000 ] || fail "$cycles cycles take $(wc -c <all.fst) bytes"
# shellcheck disable=SC2046
set -- $(look all.fst times)
same "time stamps that go back" "$3" 0
same "the last time stamp, of two a cycle" "$2" $((2 * (load + cycles) - 1))
top=hfa.attention_engine
same "cycles of the clock" "$(look all.fst count a=$top.clk_i b=$top.clk_i value=1)" $((load + cycles))
same "groups taken" "$(look all.fst changes a=$top.accept | grep -c ' 1$')" 40
same "results" "$(look all.fst changes a=$top.out_valid_o | grep -c ' 1$')" 40
rows=$(look all.fst changes a=$top.k_row | wc -l)
[ "$rows" -gt $((cycles * 9 / 10)) ] || fail "only $rows rows are streamed"
if [ -n "${WHOLE:-}" ]; then
  sed 's/\[[0-9]*:[0-9]*\]$//' "$here/../../model/soc/watch/gtkw/hfa.gtkw" | grep -vE '^(\[|@|#|-|\*|$)' | sort -u >wanted
  [ "$(wc -l <wanted)" -ge 20 ] || fail "hfa.gtkw names hardly anything"
  look all.fst names | sort -u | comm -23 wanted - >missing
  [ ! -s missing ] || fail "hfa.gtkw names what is not there: $(cat missing)"
fi

run --trace part.fst --trace-window $from:$to --json part.json
same_books part.json
# shellcheck disable=SC2046
set -- $(look part.fst times)
same "the window's begin" "$1" $((2 * from))
last=$((load + cycles - 1))
[ $last -lt $to ] || last=$to
same "the window's end" "$2" $((2 * last + 1))
look all.fst changes a=$top.k_row | awk "\$1 > 2 * $from && \$1 <= 2 * $to + 1" >expected
look part.fst changes a=$top.k_row | awk "\$1 > 2 * $from" | cmp - expected || fail "the window shows something else"

# Inside the datapath, if a scope asks for it; small, since that is a build of its own.
shape="$small --seq-q 5 --seq-kv 30"
run --json plain.json
run --json deep.json --trace deep.fst --trace-scope '*.g_block[1].u_fau' --trace-scope '*.u_ctrl'
same_books deep.json
look deep.fst names >names
grep -q 'g_block\[1\]\.u_fau\..*u_dot\.' names || fail "no dot product in scope"
! grep -vE 'g_block\[1\]\.u_fau|u_ctrl' names || fail "signals out of scope"

refused '--trace-window' --trace no.fst --trace-window mmad#3:
refused '--trace-scope nothing' --trace no.fst --trace-scope nothing
refused 'needs --trace' --trace-window 3:4
refused 'trace-last' --trace no.fst --trace-last 4

# Only what is before an interruption: its last 500 cycles.
run --trace good.fst --trace-on error
[ ! -e good.fst ] || fail "a file without an error"
# shellcheck disable=SC2086
"$SIM" run hfa $small --seq-q 900000 --seq-kv 30 --quiet \
  --trace cut.fst --trace-on error --trace-last 500 2>error &
sim=$!
until grep -q '/unit\.so$' /proc/$sim/maps 2>/dev/null || ! kill -0 $sim; do sleep 0.05; done   # the engine is there
computes $sim 1
kill -INT $sim
status=0
wait $sim || status=$?
same "exit code" $status 130
# shellcheck disable=SC2046
set -- $(look cut.fst times)
[ $(($2 - $1)) -le 1001 ] && [ $(($2 - $1)) -ge 990 ] && [ "$1" -gt 1000 ] || fail "waveforms of $1 to $2 ns, not 500 cycles"
[ "$(look cut.fst changes a=$top.k_row | wc -l)" -gt 100 ] || fail "nothing in the last cycles"

[ -n "${WHOLE:-}" ] || exit 0
# --- in the SoC: the language model's engines ---
lm() { "$SIM" run lm --prompt x --tokens 2 --quiet --json "$@" >text; }
lm plain.json
cp text plain.text
lm traced.json --trace soc.fst
cmp text plain.text
same_books traced.json
# shellcheck disable=SC2046
set -- $(look soc.fst times)
same "time stamps that go back" "$3" 0
look soc.fst names >names
for engine in 0 1 2 3; do
  grep -q "^engine$engine\.attention_engine\.u_ctrl\." names && grep -q "^engine$engine\.attn\.state$" names ||
    fail "engine$engine is not in the waveforms"
done
attn=$(jq '.pipes[] | select(.core == "engine0" and .pipe == "ATTN").busy' plain.json)
shown=$(look soc.fst changes a=engine0.attn.state | awk -v mhz=1800 '
  function cycle(ps) { return int(ps * mhz / 1000000 + 0.5) }
  { if (was == 1) sum += cycle($1) - since; was = $2; since = cycle($1) } END { print sum }')
same "busy cycles of engine0 ATTN" "$shown" "$attn"
rises=0
for engine in 0 1 2 3; do
  rises=$((rises + $(look soc.fst count a=engine$engine.attention_engine.clk_i b=engine$engine.attention_engine.clk_i value=1)))
done
same "clock cycles of the engines" "$rises" "$(jq .host.rtl_cycles plain.json)"
echo "$(wc -c <all.fst) bytes for $((load + cycles)) cycles by itself; $(wc -c <soc.fst) bytes for the SoC's engines"
