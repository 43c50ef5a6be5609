#!/bin/sh
# Numbers of a run: its JSON is what the schema says, for every kernel and command; CSV has what the JSON has; the
# profile adds up to what pipes did, and nothing of this changes a cycle.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../script.sh"
[ -n "$(schema_python)" ] || { echo "no python3-jsonschema"; exit 77; }

run() {   # run FILE KERNEL OPTION...
  file=$1
  shift
  "$SIM" run "$@" --quiet --json "$file"
}
small='--heads 16 --seq-kv 256'
# shellcheck disable=SC2086
{
  run a1.json amla $small --seq-q 2 --verify --launches 2 --profile --csv a1 --critical-path path.json
  run a2.json base $small --row-sum tree --golden none --set gm.slices=4 --seed 7 --softmax-scale 0.25
  run a3.json amla $small --timing-only
  run f1.json flash --seq-q 64 --heads 2 --verify
  run p1.json fp8 $small --verify --row-sum tree
  run p2.json fp8 $small --top-k 64 --page-size 64
}
run w1.json w4a16 --m 16 --n 256 --k 256 --verify
run g1.json gemm --m 16 --n 256 --k 256 --verify --csv g1
run g2.json gemm --m 16 --n 256 --k 256 --tile halving
run e1.json hfa --impl c --verify
run e2.json fa2 --impl c --golden none
run e3.json expmul --impl c --golden none
run l1.json lm --prompt 'In ' --tokens 3 --impl c --profile --csv l1
run l2.json lm --prompt 'In ' --tokens 2 --attention fp32
run l3.json lm --eval "$DATA/kjv_val.txt" --windows 1 --context 32 --impl c
run d1.json decode --prompt 'In ' --tokens 2 --verify --check stages
run d2.json decode --past 64 --steps 1 --timing-only --csv d2 --profile
run d3.json decode --eval "$DATA/kjv_val.txt" --windows 1 --context 16 --attention fp8 --weights w4a16
printf '#include "hal/hal.h"\nint main(void) { return 0; }\n' >none.c
if "$SIM" firmware none.c >firmware.log 2>&1; then
  "$MKNPY" x.npy '<f4' 4,8
  run c1.json custom --firmware none.elf --in x.npy --out-shape 4 --no-init-check
  fits run_custom=c1.json
fi
"$SIM" explain a3.json --quiet --json x.json
"$SIM" blame p1.json --element 3,17 --no-repair --quiet --json b1.json
"$SIM" blame a2.json --worst --quiet --json b2.json
"$SIM" diff a1.json a2.json --quiet --json y.json && fail "a1 and a2 do not differ"
"$SIM" report table2 --quiet --batch 2 --cores 2 --seq-kv 64 --out r

fits run_attention=a1.json run_attention=a2.json run_attention=a3.json run_flash=f1.json run_fp8=p1.json \
  run_fp8=p2.json run_w4a16=w1.json run_gemm=g1.json run_gemm=g2.json run_engine=e1.json run_engine=e2.json run_engine=e3.json \
  run_lm=l1.json run_lm=l2.json run_lm=l3.json run_decode=d1.json run_decode=d2.json run_decode=d3.json \
  critical_path=path.json explain=x.json blame=b1.json blame=b2.json diff=y.json report=r/table2.json

# The schema refuses what is not so.
: >broken
edits() {   # edits KIND FILE EDIT...: one edit each
  kind=$1 file=$2
  shift 2
  for edit; do
    name=broken$(wc -l <broken).json
    jq "$edit" "$file" >"$name"
    echo "$kind=$name" >>broken
  done
}
edits run_attention a1.json '.new = 1' 'del(.seed)' '.cycles = -1' '.cycles = "1"' '.machine["soc.x y"] = 1' \
  '.pipes[0].stall.sleep = 1' '.error.rel_fro = "no"' '.kernel = "flash"' 'del(.machine)' '.profile[0].op = 3' \
  'del(.amalgam.commit)' '.host.new = 1'
edits run_decode d1.json '.operations[0].layer = -1' 'del(.softmax_scale)' '.verify.embed.new = 1'
edits diff y.json '.differences[0].of = 1' 'del(.differences[0].beyond)'
edits critical_path path.json '.links[0].what = "x"'
# shellcheck disable=SC2046
"$(schema_python)" "$ROOT/tests/cli/schema.py" --broken "$ROOT/docs/output.schema.json" $(cat broken) ||
  fail "the schema takes what is not so"

