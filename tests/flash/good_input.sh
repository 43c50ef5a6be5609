#!/bin/sh
# run flash: files, what they say of the shape, types; heads that share keys; results within the bounds of each type.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"

flash() { "$SIM" run flash "$@" --quiet --json r.json || fail "$*"; }

# Normal inputs: the error is that of the type.
flash --heads 2 --seq-q 200 --seq-kv 2000 --dtype bf16 --tolerance 2.5e-3 --verify
holds '.shape.dtype == "bf16" and .error.rel_fro > 1e-3 and .wrong_bits == 0' r.json
flash --heads 2 --seq-q 200 --seq-kv 2000 --dtype fp16 --tolerance 4e-4 --verify
holds '.shape.dtype == "fp16" and .error.rel_fro > 1e-4 and .wrong_bits == 0' r.json

# Sizes follow the machine: blocks are larger where a scalar core takes long to push the commands of one.
for machine in "0.1 256" "4 512"; do
  flash --heads 1 --seq-q 2 --seq-kv 900 --head-dim 192 --timing-only --set scalar.cpi="${machine% *}"
  holds ".shape.kv_block == ${machine#* }" r.json
done

# Files: batch and heads as axes, or without; types by the file.
"$MKNPY" q.npy '<f2' 2,6,5,48
"$MKNPY" k.npy '<f2' 2,3,40,48
"$MKNPY" v.npy '<f2' 2,3,40,20
flash --q q.npy --k k.npy --v v.npy --verify --out o.npy
holds '.shape | .batch == 2 and .heads == 6 and .kv_heads == 3 and .seq_q == 5 and .seq_kv == 40 and
  .head_dim == 48 and .dv == 20 and .dtype == "fp16"' r.json
head -c 128 o.npy | grep -q "'<f2'.*(2, 6, 5, 20)" || fail "o.npy: $(head -c 128 o.npy)"
"$MKNPY" q2.npy '<f4' 30,48
"$MKNPY" k2.npy '<f4' 50,48
flash --q q2.npy --k k2.npy --v k2.npy --verify --out o.npy
head -c 128 o.npy | grep -q "'<u2'.*(30, 48)" || fail "o.npy: $(head -c 128 o.npy)"
flash --q q2.npy --k k2.npy --v k2.npy --verify --dtype fp16 --out-f32 --out o.npy
head -c 128 o.npy | grep -q "'<f4'.*(30, 48)" || fail "o.npy: $(head -c 128 o.npy)"
holds '.shape.dtype == "fp16" and .shape.heads == 1' r.json

# Grouping, cores and where blocks of masked keys are left out show in no bit; splits do.
set -- --heads 4 --kv-heads 2 --seq-q 300 --seq-kv 700 --causal --out-f32 --kv-block 128
flash "$@" --out one.npy
flash "$@" --group-rows 48 --config ascend910_die --cores 5 --out other.npy
cmp one.npy other.npy
flash "$@" --split-kv 3 --verify --out split.npy
! cmp -s one.npy split.npy || fail "splits show in no bit"

# A mask that says what causal says gives the same bits, and lengths the same as fewer keys.
awk 'BEGIN { for (i = 0; i < 6; i++) for (j = 0; j < 9; j++) if (j > i + 3) printf " %d=0", i * 9 + j }' >hidden
# shellcheck disable=SC2046
"$MKNPY" mask.npy '|u1' 6,9 c all=1 $(cat hidden)
flash --heads 3 --seq-q 6 --seq-kv 9 --head-dim 32 --mask mask.npy --out-f32 --out masked.npy
flash --heads 3 --seq-q 6 --seq-kv 9 --head-dim 32 --causal --out-f32 --out causal.npy
cmp masked.npy causal.npy
"$MKNPY" lengths.npy '<i4' 3 c 0=0 1=7 2=9
flash --heads 2 --batch 3 --seq-q 4 --seq-kv 9 --lengths lengths.npy --causal --verify
{   # as NumPy makes them
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }"
  printf '\000\000\000\000\000\000\000\000\007\000\000\000\000\000\000\000\011\000\000\000\000\000\000\000'
} >wide.npy
flash --heads 2 --batch 3 --seq-q 4 --seq-kv 9 --lengths wide.npy --causal --verify

