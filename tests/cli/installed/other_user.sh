#!/bin/sh
# In another user's checkout, which one cannot write to, kernels are compiled, and an engine that is there is not built
# again. Skipped without a second user, or where that one cannot read the build folder.
# SPDX-License-Identifier: Apache-2.0
set -eu
fail() { echo "FAILED: $*"; exit 1; }
[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir home
chmod 777 . home
other() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$PWD/home" XDG_CACHE_HOME="$PWD/home" "$@"; }
other test -r "$SIM" && ! other test -w "$(dirname "$SIM")" || exit 77

echo '#include "hal/hal.h"
void cube_main(void) {}' >idle.c
other "$SIM" firmware idle.c || fail "firmware"
[ -s idle.elf ] && [ -s idle.so ] || fail "no firmware was made"

"$SIM" run hfa --quiet
other "$SIM" run hfa 2>progress || fail "run hfa: $(cat progress)"
! grep -q building progress || fail "an engine is built again"
[ ! -e home/amalgam/units ] || fail "an engine is in the cache as well"
