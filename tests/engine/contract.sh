#!/bin/sh
# A broken assertion of the RTL, in an engine and in a memory slice, ends a run: exit code 1, the instance and the
# assertion named, and its source, and no file of the run is left. The RTL is a copy with one assertion more, which does not hold.
#   SIM=amalgam-sim contract.sh
# SPDX-License-Identifier: Apache-2.0
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TSAN_OPTIONS="${TSAN_OPTIONS:-} report_thread_leaks=0"   # it ends where it is
export AMALGAM_UNIT_FLAGS=-O0   # built for this test alone
cp -r ../../rtl "$work/rtl"
cd "$work"
sed -i 's/^  `ASSERT(credits_in_range.*/&\n  `ASSERT(few_beats, cnt_beats_q < 3)/' rtl/gm/gm_atomic.v
sed -i 's/^  `ASSUME(carry_used_waits.*/&\n  `ASSERT(few_rows, left_q < 3)/' rtl/attention/attention_ctrl.v

broken() {   # INSTANCE SOURCE RUN...
  instance=$1 source=$2 status=0
  shift 2
  AMALGAM_RTL=$work/rtl "$SIM" run "$@" --json r.json --out o.npy --quiet >said 2>err || status=$?
  [ $status -eq 1 ] && [ ! -s said ] || { echo "$1: exit code $status, $(cat said err)" >&2; exit 1; }
  grep -q "$instance: assertion failed\$" err && grep -q "^amalgam: .*/$source:[0-9]*: the RTL's contract is broken" err &&
    [ "$(wc -l <err)" -eq 2 ] || { echo "$1 said: $(cat err)" >&2; exit 1; }
  left=$(find . -maxdepth 1 -type f ! -name err ! -name said)
  [ -z "$left" ] || { echo "$1 left $left" >&2; exit 1; }
}
broken 'attention_engine.*few_rows' attention_ctrl.v hfa --head-dim 4 --blocks 2 --seq-kv 32 --rows 32
broken 'slice[0-9]*.*few_beats' gm_atomic.v amla --heads 4 --seq-kv 64 --gm rtl --trace t.fst
