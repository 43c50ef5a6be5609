#!/bin/sh
# Bad input gets exit code 2, one line on stderr that names what is wrong, and no output files.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/refused.sh"

"$MKNPY" q.npy '<u2' 2,4,64
"$MKNPY" kv.npy '<u2' 48,64
"$MKNPY" q_f4.npy '<f4' 8,64
"$MKNPY" q_i4.npy '<i4' 8,64
"$MKNPY" q_fortran.npy '<u2' 8,64 fortran
"$MKNPY" q_nan.npy '<u2' 8,64 c 70=7fc0
"$MKNPY" q_inf.npy '<f4' 8,64 c 5=7f800000
"$MKNPY" kv_nan.npy '<u2' 48,64 c 100=ffc1
"$MKNPY" q_1d.npy '<u2' 64
"$MKNPY" q_dk32.npy '<u2' 8,32
"$MKNPY" q_empty.npy '<u2' 0,64
"$MKNPY" v_short.npy '<u2' 40,64
"$MKNPY" mask.npy '|u1' 8,47
"$MKNPY" mask_f4.npy '<f4' 8,48
"$MKNPY" mask_u2.npy '<u2' 8,48
"$MKNPY" q_huge.npy '<f4' 8,64 c 9=7f7fffff
"$MKNPY" q_wide.npy '<u2' 2,640
"$MKNPY" kv_wide.npy '<u2' 4,640
head -c 300 q.npy >q_cut.npy
{ cat q.npy; printf x; } >q_long.npy
printf 'hello' >q_text.npy
printf '\177ELF\2\2\1' >cut.elf
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n' >pointer.npy
cp pointer.npy pointer.safetensors
"$MKNPY" a_empty.npy '<f2' 0,128
"$MKNPY" w_half.npy '<f2' 128,64
printf 'soc: {ai_cores: 1}\n' >few.yaml
printf 'soc: [\n' >broken.yaml
mkdir folder
mkfifo fifo.yaml fifo.elf
: >empty.yaml
echo 'include: round.yaml' >round.yaml
out="--out out.npy --json out.json"
good="--kv kv.npy $out"

