#!/bin/sh
# Collectives of dies: every bit is right for all operations, numbers of dies and sizes, in RV64 and natively, with slices
# of either kind; bytes on the links are those that have to cross them; time follows latency and bandwidth of the links.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
run() { "$SIM" run collective --quiet --cores 1 --json r.json "$@" || fail "$*"; }
right() { run --firmware native "$@"; holds '.wrong_bits == 0 and .elements > 0' r.json; }

for op in all-reduce reduce-scatter all-gather all-to-all; do
  for dies in 2 3 8; do
    right --op $op --dies $dies --bytes 100000
  done
  right --op $op --dies 4 --bytes 4 --system server910b
  right --op $op --dies 3 --bytes 140004 --cores 2 --dtype f16
done
right --op all-to-all --dies 3 --bytes 1
right --op all-gather --dies 16 --bytes 100001
run --op all-reduce --dies 2 --bytes 20000
holds '.wrong_bits == 0' r.json
cycles=$(jq .cycles r.json)
run --op all-reduce --dies 2 --bytes 20000 --timing-only
holds ".cycles == $cycles" r.json

# Each die sends each other a half of its 64 KiB, and half of the sums; and a word for each of two vector cores and phases.
run --op all-reduce --dies 2 --bytes 65536 --firmware native
holds '[.links[] | [.from, .to, .bytes, .level]] == [[0, 1, 65552, "package"], [1, 0, 65552, "package"]]' r.json

# A link that is twice as slow takes twice as long for many bytes, and a latency is there for few.
cat >slow.yaml <<END
machine: ascend910_die
dies: 2
window_mb: 64
levels:
  - {name: wire, topology: mesh, dies: 2, gbps: 1, latency_us: 3, message_us: 0, load_gbps: 100, store_gbps: 100}
END
sed 's/gbps: 1,/gbps: 2,/' slow.yaml >fast.yaml
sed 's/latency_us: 3/latency_us: 5/' slow.yaml >far.yaml
time_of() { run --op all-to-all --dies 2 --firmware native --timing-only --bytes "$@"; jq .time_us r.json; }
slow=$(time_of 2000000 --system slow.yaml) fast=$(time_of 2000000 --system fast.yaml)
awk "BEGIN { exit !($slow > 1000 && $slow - $fast > 495 && $slow - $fast < 505) }" || fail "links: $slow and $fast us"
near=$(time_of 512 --system slow.yaml) far=$(time_of 512 --system far.yaml)
awk "BEGIN { d = $far - $near; exit !(d > 1.4 && d < 2.6) }" || fail "latencies: $near and $far us"

refused() { word=$1; shift; "$SIM" run collective "$@" 2>err && fail "accepted: $*"; grep -q -e "$word" err || fail "$*: $(cat err)"; }
refused 'bytes 3: expected a multiple of an element' --bytes 3
refused 'dies 17: expected 2 to 16' --dies 17
refused 'no such system; there are' --system none
refused 'do not fit into window_mb' --system slow.yaml --bytes 60000000
