#!/bin/sh
# A C program over the kernels' library gets what the command line gets.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$SIM" run amla --golden none --quiet --json "$dir/amla.json"
"$KERNEL_AMLA" "$(jq .cycles "$dir/amla.json")"
