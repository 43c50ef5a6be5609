#!/bin/sh
# What tests need: targets of the build that their commands and environments name, a line each, whether they are built or not.
#   targets.sh WORK_DIR REGEX     of all tests whose name matches
# SPDX-License-Identifier: Apache-2.0
set -eu
work=$1
find "$work/1/build" -name CTestTestfile.cmake -exec cat {} + |
  tests=$2 build=$work/1/build/ awk '
    !/^(add_test|set_tests_properties)\(\[=\[/ { next }
    {
      name = $0
      sub(/^[^[]*\[=\[/, "", name)
      sub(/\]=\].*/, "", name)
      if (name !~ ENVIRON["tests"]) next
      n = split($0, part, /[";]/)
      for (i = 1; i <= n; i++)
        if ((at = index(part[i], ENVIRON["build"])) > 0) print substr(part[i], at + length(ENVIRON["build"]))
    }' | LC_ALL=C sort -u |
  LC_ALL=C comm -12 - "$work/targets" | sed 's/^amalgam-sim$/simulator firmware_native/'
