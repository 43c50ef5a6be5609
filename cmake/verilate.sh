#!/bin/sh
# Verilator's C++ of a unit as two files to compile: what runs in every cycle, and what runs once.
#
#   verilate.sh FOLDER PREFIX VERILATOR'S_ARGUMENTS...
#
# writes FOLDER/PREFIX.h, PREFIX_fast.cpp and PREFIX_slow.cpp, and what these include.
# SPDX-License-Identifier: Apache-2.0
set -eu
folder=$1 prefix=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
verilator --cc --Mdir "$folder" --prefix "$prefix" "$@"

# VM_CLASSES_FAST += \ NAME \ NAME ... and the like, up to an empty line
for speed in fast slow; do
  kind=$(echo $speed | tr a-z A-Z)
  awk -v kind="$kind" '/^VM_/ { in_it = $1 ~ "^VM_(CLASSES|SUPPORT)_" kind "$"; next }
    in_it && /^[ \t]/ { print "#include \"" $1 ".cpp\"" }' "$folder/${prefix}_classes.mk" \
    >"$folder/${prefix}_$speed.cpp"
done