# Windows are masks.
awk 'BEGIN { for (i = 0; i < 6; i++) for (j = 0; j < 9; j++) if (j > i + 3 || j <= i + 3 - 4) printf " %d=0", i * 9 + j }' >hidden
# shellcheck disable=SC2046
"$MKNPY" window.npy '|u1' 6,9 c all=1 $(cat hidden)
set -- --heads 3 --seq-q 6 --seq-kv 9 --head-dim 32 --causal --out-f32
flash "$@" --mask window.npy --out masked.npy
flash "$@" --window 4 --out window.npy
cmp masked.npy window.npy
flash "$@" --window 9 --out window.npy
cmp window.npy causal.npy
holds '.shape.window == 9' r.json
flash --heads 6 --kv-heads 2 --seq-q 150 --seq-kv 700 --causal --window 130 --verify
flash --heads 4 --kv-heads 1 --seq-q 1 --seq-kv 900 --causal --window 300 --dtype fp16 --split-kv 3 --verify

# Sinks: below every score, nobody's, above every score; splits add them once.
set -- --heads 4 --kv-heads 2 --seq-q 37 --seq-kv 300 --causal --out-f32
flash "$@" --out none.npy
"$MKNPY" low.npy '<f4' 4 c all=ff800000 2=c6400000   # -inf, and e^-12288, which is 0
flash "$@" --sinks low.npy --out low_out.npy
cmp none.npy low_out.npy
"$MKNPY" sinks.npy '<f4' 4 c 0=40400000 1=c0400000 2=41a00000 3=7f800000   # 3, -3, 20, +inf: its head gives 0
for more in "" "--split-kv 2 --kv-block 128" "--dtype fp16 --firmware native --paged --softcap 30"; do
  # shellcheck disable=SC2086
  flash "$@" --sinks sinks.npy --verify $more
  holds '.shape.sinks and .wrong_bits == 0' r.json
done

# Scores capped far above them are what they were; a cap is tanh at any size; near 0 the output is a mean.
flash "$@" --softcap 1e18 --out high.npy
cmp none.npy high.npy
for cap in 1e-6 0.5 30 1e3 1e5; do
  flash --heads 2 --seq-q 90 --seq-kv 700 --softcap $cap --dist normal:4 --dtype fp16 --verify --tolerance 6e-4
  flash --heads 2 --seq-q 3 --seq-kv 500 --dv 200 --softcap $cap --dist normal:3 --causal --window 40 --verify
done
holds '.shape.softcap == 1e5 and .wrong_bits == 0' r.json

# Pages show in no bit: lengths at, before and after a page's end, none, and one token for many keys.
"$MKNPY" ends.npy '<i4' 5 c 0=80 1=7f 2=81 3=0 4=180
set -- --heads 4 --kv-heads 2 --batch 5 --seq-q 3 --seq-kv 384 --head-dim 48 --lengths ends.npy --out-f32
flash "$@" --causal --out plain.npy
flash "$@" --causal --paged --out paged.npy --verify
cmp plain.npy paged.npy
holds '.shape.page_size == 128' r.json
flash --q q2.npy --k k2.npy --v k2.npy --out plain.npy
flash --q q2.npy --k k2.npy --v k2.npy --out paged.npy --paged --seed 5
cmp plain.npy paged.npy
holds '.seed == 5' r.json
flash --heads 8 --kv-heads 1 --seq-q 1 --seq-kv 1000 --paged --sinks made-up --softcap 20 --split-kv 4 --config ascend910_die --cores 4 --verify
flash --heads 8 --seq-q 1 --seq-kv 3000 --paged --sinks made-up --softcap 20 --timing-only

# Causal groups differ in length by a factor of 32; they are dealt so that all cores have nearly the same to do.
flash --heads 1 --seq-q 4096 --causal --config ascend910_die --cores 4 --timing-only
holds '[.pipes[] | select(.pipe == "V") | .busy] | length == 8 and min > 0.93 * max' r.json

# Large ones: keys, queries.
flash --heads 1 --seq-q 1 --seq-kv 200000 --head-dim 32 --split-kv auto --config ascend910_die --golden sample
flash --heads 2 --seq-q 16384 --seq-kv 600 --head-dim 32 --causal --config ascend910_die --golden sample
