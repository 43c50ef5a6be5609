#!/bin/sh
# shapes.sh N SEED: N random shapes of run flash, each equal to the contract's C loops in every bit: heads that are
# shared or not, ragged everything, both types, causal, masks, lengths, splits, groups, blocks, cores, sinks, capped
# scores, pages, native and RV64, slices in C and Verilated. A shape that fails is printed.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

# A line a shape: files to be made (mask rows, keys, entries of lengths; 0: none), then options.
awk -v n="$1" -v seed="$2" '
  function random(low, high) {
    state = (state * 16807) % 2147483647
    return low + state % (high - low + 1)
  }
  function maybe(times, option) { return random(1, times) == 1 ? " " option : "" }
  BEGIN {
    state = seed
    for (i = 0; i < 10; i++) { random(0, 1) }
    while (n-- > 0) {
      kv = random(1, 3); heads = kv * random(1, 4)
      dim = random(1, 3) > 1 ? 32 * random(1, 4) : random(1, 256)
      tokens = random(1, 3) > 1 ? random(1, 300) : random(1, 8)
      keys = random(1, 900); batch = random(1, 2)
      paged = random(1, 4) == 1
      mask = random(1, 4) > 1 ? 0 : random(0, 1) ? tokens : 1
      print mask, keys, (random(1, 3) > 1 ? 0 : batch), "--heads " heads " --kv-heads " kv " --head-dim " dim \
        " --dv " (random(0, 1) ? dim : random(1, 256)) " --seq-q " tokens " --seq-kv " keys " --batch " batch \
        " --seed " n " --dist normal:" random(1, 4) maybe(2, "--causal") " --dtype " (random(0, 1) ? "fp16" : "bf16") \
        (paged ? " --paged" : "") maybe(4, "--sinks made-up") maybe(4, "--softcap " 10 ^ random(-1, 2)) \
        maybe(2, "--kv-block " (paged ? 128 * random(1, 4) : 16 * random(1, 32))) maybe(3, "--group-rows " 16 * random(1, 8)) \
        maybe(3, "--split-kv " random(1, 6)) maybe(2, "--out-f32") maybe(3, "--preload " random(0, 2)) \
        maybe(2, "--config ascend910_die --cores " random(1, 4)) maybe(3, "--firmware native") maybe(4, "--l2 cold") \
        maybe(2, "--gm c") maybe(5, "--softmax-scale -0.1") \
        maybe(4, "--set scalar.queue_depth=" random(1, 3))
    }
  }' >shapes

while read -r mask keys lengths options; do
  files=
  if [ "$mask" -gt 0 ]; then
    "$MKNPY" mask.npy '|u1' "$mask,$keys" c
    files="$files --mask mask.npy"
  fi
  if [ "$lengths" -gt 0 ]; then   # about half of the keys, the last entry all
    "$MKNPY" lengths.npy '<i4' "$lengths" c "all=$(printf %x $((keys / 2)))" "$((lengths - 1))=$(printf %x "$keys")"
    files="$files --lengths lengths.npy"
  fi
  # shellcheck disable=SC2086
  "$SIM" run flash $options $files --golden none --verify --quiet || { echo "failed: run flash $options $files"; exit 1; }
done <shapes
[ "$(wc -l <shapes)" -eq "$1" ]
echo "$1 shapes: no bit differs"