# shellcheck disable=SC2086
{
  refused "none.npy" run amla --q none.npy $good
  refused "pointer.npy: a pointer of Git LFS; expected the file that it stands for" run amla --q pointer.npy $good
  refused "pointer.safetensors: a pointer of Git LFS" run amla --q pointer.safetensors:q $good
  refused "a_empty.npy: shape (0, 128), without elements; expected two dimensions" run gemm --a a_empty.npy --w w_half.npy $out
  refused "4097 MiB of arrays; the atomic slices address 4096 MiB" run custom --firmware "$FIRMWARE/tests/roots.elf" --in q_f4.npy \
    --out-shape 1073741824 $out
  refused "q_i4.npy" run amla --q q_i4.npy $good
  refused "q_fortran.npy" run amla --q q_fortran.npy $good
  refused "q_nan.npy" run amla --q q_nan.npy $good
  refused "q_inf.npy" run amla --q q_inf.npy $good
  refused "kv_nan.npy" run amla --q q.npy --kv kv_nan.npy $out
  refused "q_1d.npy" run amla --q q_1d.npy $good
  refused "64" run amla --q q_dk32.npy $good
  refused "q_empty.npy" run amla --q q_empty.npy $good
  refused "q_cut.npy" run amla --q q_cut.npy $good
  refused "q_long.npy" run amla --q q_long.npy $good
  refused "q_text.npy" run amla --q q_text.npy $good
  refused "." run amla --q . $good
  refused "v_short.npy" run amla --q q.npy --k kv.npy --v v_short.npy $out
  refused "mask.npy" run amla --q q.npy --mask mask.npy $good
  refused "mask_f4.npy" run amla --q q.npy --mask mask_f4.npy $good
  refused "mask_u2.npy" run amla --q q.npy --mask mask_u2.npy $good
  refused "q_huge.npy" run amla --q q_huge.npy $good
  refused "[0,9]" run amla --q q_huge.npy $good
  refused "kv_wide.npy" run amla --q q_wide.npy --kv kv_wide.npy $out
  refused "--heads" run amla --q q.npy --heads 3 $good
  refused "--seq-q" run amla --q q_f4.npy --seq-q 3 $good
  refused "--seq-kv" run amla --q q.npy --seq-kv 47 $good
  refused "--dk" run amla --q q.npy --dk 32 $good
  refused "--dist" run amla --q q.npy --dist normal:1 $good
  refused "--batch" run amla --q q.npy --batch 2 $good
  refused "--q" run amla --kv kv.npy $out
  refused "--v" run amla --q q.npy --k kv.npy $out
  refused "--dk" run amla --dk 577 $out
  refused "--dv" run amla --dv 513 $out
  refused "--kv-block" run amla --kv-block 528 $out
  refused "extra" run amla extra $out
  refused "run" run
  refused "two outputs" run amla --out out.npy --json ./out.npy
  refused "Is a directory" run amla --heads 2 --seq-kv 16 --out . --json out.json
  refused "extra" bench extra
  refused "--size" bench --size huge
  refused "--golden" run amla --golden half $out
  refused "--k" run amla --q q.npy --kv kv.npy --k kv.npy $out
  refused "--heads" run amla --heads -4 $out
  refused "--seq-kv" run amla --seq-kv 0 $out
  refused "--seq-kv" run amla --seq-kv 12x $out
  refused "--heads" run amla --heads 99999999999999999999 $out
  refused "--dist" run amla --dist cauchy:1 $out
  refused "--dist" run amla --dist normal:nan $out
  refused "--softmax-scale" run amla --q q.npy --softmax-scale inf $good
  refused "--kv-block" run amla --q q.npy --kv-block 100 $good
  refused "--dv" run amla --q q.npy --dv 65 $good
  refused "--preload" run amla --q q.npy --preload 3 $good
  refused "--rescale" run amla --q q.npy --rescale column $good
  refused "--cores" run amla --q q.npy --cores 2 $good
  refused "--cores" run amla --timing-only --cores 0
  refused "soc.ai_cores" run amla --config ascend910 --set soc.dies=5
  refused "--threads" run amla --threads 0 $out
  refused "--l2" run amla --l2 hot $out
  refused "--out" run amla --timing-only --seq-kv 64 --heads 4 $out
  refused "--verify" run amla --timing-only --verify --json out.json
  refused "--q" run amla --timing-only --q q.npy --kv kv.npy
  refused "--seed" run amla --timing-only --seed 3
  refused "--tolerance" run base --timing-only --tolerance 1
  refused "--trace-window" run amla --trace-window 1:2 $out
  refused "--timeline-window" run amla --timeline-window 1:2 $out
  refused "--colour" run amla --colour red $out
  refused "--out" run amla --out
  refused "amlo" run amlo
  refused "runn" runn amla
  refused "none.yaml" run amla --config none.yaml $out
  refused "few.yaml" run amla --config few.yaml $out
  refused "broken.yaml" run amla --config broken.yaml $out
  refused "round.yaml:1: include: a circle" run amla --config round.yaml $out
  refused "mars" run amla --config mars $out
  refused "cube.wheels" run amla --set cube.wheels=4 $out
  refused "cube.l1_kb" run amla --set cube.l1_kb=-1 $out
  refused "cube.l1_kb" run amla --set cube.l1_kb=many $out
  for buffer in cube.l0a_kb cube.l0b_kb cube.l0c_kb vector.ub_kb; do
    for kernel in amla base fp8 w4a16; do
      refused "$buffer = 31: the kernel needs" run $kernel --set $buffer=31 $out
    done
  done
  refused "cube.l0a_kb = 31: the kernel needs 32" run amla --tiling single --set cube.l0a_kb=31 $out
  refused "cube.l0b_kb = 63: the kernel needs 64" run gemm --set cube.l0b_kb=63 $out
  refused "cube.l0c_kb = 1: the kernel needs 128" run lm --attention fp32 --gemm soc --prompt x --set cube.l0c_kb=1
  refused "soc.ai_cores 1: expected a multiple of soc.dies" run lm --prompt x --impl c --set soc.dies=2
  refused "soc.vector_cores = 1: 256 rows" run amla --set soc.vector_cores=1 $out
  for kernel in amla base fp8 gemm w4a16; do
    refused "soc.engines is 4; this kernel" run $kernel --set soc.engines=4 $out
  done
  refused "ascend911: no such machine; there are ascend910," run amla --config ascend911 $out
  refused "and engines; did you mean ascend910?" run amla --config ascend911 $out
  refused "--config: .: no such machine; there are ascend910," run amla --config . $out
  refused "--config: : no such machine" run amla --config "" $out
  refused "and engines; a file ends in .yaml or has a slash" run amla --config folder $out
  refused "./folder: Is a directory" run amla --config ./folder $out
  refused "fifo.yaml: a FIFO; expected a file" run amla --config fifo.yaml $out
  refused "empty.yaml: empty" run amla --config empty.yaml $out
  refused "folder: Is a directory" explain folder --json out.json
  refused "fifo.yaml: a FIFO" explain fifo.yaml --json out.json
  refused "fifo.yaml: a FIFO" run amla --mask fifo.yaml $out
  refused "fifo.elf: a FIFO" run amla --firmware fifo.elf $out
  refused "fifo.yaml: a FIFO" run lm --model fifo.yaml
  refused "fifo.yaml: a FIFO" run lm --eval fifo.yaml
  refused "fifo.yaml: a FIFO" synth --liberty fifo.yaml
  refused "none.json: No such file" explain none.json --json out.json
  refused "empty.yaml: no JSON; expected the file of an" explain empty.yaml --json out.json
  refused "got '0x10'; numbers are decimal" run amla --heads 0x10 $out
  refused "got '0x10'; numbers are decimal" run amla --split-kv 0x10 $out
  refused "got '0x10'; numbers are decimal" run amla --set gm.l2_latency_us=0x10 $out
  refused "got '0x10'; numbers are decimal" run amla --set scalar.queue_depth=0x10 $out
  refused "none.elf" run amla --firmware none.elf $out
  refused "cut.elf" run amla --firmware cut.elf $out
  refused "q.npy" run amla --firmware q.npy $out
  refused "no/such/dir" run amla --q q.npy --kv kv.npy --out no/such/dir/o.npy --json out.json
  refused "/dev/full" run amla --q q.npy --kv kv.npy --out /dev/full --json out.json
  refused "/dev/full" run amla --q q.npy --kv kv.npy --json /dev/full --out out.npy
  refused "/dev/full" run amla --q q.npy --kv kv.npy --timeline /dev/full --out out.npy
}
left=$(find . -newer few.yaml -type f ! -name stdout ! -name stderr ! -name few.yaml ! -name empty.yaml ! -name broken.yaml ! -name round.yaml)
[ -z "$left" ] || { echo "FAILED: left behind: $left"; failed=1; }
echo "$tests bad inputs"
exit $failed
