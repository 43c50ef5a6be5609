#!/bin/sh
# A kernel launched several times on one machine: each launch gives the same bits, and takes what a machine of
# its own with the same L2 takes.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
failed=0
fail() { echo "FAILED $*"; failed=1; }

run() {   # run NAME ARGS...: into NAME.json and NAME.npy
  name=$1
  shift
  "$SIM" run "$@" --gm c --out "$dir/$name.npy" --json "$dir/$name.json" --quiet
}

# On a warm L2 three launches are three times one, in cycles, work, traffic and phases; one is as if nothing
# had been said.
several() {
  run none "$@"
  run one "$@" --launches 1
  without_host "$dir/none.json" >"$dir/none"
  without_host "$dir/one.json" | cmp -s - "$dir/none" || fail "$*: --launches 1 is not as without"
  run three "$@" --launches 3 --verify
  cmp "$dir/one.npy" "$dir/three.npy" || fail "$*: other bits"
  holds '.[0].cycles as $c | .[1].launches.cycles == [$c, $c, $c] and .[1].cycles == 3 * $c' "$dir/one.json" "$dir/three.json"
  holds 'def same(f; g): (f - g | fabs) <= 1e-9 * g;
         .[0].time_us as $t | .[1].launches | same(.first_us; $t) and same(.mean_us; $t)' "$dir/one.json" "$dir/three.json"
  holds '[.[] | [.traffic.l2_read, .traffic.l2_write, .flops, (.phases[]?.cycles)]] | (.[0] | map(3 * .)) == .[1]' \
    "$dir/one.json" "$dir/three.json"
}
die="--config ascend910_die --cores 2"
# shellcheck disable=SC2086
{
  several amla --heads 20 --seq-kv 300 $die
  several base --heads 20 --seq-kv 300
  several fp8 --heads 64 --seq-kv 256
  several flash --heads 2 --seq-q 40 --seq-kv 300 $die
  several gemm --m 100 --n 300 --k 400 $die
  several w4a16 --m 16 --n 256 --k 1024 --split-k 4 $die
}

# From a cold L2 the first launch fetches what the others find.
run cold gemm --m 16 --n 512 --k 1024 --l2 cold
run cold4 gemm --m 16 --n 512 --k 1024 --l2 cold --launches 4
run warm gemm --m 16 --n 512 --k 1024
holds '[.[].cycles] as $c | .[1].launches.cycles == [$c[0], $c[2], $c[2], $c[2]] and $c[2] < $c[0] and
       .[0].traffic.hbm_read == .[1].traffic.hbm_read and .[0].traffic.hbm_read > 0' \
  "$dir/cold.json" "$dir/cold4.json" "$dir/warm.json"
"$SIM" run gemm --m 16 --n 512 --k 1024 --l2 cold --launches 4 --timing-only --json "$dir/timing.json" >"$dir/text"
holds '.[0].launches == .[1].launches' "$dir/cold4.json" "$dir/timing.json"
want=$(jq -r '.launches | "\(.first_us) \(.mean_us)"' "$dir/cold4.json" |
  awk '{ printf "launches 4, the first %.1f us, %.1f us in the mean", $1, $2 }')
grep -qxF "$want" "$dir/text" || fail "text: no '$want' in $(cat "$dir/text")"

# A launch whose result depends on the one before is no kernel that can be timed so.
status=0
"$SIM" run custom --firmware "$FIRMWARE/tests/leftover.elf" --out-shape 64 --launches 3 --out "$dir/x.npy" 2>"$dir/err" ||
  status=$?
[ $status -eq 3 ] && [ ! -e "$dir/x.npy" ] || fail "leftover: exit code $status"
grep -q "launch 2 left other bits in array 'out' than the first one" "$dir/err" || fail "$(cat "$dir/err")"
"$SIM" run custom --firmware "$FIRMWARE/tests/leftover.elf" --out-shape 64 --quiet || fail "leftover: launched once"

# What another core wrote in the launch before is no race.
# shellcheck disable=SC2086
"$SIM" run custom --firmware "$FIRMWARE/tests/before_write.elf" --out-shape 64 --launches 2 --quiet $die || fail "before_write"
[ "$failed" -eq 0 ]
