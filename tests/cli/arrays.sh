#!/bin/sh
# Arrays as people have them: whatever form they come in, the result has the same bits; what is wrong with one is said.
# SPDX-License-Identifier: Apache-2.0
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
. "$(dirname "$0")/../script.sh"

"$MKNPY" q.npy '<u2' 8,64
"$MKNPY" kv.npy '<u2' 128,64
python3 "$ROOT/tests/cli/arrays.py" .

# same ARRAY WANT: as if it were WANT.
same() {
  array=$1 want=$2
  shift 2
  "$SIM" run amla --q "$want" --kv kv.npy --golden none -q --out want.npy
  "$SIM" run amla --q "$array" --kv kv.npy --golden none -q --out have.npy "$@" || fail "$array: exit code"
  cmp want.npy have.npy || fail "$array: other bits"
}
for array in V2.npy V2_little.npy stored.npz:q stored.npz:q.npy deflated.npz:q deflated.npz:a:b.npz \
  m.safetensors:layer.q m.safetensors:u "$dir/stored.npz:q" plain.npz:q; do
  same "$array" q.npy
done
same half.npy half_as_bf16.npy
same half.npy half_as_bf16.npy --round
same m.safetensors:half half_as_bf16.npy
same inexact.npy inexact_as_bf16.npy --round
same - q.npy <q.npy
cat q.npy | same - q.npy   # a pipe

# Every other kernel that takes arrays.
equal() {   # equal KERNEL OPTION...: with the archive and with the file; @ is the array
  for array in q.npy deflated.npz:q m.safetensors:layer.q; do
    # shellcheck disable=SC2046
    "$SIM" run $(echo "$*" | sed "s|@|$array|g") -q --out "$(echo "$array" | tr -c 'a-z\n' _)"
  done
  cmp q_npy deflated_npz_q && cmp q_npy m_safetensors_layer_q || fail "run $*"
}
equal flash --q @ --k @ --v @
equal hfa --impl c --q @ --k @ --v @
equal base --q @ --k kv.npy --v kv.npy
"$SIM" run flash --q half.npy --k half.npy --v half.npy --dtype bf16 -q --out a.npy
"$SIM" run flash --q half_as_bf16.npy --k half_as_bf16.npy --v half_as_bf16.npy -q --out b.npy
cmp a.npy b.npy || fail "flash: FP16 that is BF16"
"$SIM" run hfa --impl c --q m.safetensors:half --k half.npy --v half.npy -q --out a.npy
"$SIM" run hfa --impl c --q half_as_bf16.npy --k half_as_bf16.npy --v half_as_bf16.npy -q --out b.npy
cmp a.npy b.npy || fail "hfa: FP16 that is BF16"

# refused ARRAY PATTERN: one line that names it, exit code 2, and no file.
refused() {
  array=$1 pattern=$2 status=0
  shift 2
  "$SIM" run amla --q "$array" --kv kv.npy --out out.npy "$@" >out 2>err || status=$?
  [ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -qF -e "$pattern" err && [ ! -e out.npy ] && [ ! -s out ] ||
    fail "$array: exit code $status, $(cat err); expected '$pattern'"
}
refused inexact.npy "inexact.npy: dtype '<f2', and BF16 lacks 1.00098 at [7,63]; expected BF16, '<f4', or --round"
refused fortran.npy 'fortran.npy: Fortran order; expected C order'
refused V4.npy "V4.npy: dtype '|V4'; expected"
refused stored.npz 'stored.npz: an archive; expected stored.npz:NAME; it has q, other'
refused stored.npz: 'expected stored.npz:NAME'
refused stored.npz:k "stored.npz: no array 'k'; it has q, other"
refused stored.npz:other 'stored.npz:other: not a .npy file'
refused none.npz:q 'none.npz: No such file'
refused q.npz:q 'q.npz: No such file'
cp q.npy a.npz
refused a.npz:q 'a.npz: Not a zip archive; expected an archive as np.savez writes it'
refused cut.npz:q 'cut.npz: '
refused flipped.npz:q 'flipped.npz:q: '
for name in first middle last; do
  refused $name.npz:q "$name.npz:q: CRC error"
done
refused twice.npz:q 'twice.npz:q: 2 arrays of that name; expected one'
refused twice.npz:a 'twice.npz:a: 2 arrays of that name; expected one'
"$SIM" run amla --q twice.npz:b --kv kv.npy -q
refused bad.npz:q 'bad.npz:q: truncated'
refused bad.npz:long 'bad.npz:long: 1 bytes of trailing data'
refused bad.npz:none 'bad.npz:none: not a .npy file'
refused bad.npz:huge 'bad.npz:huge: truncated'
refused m.safetensors 'm.safetensors: a file of tensors; expected m.safetensors:NAME; it has d, deep, half, layer.q, u'
refused m.safetensors:layer "m.safetensors: no tensor 'layer'; it has d"
refused m.safetensors:d 'm.safetensors:d: dtype F64; expected BF16'
refused m.safetensors:deep 'm.safetensors:deep: 6 dimensions; expected at most 4'
refused - 'standard input: not a .npy file' </dev/null
head -c 700 q.npy >short
refused - 'standard input: truncated' <short
cat q.npy q.npy >twice
refused - 'standard input: trailing data' <twice
status=0
"$SIM" run amla --q - --kv - <q.npy 2>err || status=$?
[ $status = 2 ] && grep -q 'standard input holds one array' err || fail "- twice: $(cat err)"

# An archive is nobody's output; what is read from standard input cannot be explained.
cp stored.npz own.npz
status=0
"$SIM" run amla --q own.npz:q --kv kv.npy --out own.npz 2>err || status=$?
[ $status = 2 ] && cmp -s own.npz stored.npz || fail "--out is the archive: $(cat err)"
"$SIM" run amla --q - --kv kv.npy -q --json r.json <q.npy
status=0
"$SIM" explain r.json 2>err || status=$?
[ $status = 2 ] && grep -q 'that run read standard input' err || fail "explain: $(cat err)"
"$SIM" run amla --q stored.npz:q --kv kv.npy -q --json r.json
"$SIM" explain r.json -q

# Keys of an archive to FP8 tokens and back.
"$MKNPY" keys.npy '<u2' 5,576
python3 - <<'END'
import zipfile
with zipfile.ZipFile("keys.npz", "w") as file:
    file.write("keys.npy")
END
"$SIM" convert keys.npz:keys a.npy -q
"$SIM" convert keys.npy b.npy -q
"$SIM" convert - c.npy -q <keys.npy
cmp a.npy b.npy && cmp a.npy c.npy || fail "convert"
echo "all as expected"
