#!/bin/sh
# python/amalgam.py: the same bits as by files, numbers as a dict, errors as exceptions.
# SPDX-License-Identifier: Apache-2.0
for python in python3 /usr/bin/python3 ''; do
  [ -n "$python" ] || { echo "no numpy"; exit 77; }
  ! "$python" -c 'import numpy' 2>/dev/null || break
done
. "$(dirname "$0")/../../script.sh"
"$MKNPY" q.npy '<u2' 8,64
"$MKNPY" kv.npy '<u2' 128,64
"$SIM" run amla --q q.npy --kv kv.npy --golden none -q --out want.npy
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$ROOT/python AMALGAM=$SIM "$python" - <<'END'
import amalgam
import numpy

q, kv = numpy.load("q.npy"), numpy.load("kv.npy")
want = amalgam.from_bf16(numpy.load("want.npy"))
first = amalgam.run("amla", q=q, kv=kv)
assert first.out.dtype == numpy.float32 and numpy.array_equal(first.out, want)
assert first.json["kernel"] == "amla" and first.json["cycles"] > 0 and "cycles" in first.text
values = amalgam.run("amla", q=amalgam.from_bf16(q), kv="kv.npy", options=["--golden", "none"])
assert numpy.array_equal(values.out, want)
x = numpy.random.default_rng(0).normal(size=1000).astype("<f4")
assert numpy.array_equal(amalgam.bf16_bits(amalgam.from_bf16(amalgam.bf16_bits(x))), amalgam.bf16_bits(x))
assert numpy.abs(amalgam.from_bf16(amalgam.bf16_bits(x)) / x - 1).max() <= 2.0 ** -8
timed = amalgam.run("base", options=["--heads", 16, "--seq-kv", 256, "--timing-only"], out=False)
assert timed.out is None and timed.json["timing_only"]
try:
    amalgam.run("amla", q=q[:, :32], kv=kv)
    raise SystemExit("a wrong shape is taken")
except amalgam.Error as error:
    assert error.code == 2 and "shape" in str(error), error
print("all as expected")
END
