#!/bin/sh
# What tests need: targets of the build that their commands and environments name, a line each.
#   targets.sh WORK_DIR REGEX     of all tests whose name matches
# SPDX-License-Identifier: Apache-2.0
set -eu
work=$1
jq -r --arg tests "$2" --arg build "$work/1/build/" '.tests[] | select(.name | test($tests)) |
  [.command[], (.properties[] | select(.name == "ENVIRONMENT") | .value[])][] |
  select(contains($build)) | sub(".*" + $build; "")' "$work/tests.json" | LC_ALL=C sort -u |
  LC_ALL=C comm -12 - "$work/targets" | sed 's/^amalgam-sim$/simulator firmware_native/'