# What the members say.
version=$("$SIM" --version | cut -d' ' -f2)
holds "map(.amalgam.version) == [\"$version\", \"$version\", \"$version\"]" a1.json e1.json y.json
holds '.machine["gm.slices"] == 4 and .seed == 7 and .softmax_scale == 0.25' a2.json
holds '.seed == 0 and (.softmax_scale * .softmax_scale * 576 - 1 | fabs) < 1e-6' a1.json
holds '.seed == null and .timing_only' a3.json
holds '.seed == null and (.data | startswith("shipped"))' e1.json
sed -nE 's/^ +PARAM\(([a-z]+), [A-Z]+, [a-z]+, ([a-z0-9_]+),.*/\1.\2/p' "$ROOT/model/config/config.def" | sort >parameters
jq -r '.machine | keys[]' a1.json | sort | cmp - parameters || fail "parameters"

# CSV: the same rows as jq makes of the JSON; a line for each row, and a name for each column.
same_rows() {   # same_rows FILE.csv FILE.json EXPRESSION, of one row's list of values
  jq -r "$3 | map(if . == null then \"\" else tostring end) | join(\",\")" "$2" >want
  sed 1d "$1" | tr -d '"' >have
  cmp want have || fail "$1"
}
same_rows a1.pipes.csv a1.json '.pipes[] | [.core, .pipe, .commands, .busy, .stall.empty, .stall.flag, .stall.cross_flag]'
same_rows a1.traffic.csv a1.json '.traffic | ["all", .hbm_read, .hbm_write, .l2_read, .l2_write, .atomic_bytes]'
same_rows g1.traffic.csv g1.json '(.traffic | ["all", .hbm_read, .hbm_write, .l2_read, .l2_write, .atomic_bytes, null]),
  (.arrays[] | [.name, .hbm_read, .hbm_write, .l2_read, .l2_write, null, .bytes])'
same_rows d2.operations.csv d2.json '.operations[] | [.name, .layer, .cycles, .hbm_read, .l2_read, .flop, .bound]'
sed 's/,[^,]*$//' d2.profile.csv >shareless.csv   # jq writes fractions in its own way
same_rows shareless.csv d2.json '.profile[] | [.core, .pipe, .command, .op, .line, .count, .cycles]'
[ "$(head -n 1 a1.profile.csv)" = core,pipe,command,op,line,count,cycles,share ] || fail "$(head -n 1 a1.profile.csv)"
[ ! -e d1.pipes.csv ] && [ ! -e a1.operations.csv ] && [ ! -e g1.profile.csv ] || fail "a file too many"
status=0
"$SIM" run lm --prompt a --attention fp32 --csv no 2>err || status=$?
[ $status = 2 ] && grep -q -- '--csv: needs a machine' err || fail "--csv without a machine: $(cat err)"
for bad in - ''; do
  status=0
  "$SIM" run amla --timing-only --csv "$bad" 2>err || status=$?
  [ $status = 2 ] && grep -q -- '--csv: expected' err || fail "--csv '$bad': $(cat err)"
done

# Profile: by pipe, what is no wait has its busy cycles (MARK and READ_GM do not keep it), and all commands are counted.
for file in a1 d2 l1; do
  holds '. as $run | [.pipes[] | .core |= sub("[0-9_]+$"; "")] | group_by(.core, .pipe)[] |
    .[0].core as $core | .[0].pipe as $pipe |
    [$run.profile[] | select(.core == $core and .pipe == $pipe)] as $rows |
    (map(.commands) | add) == ([$rows[].count] | add // 0) and
    (map(.busy) | add) == ([$rows[] | select(.command | test("WAIT|SYNC|BARRIER|MARK|READ_GM|READ_VALUE") | not).cycles] | add // 0)' $file.json
  holds '[.profile[].share] | all(. >= 0 and . <= 1)' $file.json
  holds '[.profile[].cycles] | . == (sort | reverse)' $file.json
done
holds 'any(.profile[]; .command == "VEC" and .op == "EXP" and (.line | startswith("attention_")))' a1.json
"$SIM" run amla --heads 16 --seq-kv 256 --profile >text
sed -n '/^by command/,/^by line/p' text | grep -qE '^  cube    M     MMAD +[0-9]+ +[0-9]+ +[0-9.]+$' || fail "$(cat text)"
grep -qE '^  cube .* attention_[a-z_]+\.h:[0-9]+ \(' text || fail "no line of firmware"

# Cycles are what they are; memory units with timing only are their C model, unless asked for.
"$SIM" run amla --heads 16 --seq-kv 256 -q --json plain.json
"$SIM" run amla --heads 16 --seq-kv 256 --timing-only --gm rtl -q --json rtl.json
"$SIM" run amla --heads 16 --seq-kv 256 --profile -q --json profiled.json
for file in a3 rtl profiled; do
  [ "$(jq .cycles $file.json)" = "$(jq .cycles plain.json)" ] || fail "$file: other cycles"
done
holds '.[0].host.rtl_cycles == 0 and .[1].host.rtl_cycles > 0' a3.json rtl.json
holds '.host | [.matmul_seconds, .vector_seconds, .copy_seconds] | all(. > 0) and add < 60' plain.json
echo "all as expected"
