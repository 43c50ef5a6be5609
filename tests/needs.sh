#!/bin/sh
# needs.sh FILE COMMAND...: the command, as a test that is skipped without the file.
# SPDX-License-Identifier: Apache-2.0
[ -e "$1" ] || { echo "no $1"; exit 77; }
shift
exec "$@"
