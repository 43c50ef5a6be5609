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
import os

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

x, y = numpy.random.default_rng(1).normal(size=(2, 20480)).astype("f2")
added = amalgam.ascend(f"{os.environ['SW']}/ascend/examples/add.cpp", x=x, y=y, n=x.size, out={"z": ("f16", x.size)})
assert numpy.array_equal(added.out["z"], x + y) and added.json["kernel"] == "ascend"
counted = amalgam.ascend(f"{os.environ['ROOT']}/tests/ascend/counter.cpp", out={"y": ("i32", 2)}, options=["--blocks", 1],
                         inout={"w": numpy.arange(40, 48, dtype="i4")})
assert counted.out["y"].tolist() == [42, 41] and counted.out["w"].tolist() == [42, *range(42, 49)], counted.out
try:
    amalgam.ascend(f"{os.environ['SW']}/ascend/examples/add.cpp", x=x, y=y[:8], n=x.size, out={"z": ("f16", x.size)})
    raise SystemExit("a kernel reads what is not there")
except amalgam.Error as error:
    assert error.code == 3 and "add.cpp:" in str(error), error
print("all as expected")
END
