#!/bin/sh
# The bench runs and has all its fields. What it measures is nobody's test.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() { echo "FAILED: $*"; exit 1; }

"$SIM" --help | grep -q '^  bench ' || fail "--help"
"$SIM" bench --help | grep -q -e '--size' || fail "bench --help"
"$SIM" bench --size quick --json b.json >text
for field in matmul openblas_core shapes gflops avx512 avx2 portable openblas openblas_avx512 \
  openblas_avx2 ratio_to_openblas exp million_per_second vector libm_expf libm_exp ratio normals \
  libm engine hfa fa2 rtl icarus c_1_thread c cycles_per_second ratio_to_rtl simulator functional \
  functional_1_thread timing_only seconds; do
  grep -q "\"$field\":" b.json || fail "no $field in the JSON"
done
# Portable products, exponentials and random numbers there are on any host.
grep -q '"portable":.[1-9]' b.json || grep -q '"portable":.0\.[0-9]*[1-9]' b.json ||
  fail "portable products"
grep -q '"vector":.[1-9]' b.json || fail "vector functions"
# The RTL, Icarus and the C model, each twice, have a speed.
[ "$(grep -c '"cycles_per_second":.[1-9]' b.json)" -eq 8 ] || fail "speeds of the engines"
grep -q 'matrix products' text && grep -q 'hfa  RTL in Icarus' text || fail "text"
"$SIM" bench --size quick --quiet >quiet
[ ! -s quiet ] || fail "--quiet prints"
echo "all as expected"
