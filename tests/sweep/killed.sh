#!/bin/sh
# Sweeps and workers are killed at random moments, again and again, on one store: in the end every point has one result, and
# the table is that of a sweep that nobody disturbed.
#   killed.sh KILLS
# Fewer than the workers that a point may cost before it is given up, so that no slow one is.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
kills=${1:-4}

cat >study.yaml <<'YAML'
question: Is anything lost?
command: run amla --timing-only --gm c --seq-kv 8192 --batch 16
axes:
  - {name: buffers, option: --kv-buffers, values: [2, 3, 8]}
  - {name: latency, set: gm.l2_latency_us, range: {from: 0.1, to: 2, step: 0.1}}
metrics: [{name: cycles, json: cycles, better: min}]
YAML
status=0
"$SIM" sweep study.yaml --store calm --quiet || status=$?
[ $status -eq 1 ] || fail "undisturbed: exit code $status"   # 8 buffers do not fit into L1
same_columns() { cut -d, -f1-3,5- "$1/study/results.csv" | sed 's/,[0-9]*,[0-9.e-]*,[0-9.e-]*,[^,]*$//'; }   # without host columns
same_columns calm >want

# A number from 0 to 0.5 seconds.
pause() { sleep "$(od -An -N1 -tu1 /dev/urandom | awk "{ print \$1 / 500 }")"; }
killed=0
while [ $killed -lt "$kills" ]; do
  "$SIM" sweep study.yaml --store wild --quiet >/dev/null 2>&1 &
  main=$!
  "$SIM" sweep study.yaml --store wild --worker --jobs 1 >/dev/null 2>&1 &
  worker=$!
  pause
  kill -9 $worker 2>/dev/null || true
  pause
  kill -9 $main 2>/dev/null || true
  wait $main $worker 2>/dev/null || true
  killed=$((killed + 2))
done
done_before=$(find wild/store -name point.json | wc -l)
find wild/store -name point.json -exec stat -c '%n %i %Y' {} + | sort >before
status=0
"$SIM" sweep study.yaml --store wild >out || status=$?
[ $status -eq 1 ] || { cat out; fail "after $kills kills: exit code $status"; }
grep -q '^study: 40 done, 20 failed$' out || { cat out; fail "points are missing"; }
same_columns wild | cmp - want || fail "another table than undisturbed"
find wild/store -name point.json -exec stat -c '%n %i %Y' {} + | sort >after
[ "$(comm -12 before after | wc -l)" -eq "$done_before" ] || fail "results were written again"
[ "$(find wild/store -name point.json | wc -l)" -eq 60 ] || fail "not 60 results"
"$SIM" sweep --gc --store wild --quiet
[ -z "$(ls wild/store/claims wild/store/workers | grep -v :)" ] || fail "claims are left"
echo "all as expected: $kills kills, $done_before of 60 points before the last"
