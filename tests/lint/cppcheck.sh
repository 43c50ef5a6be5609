#!/bin/sh
# cppcheck finds nothing. A finding that is none gets a comment "cppcheck-suppress" with its reason.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$1"
check() {   # check LANGUAGE FILES...
  std=$1
  shift
  cppcheck --std="$std" --enable=warning,performance,portability --inline-suppr --quiet \
    --error-exitcode=1 --suppress=missingInclude -I model -I sw "$@"
}
# shellcheck disable=SC2046
check c11 $(find model sw tests tb -name '*.c')
# shellcheck disable=SC2046
check c++17 $(find model tests tb -name '*.cpp')
