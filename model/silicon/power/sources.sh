#!/bin/sh
# A header with a checksum of the sources given: results of other sources are not to be used again.
#   sources.sh HEADER SOURCE...
# SPDX-License-Identifier: Apache-2.0
set -eu
header=$1
shift
printf '#define POWER_SOURCES "%s"\n' "$(cat "$@" | sha256sum | cut -c1-16)" >"$header"
