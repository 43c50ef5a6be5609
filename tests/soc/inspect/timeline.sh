#!/bin/sh
# The timeline of a long AMLA run: keeps the format's rules, has every command and every flag's flow,
# changes no cycle, and is no larger than it may be; the log says the same, line by line; windows.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../script.sh"
same() { [ "$2" = "$3" ] || fail "$1: $2, expected $3"; }
run() { "$SIM" run amla --heads 128 --seq-q 2 --seq-kv 8192 --timing-only --quiet "$@"; }
check() { "$CHECK_TIMELINE" "$1" >said || fail "$1: $(cat said)"; }
field() { sed "s/.*$1 \([0-9]*\).*/\1/" said; }

run --json plain.json
run --json recorded.json --timeline all.json --log all.log
holds 'map(del(.host)) | .[0] == .[1]' plain.json recorded.json
[ "$(wc -c <all.json)" -lt 20000000 ] || fail "$(wc -c <all.json) bytes"
check all.json
commands=$(jq '[.pipes[].commands] | add' plain.json)
same "slices" "$(field slices)" "$commands"
same "lines of the log" "$(grep -vc '^#' all.log)" "$commands"
same "pipes" "$(field threads)" 10
waits=$(grep -cE ' (WAIT_FLAG|CROSS_WAIT|SYNC_ALL) ' all.log)
same "flows" "$(field flows)" "$waits"
same "waits whose cause is logged" "$(grep -c ' <- ' all.log)" "$waits"
same "counters" "$(field counters)" 8
# No more in L1 than it holds, and most of it at some time.
holds 'any(.traceEvents[]; .name == "die0 GB/s") and
  ([.traceEvents[] | select(.name == "cube0 L1 bytes").args.held] | max | . > 300 * 1024 and . <= 512 * 1024)' all.json
# At the end nobody holds anything.
holds '[.traceEvents[] | select((.name // "") | test(" bytes$"))] | group_by(.name) | map(last.args.held) | length == 6 and all(. == 0)' all.json
# What HBM gives, over time, is what was read of it: nothing of a warm L2.
for l2 in warm cold; do
  "$SIM" run gemm --m 128 --n 512 --k 512 --l2 $l2 --timing-only --quiet --json $l2.json --timeline $l2.t
  holds '([.[1].traceEvents[] | select(.name == "die0 GB/s") | [.ts, .args.hbm]] | . as $r |
    [range(length - 1) | ($r[. + 1][0] - $r[.][0]) * $r[.][1] * 1e3] | add) as $bytes | .[0].traffic.hbm_read as $read |
    ($bytes - $read | fabs) <= 0.01 * $read' $l2.json $l2.t
done
# Power, over time, is the run's energy, by kinds: standing is as long as the run, and what HBM takes is there if it is read.
for l2 in warm cold; do
  holds '[.[1].traceEvents[] | select(.name == "power W").args] as $w | (.[0].time_us * 1e-6) as $s | (.[0].energy.total_j) as $j |
    ($w | length) > 900 and (([$w[] | add] | add / length * $s) / $j | . > 0.99 and . < 1.01) and
    ($w | map(.standing) | unique | length == 1) and (($w | map(.HBM) | max > 0) == (.[0].traffic.hbm_read > 0))' $l2.json $l2.t
done
holds '.[0].traffic.hbm_read == 0 and .[1].traffic.hbm_read == 655360' warm.json cold.json
grep -E 'cube0\.M .* MMAD .* \| attention_cube[a-z_]*\.[ch]:[0-9]+ \(' all.log >mmads || fail "no source lines"
# In order of time, and each line's times in order.
grep -v '^#' all.log | awk '$1 < last || $2 < $1 || $3 < $2 { exit 1 } { last = $1 } END { exit NR < 1000 }' || fail "the log's order"
# What waits for a flag of its core goes on no sooner than the flag is up.
awk '!/^#/ { done[$4 " " $5] = $3; if ($6 == "WAIT_FLAG") { n = $0; sub(/.*<- /, "", n); split(n, c, " "); sub("#", "", c[2]); want[NR] = c[1] " " c[2]; end[NR] = $2 } }
  END { for (i in want) { ++n_waits; if (!(want[i] in done) || end[i] < done[want[i]]) exit 1 } exit n_waits < 1000 }' all.log ||
  fail "a wait ends before its flag is up"

# Windows: those commands, and flows with both their ends.
run --timeline part.json --log part.log --timeline-window 100000:110000
check part.json
awk '!/^#/ && $1 <= 110000 && ($2 > $1 ? $2 - 1 : $2) >= 100000' all.log >expected
grep -v '^#' part.log | cmp - expected || fail "the window's commands"
same "slices of the window" "$(field slices)" "$(wc -l <expected | tr -d ' ')"
[ "$(wc -c <part.json)" -lt 500000 ] || fail "the window is $(wc -c <part.json) bytes"
run --log named.log --timeline-window mmad#100:mmad#101
same "MMADs of a window" "$(grep -c 'cube0.M .* MMAD ' named.log)" 2
grep ' MMAD ' all.log | sed -n '100p;101p' | cut -d'|' -f1 >expected
grep ' MMAD ' named.log | cut -d'|' -f1 | cmp - expected || fail "other MMADs"
run --log vector.log --timeline-window vector0_1.vec#10:vector0_1.vec#10
same "commands of a window" "$(grep -c 'vector0_1.V .* VEC ' vector.log)" 1

# The checker refuses what it should.
refuse() { ! "$CHECK_TIMELINE" bad.json >said || fail "the checker takes $1"; }
sed '$d' all.json >bad.json && refuse "half a file"
sed '0,/"ph":"f"/{/"ph":"f"/d}' all.json >bad.json && refuse "a flow without an end"
sed '0,/"ph":"s"/{/"ph":"s"/d}' all.json >bad.json && refuse "a flow without a begin"
sed '0,/"ph":"X"/{s/"dur":[0-9.]*/"dur":99.0/}' all.json >bad.json && refuse "slices that overlap"
sed '0,/"ph":"s"/{s/\("ph":"s".*"ts":\)[0-9.]*/\10.0001/}' all.json >bad.json && refuse "a flow outside of slices"
sed '0,/thread_name/{/thread_name/d}' all.json >bad.json && refuse "a thread without a name"

refused() {   # refused FRAGMENT OPTION...
  fragment=$1
  shift
  status=0
  run --timeline no.json "$@" 2>error || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <error)" -eq 1 ] && grep -q -e "$fragment" error && [ ! -e no.json ] ||
    fail "$* is not refused: exit code $status, $(cat error)"
}
refused '--timeline-window' --timeline-window 1
refused "no command 'mma'" --timeline-window mma#1:
refused 'there was no mmad#99999' --timeline-window :mmad#99999
echo "$commands commands, $waits flows, $(wc -c <all.json) bytes"
