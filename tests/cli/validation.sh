#!/bin/sh
# How far times may be from those measured on chips. Of rows that miss, what they are known to miss by: if one comes nearer,
# its bound is to come down with it.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
"$SIM" report validation --quiet --out .
[ -s validation.md ] && [ -s validation.svg ] || fail "files"
r=validation.json
within() { holds "[.rows[] | select($1) | .error_percent | fabs] | length == $2 and max <= $3 and add / length <= $4" $r; }
#      rows                                                               how many  worst  mean
within '.kind == "fitted"' 12 3 1.5
within '.kind == "calibration"' 4 6 4
within '.kind == "predicted" and .group == "GEMM" and .measured_us > 100 and (.what | startswith("20 x") | not)' 3 6 4
within '.kind == "predicted" and .group == "GEMM" and (.what | startswith("1024"))' 2 11 6
within '.kind == "predicted" and .group == "GEMM" and (.what | startswith("160"))' 2 9 7
within '.kind == "predicted" and .group == "GEMM" and (.what | startswith("20 x"))' 2 19 13
within '.group == "FlashAttention"' 6 13 7
# Errors are those of the times; measured ones are as the sources have them.
holds '.rows | all(100 * (.ours_us / .measured_us - 1) - .error_percent | fabs < 1e-9)' $r
holds '[.rows[] | select(.group == "FlashAttention") | .measured_us] == [16.5, 23.4, 38.3, 68.8, 18.7, 76.9]' $r
# A launch back to back is cheaper by the launch.
"$SIM" report validation --quiet --out none --set soc.launch_us=0
holds '[[.[0].rows, .[1].rows] | transpose[] | (.[0].ours_us - .[1].ours_us) as $more | .[0] |
        if .launch | startswith("single") then ($more - 5.9 | fabs) < 0.01 else $more == 0 end] | all' $r none/$r
