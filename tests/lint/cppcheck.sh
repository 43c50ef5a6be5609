#!/bin/sh
# cppcheck finds nothing. A finding that is none gets a comment "cppcheck-suppress" with its reason.
# It is told what is defined where this is compiled, and for kernels also there: all combinations take four times as long.
# Newer releases do not see that base_fail() is false, and take memory that was asked for to be missing afterwards.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
check() {   # check LANGUAGE DEFINES FILES...
  std=$1 defines=$2
  shift 2
  # shellcheck disable=SC2086
  cppcheck --std="$std" $defines --enable=warning,performance,portability --inline-suppr --quiet \
    --error-exitcode=1 --suppress=missingInclude --suppress=nullPointerOutOfMemory --suppress=nullPointerArithmeticOutOfMemory \
    -I model -I sw -I tests -I tests/soc "$@"
}
host='-D__GNUC__=12 -D__x86_64__ -D__linux__ -D__gnu_linux__'
# shellcheck disable=SC2046
check c11 "$host" $(find model sw tests tb -name '*.c')
# shellcheck disable=SC2046
check c11 '-D__GNUC__=12 -D__riscv' $(find sw -name '*.c')
check c11 '-D__GNUC__=12 -D__riscv -DFP8_DIRECT' sw/kernels/fp8/*.c
# Kernels of tests/ascend say `if ASCEND_IS_AIC {`.
# shellcheck disable=SC2046
check c++17 "$host -DASCEND_IS_AIC=(block) -DASCEND_IS_AIV=(!block)" $(find model tests tb -name '*.cpp')
