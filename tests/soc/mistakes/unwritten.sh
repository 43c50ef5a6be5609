#!/bin/sh
# Results that depend on bytes that nobody wrote are reported with both lines, and padding that is thrown away is not.
# SPDX-License-Identifier: Apache-2.0
source=$PWD/firmware/unwritten.c
. "$(dirname "$0")/../../script.sh"

{
  printf '\223NUMPY\001\000\166\000'
  printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), }"
  head -c 128 /dev/zero
} >in.npy
line_of() { grep -n "// $1\$" "$source" | cut -d: -f1; }
run() {   # run FIRMWARE WRONG OPTION...
  program=$1 wrong=$2
  shift 2
  timeout 60 "$SIM" run custom --firmware "$FIRMWARE/tests/$program" --in in.npy --out-shape 4 --param "$wrong" \
    --json r.json "$@" >said 2>err
}

for kind in elf so; do
  run unwritten.$kind 0
  holds '.unwritten == null' r.json || fail "$kind: $(cat said)"
  ! grep -q warning said || fail "$kind: $(cat said)"
  for wrong in 1 2; do   # a row that is not loaded; a sum over the padding
    run unwritten.$kind $wrong
    grep -q "^warning  array 'out' depends on bytes of UB 0x[0-9a-f]* that nobody wrote: read by vector0_0 V: VEC .*unwritten.c:$(line_of read) .*, stored by vector0_0 MTE3: COPY_OUT .*unwritten.c:$(line_of store) " said ||
      fail "$kind $wrong: $(cat said)"
    holds '.unwritten | length == 1 and (.[0].array == "out") and (.[0].space == "UB") and (.[0].stores == 1)' r.json ||
      fail "$kind $wrong: $(cat r.json)"
  done
  holds '.unwritten[0].address == 32' r.json || fail "$kind: not the first byte of the padding"
  run unwritten.$kind 3   # a store from where nothing is
  grep -q "^warning  array 'out' gets bytes of UB 0x820 that nobody wrote: stored by vector0_0 .*unwritten.c:$(line_of store) " said ||
    fail "$kind 3: $(cat said)"
  run unwritten.$kind 1 --no-init-check
  ! grep -q warning said || fail "$kind: --no-init-check: $(cat said)"
done

# Results of which nobody stores all: a warning, exit code 1 and the first element, whatever the shape and after several
# launches; with an expected result too, where 0xFF bytes might be right.
unstored() {   # unstored WRONG SHAPE COUNT FIRST OPTION...
  wrong=$1 shape=$2 count=$3 first=$4 status=0
  shift 4
  timeout 60 "$SIM" run custom --firmware "$FIRMWARE/tests/unwritten.$kind" --in in.npy --out-shape "$shape" --param "$wrong" \
    --json r.json "$@" >said 2>err || status=$?
  text="$count of [0-9]* elements of array 'out' were never stored, first $(echo "$first" | sed 's/[][]/\\&/g')"
  [ $status -eq 1 ] && grep -q "^amalgam: $text\$" err && grep -q "^warning  $text\$" said || fail "$wrong $shape: $status $(cat err said)"
  holds ".unstored == [{array: \"out\", elements: $count, of: .unstored[0].of, first: $first}]" r.json
}
for kind in elf so; do
  unstored 4 4 4 '[0]'
  unstored 5 4 1 '[3]' --launches 2
  unstored 5 2,2 1 '[1,1]'
  unstored 0 2,4 4 '[1,0]'
  unstored 0 3,2,3 14 '[0,1,1]'
  unstored 5 4 1 '[3]' --threads 1 --out o.npy --out-type i4
  unstored 5 4 1 '[3]' --expect o.npy --out-type i4
done
status=0
run unwritten.elf 5 --no-init-check || status=$?
[ $status -eq 0 ] && holds 'has("unstored") | not' r.json || fail "--no-init-check: $status $(cat err said)"

# The same whoever carries out the arithmetic, and after several launches.
run unwritten.elf 1 --threads 1
jq .unwritten r.json >one
run unwritten.elf 1 --threads 4
jq .unwritten r.json | cmp - one
run unwritten.elf 1 --launches 3
holds '.unwritten[0].stores == 3' r.json || fail "launches: $(jq .unwritten r.json)"
echo "unwritten bytes: found where they matter"
