#!/bin/sh
# --dump writes what commands leave, with type and shape: a product of dumped operands is the dumped result, and what a
# store leaves is what --out has. Wrong ones are refused in a line, and leave no file.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "FAILED: $*"; exit 1; }
run() { timeout 120 "$SIM" run amla --heads 4 --seq-kv 64 --quiet "$@" 2>err; }
shape() { head -c 128 "$1" | tail -c +11 | sed -n "s/.*'descr': '\([^']*\)'.*'shape': (\([0-9, ]*\)).*/\1 \2/p"; }
expect_shape() { [ "$(shape "$1")" = "$2" ] || fail "$1 is $(shape "$1"), not $2"; }
values() {   # values FILE: of FP32, row after row
  tail -c +129 "$1" | od -An -v -tf4 -w4
}

run --json plain.json --out plain.npy
run --json dumped.json --out dumped.npy --dump mmad#1:l0c:c.npy --dump cube0.m.mmad#1:l0a:a.npy --dump mmad#1:l0b:b.npy \
  --dump vec#1:ub --dump mmad#1:l0c@0x0
cmp plain.npy dumped.npy
[ "$(jq .cycles plain.json)" = "$(jq .cycles dumped.json)" ] || fail "a dump changes cycles"
m=$(shape a.npy | cut -d' ' -f2 | tr -d ,)
k=$(shape a.npy | cut -d' ' -f3 | tr -d ,)
n=$(shape b.npy | cut -d' ' -f3 | tr -d ,)
expect_shape b.npy "<f4 $k, $n"
expect_shape c.npy "<f4 $m, $n"
[ -s 'vec#1_ub.npy' ] || fail "no file of the usual name"
cmp c.npy 'mmad#1_l0c@0x0.npy'
{ values a.npy; values b.npy; values c.npy; } |
  awk -v m="$m" -v k="$k" -v n="$n" '
    NR <= m * k { a[NR - 1] = $1; next }
    NR <= m * k + k * n { b[NR - 1 - m * k] = $1; next }
    { c[NR - 1 - m * k - k * n] = $1 }
    END {
      for (r = 0; r < m; r++)
        for (j = 0; j < n; j++) {
          sum = 0
          for (i = 0; i < k; i++) sum += a[r * k + i] * b[i * n + j]
          d = sum - c[r * n + j]
          if (d < 0) d = -d
          if (d > worst) worst = d
          if (c[r * n + j] != 0) some++
        }
      exit !(worst < 1e-3 && some > m * n / 2)
    }' || fail "l0c is not l0a times l0b"

refused() {   # refused FRAGMENT OPTION...
  fragment=$1
  shift
  status=0
  run "$@" --out refused.npy || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$fragment" err ||
    fail "$* is not refused: exit code $status, $(cat err)"
  [ ! -e refused.npy ] && ! ls ./*:* >/dev/null 2>&1 || fail "$* leaves a file"
}
refused "mmad#99999:l0c: there was no such command" --dump mmad#99999:l0c
refused "no command 'foo'" --dump foo#1:l0c
refused "expected COMMAND:MEMORY" --dump mmad:l0c
refused "MMAD has no operand there" --dump mmad#1:ub
refused "MMAD has no operand there" --dump mmad#1:l0c@0x30000
refused "no memory 'xx'" --dump mmad#1:xx
refused "no core 'cube9'" --dump cube9.mmad#1:l0c
refused "--timing-only" --dump mmad#1:l0c --timing-only --gm c
echo "dumps: the product of the operands is the result"
