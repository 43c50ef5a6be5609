#!/bin/sh
# Several AI cores: the bits do not depend on how many, on host threads or on how the memory slices
# are modelled; the cycles do not depend on the last two, nor on whether anything is computed.
# SPDX-License-Identifier: Apache-2.0
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
chip='--config ascend910 --set soc.ai_cores=6 --set gm.slices=16'

say() { if [ "$1" = ok ]; then echo "ok $2"; else echo "FAILED $2"; failed=1; fi; }

# run NAME KERNEL OPTIONS...: the output to NAME.npy, the cycles to NAME.cycles
run() {
  name=$1
  shift
  out="--out $dir/$name.npy"
  case " $* " in *" --timing-only "*) out= ;; esac
  # shellcheck disable=SC2086
  "$SIM" run "$@" --out-f32 $out --quiet --json "$dir/$name.json"
  jq .cycles "$dir/$name.json" >"$dir/$name.cycles"
  [ -s "$dir/$name.cycles" ] || say no "$name has no cycles"
}

same() { cmp -s "$dir/$1" "$dir/$2" && say ok "$1 = $2" || say no "$1 differs from $2"; }
differ() { cmp -s "$dir/$1" "$dir/$2" && say no "$1 = $2" || say ok "$1 differs from $2"; }

for kernel in amla base; do
  for shape in '--heads 40 --seq-q 2 --seq-kv 1100 --batch 7' '--heads 128 --seq-kv 600 --batch 9'; do
    # shellcheck disable=SC2086
    {
      run one $kernel $shape --gm c --threads 1
      run chip_c $kernel $shape $chip --gm c --threads 1 --verify
      run chip_rtl $kernel $shape $chip --gm rtl --threads 1
      run threads $kernel $shape $chip --gm c --threads 3
      run rtl_threads $kernel $shape $chip --gm rtl --threads 2
      run fewer $kernel $shape $chip --gm c --cores 4
      run timing $kernel $shape $chip --gm c --timing-only
      run cold $kernel $shape $chip --gm c --l2 cold
      run cold_timing $kernel $shape $chip --gm c --l2 cold --timing-only
    }
    for other in chip_c chip_rtl threads rtl_threads fewer cold; do
      same one.npy $other.npy
    done
    for other in chip_rtl threads rtl_threads timing; do
      same chip_c.cycles $other.cycles
    done
    same cold.cycles cold_timing.cycles
    differ cold.cycles chip_c.cycles
    differ one.cycles chip_c.cycles
  done
done
exit $failed
