#!/bin/sh
# A study of 100 000 points whose results are all there (made up): --list, a sweep with nothing to do, and the table take
# less than 5 s of processor time and 1 GB each.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

cat >many.yaml <<'YAML'
question: How many can there be?
command: run amla --timing-only --gm c --seq-kv 1024
axes:
  - {name: buffers, option: --kv-buffers, range: {from: 2, to: 6}}
  - {name: latency, set: gm.l2_latency_us, range: {from: 0.01, to: 2, step: 0.01}}
  - {name: flag, set: soc.flag_cycles, range: {from: 1, to: 100}}
metrics:
  - {name: cycles, json: cycles, unit: cycles, better: min}
  - {name: read, json: traffic.l2_read, unit: bytes, better: min}
  - {name: slower, expression: cycles / min(cycles) over (partition by latency)}
plots:
  - {name: front, kind: pareto, x: read, y: cycles, series: buffers}
  - {name: lines, kind: lines, x: latency, y: cycles, series: buffers}
YAML

"$SIM" sweep many.yaml --list | awk '{ print $NF }' >names
[ "$(sort -u names | wc -l)" -eq 100000 ] || fail "$(sort -u names | wc -l) points"
sed 's,^\(..\)\(.*\),sweeps/store/\1/\2,' names >folders
xargs mkdir -p <folders
awk '{ file = $0 "/point.json"
  printf "{\"command\":\"-\",\"exit\":0,\"error\":\"\",\"version\":\"-\",\"host\":\"-\",\"seconds\":1,\"peak_mb\":25,\"attempts\":1," \
    "\"run\":{\"cycles\":%d,\"traffic\":{\"l2_read\":%d}}}\n", 60000 + NR * 7919 % 60000, 1e6 + NR * 104729 % 9e6 >file
  close(file) }' folders

ulimit -v 1000000
"$SIM" sweep many.yaml --quiet   # reads them all, and writes
quick() {   # quick ARGS...
  (
    "$SIM" sweep many.yaml "$@" >out
    times >spent
  )
  # The second line is the children's: 0m1.500000s 0m0.200000s
  awk -v what="$*" 'NR == 2 { split($0, t, /[ms ]+/); s = 60 * (t[1] + t[3]) + t[2] + t[4]; print what ": " s " s"; exit !(s < 5) }' spent ||
    fail "$*: $(cat spent)"
}
quick --list
[ "$(grep -c '^done' out)" -eq 100000 ] || fail "--list"
quick --quiet
quick --csv
[ "$(wc -l <out)" -eq 100001 ] || fail "--csv"
quick
grep -q '^many: 100000 done$' out || fail "the count"
echo "all as expected"
