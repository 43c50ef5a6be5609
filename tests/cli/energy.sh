#!/bin/sh
# The energy of a run: parts add up, launches add up, and each part is what was done times what it costs. It depends on
# what a run does, and not on how it is simulated.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
run() { name=$1; shift; "$SIM" run "$@" --quiet --json "$name.json"; }
part() { echo "(.energy.parts[] | select(.part == \"$1\").j)"; }
near='def near($a; $b; $by): (($a - $b) | fabs) <= $by * ($b | fabs);'

# A product's multiplications, by types; and parts add up.
for shape in 'f16 64 96 80 cube mac_16_pj' 's8 64 96 96 cube_int8 mac_8_pj'; do
  set -- $shape
  cube=$(echo "$5" | tr _ ' ')
  run "$1" gemm --dtype "$1" --m "$2" --n "$3" --k "$4" --golden none
  holds "$near near($(part "$cube"); $2 * $3 * $4 * .machine[\"energy.$6\"] * 1e-12; 1e-9)" "$1.json"
  holds "$near near([.energy.parts[].j] | add; .energy.total_j; 1e-9)" "$1.json"
  holds '.energy.low_j < .energy.total_j and .energy.total_j < .energy.high_j' "$1.json"
  holds "$near near(.energy.watts * .time_us * 1e-6; .energy.total_j; 1e-9)" "$1.json"
done

# However it is simulated.
run whole amla --heads 8 --seq-kv 700 --golden none
run timing amla --heads 8 --seq-kv 700 --timing-only
run slices amla --heads 8 --seq-kv 700 --golden none --gm c --threads 1
for other in timing slices; do
  holds '.[0].energy == .[1].energy' whole.json $other.json
done

# Twice the keys, all from HBM.
cold() { run "$1" flash --heads 2 --kv-heads 2 --seq-q 64 --seq-kv "$2" --l2 cold --timing-only; }
cold keys 2048
cold more 4096
queries=$((2 * 64 * 128 * 2))   # bytes that do not grow
holds "$near (.[0].machine[\"energy.hbm_pj\"] * 1e-12) as \$pj | near((.[1] | $(part HBM)) - $queries * \$pj; 2 * ((.[0] | $(part HBM)) - $queries * \$pj); 0.01)" keys.json more.json

# Two launches take twice what one takes, where both find the same in L2.
run once amla --heads 8 --seq-kv 700 --timing-only
run twice amla --heads 8 --seq-kv 700 --timing-only --launches 2
holds "$near near(.[1].energy.total_j; 2 * .[0].energy.total_j; 0.01)" once.json twice.json
holds "$near near(.[1] | $(part cube); 2 * (.[0] | $(part cube)); 1e-9)" once.json twice.json

# An entry is worth its part, and nothing else.
run free amla --heads 8 --seq-kv 700 --timing-only --set energy.mac_16_pj=0
holds "$near near(.[0].energy.total_j - .[1].energy.total_j; .[0] | $(part cube); 1e-6) and .[0].cycles == .[1].cycles" once.json free.json

# An engine by itself: an element of a key that a query meets costs what the design takes, and nothing stands beside it.
for design in hfa fa2 expmul; do
  run $design $design --impl c --seq-q 4 --seq-kv 64 --head-dim 8
  holds '.energy.total_j > 0 and ([.energy.parts[] | select(.j > 0)] | length == 1)' $design.json
  holds '.energy | (.total_j - ([.parts[].j] | add)) == 0 and .low_j < .total_j and .total_j < .high_j' $design.json
done
holds '.[0].keys == 256 and .[0].energy.total_j < .[1].energy.total_j and .[2].energy.total_j < .[0].energy.total_j' hfa.json fa2.json expmul.json

# A die with all its cubes at work stays below the power of a board of this chip, 400 W, and above what one takes idle.
run full gemm --config ascend910_die --m 4096 --n 4096 --k 4096 --timing-only
holds '.fu > 0.7 and .energy.watts < 400' full.json
holds '[.machine | .["soc.ai_cores"] * .["energy.core_w"] + .["soc.dies"] * (.["energy.die_w"] + .["energy.hbm_w"])] | .[0] > 80 and .[0] < 100' full.json

"$SIM" run amla --heads 8 --seq-kv 700 --timing-only --quiet --csv r
[ "$(head -1 r.energy.csv)" = part,j ] && [ "$(wc -l <r.energy.csv)" -gt 10 ] || fail "r.energy.csv"
fits run_engine=hfa.json run_gemm=f16.json run_attention=whole.json run_flash=more.json
