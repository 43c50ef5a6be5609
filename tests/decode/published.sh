#!/bin/sh
# A layer of a published model whose time on a die others measured: within 10 % with a launch an operation, and
# the numbers that docs/decode.md tells of it. SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

# layer LAUNCH: microseconds of all operations of layer 0, and of their launches.
layer() {
  "$SIM" run model --model qwen3-14b --layers 1 --timing-only --config ascend910_die --batch 16 --past 4096 --steps 1 \
    --launch "$1" --quiet --json "$1.json"
  jq '([.operations[] | select(.layer == 0)] as $o | ($o | map(.cycles) | add) +
    if .launch == "ops" then ($o | length) * .decode.launch_cycles / .decode.launches else 0 end) / 1800 | round' "$1.json"
}
step=$(layer step) ops=$(layer ops)
awk "BEGIN { exit !($ops > 902.9 * 0.9 && $ops < 902.9 * 1.1) }" || fail "$ops us; measured were 902.9"
! compiler_of_pages || {
  grep -q "takes $step us in a step of one launch" "$ROOT/docs/decode.md" || fail "a step takes $step us"
  grep -q "$ops us with \`--launch ops\`" "$ROOT/docs/decode.md" || fail "single launches take $ops us"
}
echo "$step us in a step, $ops us by single launches"
