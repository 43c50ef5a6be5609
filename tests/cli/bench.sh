#!/bin/sh
# The bench runs and has all its fields. What it measures is nobody's test.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

"$SIM" --help | grep -q '^  bench ' || fail "--help"
"$SIM" bench --help | grep -q -e '--size' || fail "bench --help"
"$SIM" bench --size quick --json - >b.json 2>text
has_members b.json matmul openblas_core shapes gflops avx512 avx2 portable openblas openblas_avx512 \
  openblas_avx2 ratio_to_openblas exp million_per_second vector libm_expf libm_exp ratio normals \
  libm engine hfa fa2 expmul rtl rtl_waveforms icarus c_1_thread c cycles_per_second ratio_to_rtl simulator functional \
  functional_1_thread timing_only timing_only_native memory_units core seconds processor_seconds memory_mb ns_per_command
# Portable products, exponentials and random numbers there are on any host.
speeds() { echo "[.. | objects | select(has(\"$1\")).$1 | numbers | select(. > 0)] | length"; }
holds "$(speeds portable) > 0" b.json
holds "$(speeds vector) > 0" b.json
# The RTL, with waveforms, in Icarus and both C models of three engines have a speed.
holds "$(speeds cycles_per_second) == 15" b.json
sh "$ROOT/tests/docs/speed.sh" b.json || fail "docs/speed.md"
grep -q 'matrix products' text && grep -q 'hfa  RTL in Icarus' text || fail "text"
fits bench=b.json
echo "all as expected"
