"""Amalgam from Python: arrays in, arrays and numbers out.

    import amalgam
    result = amalgam.run("amla", q=q, kv=kv, options=["--cores", "2"])
    result.out          # the result as an array, BF16 as float32
    result.json         # all numbers of the run, as docs/output.schema.json describes them

    result = amalgam.ascend("add.cpp", x=x, y=y, n=len(x), out={"z": ("f16", len(x))})
    result.out["z"]     # results of a kernel in Ascend C or PTO

It runs the command `amalgam` (or what $AMALGAM names, such as the script of a checkout). Standard library and numpy.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import tempfile
from collections import namedtuple

import numpy

Result = namedtuple("Result", "out json text")


class Error(RuntimeError):
    """The command failed: its line, and its exit code (1 out of tolerance, 2 bad input, 3 stopped)."""

    def __init__(self, code, text):
        super().__init__(text.strip())
        self.code = code


def bf16_bits(values):
    """The bits ('<u2') of values rounded to BF16, to nearest even."""
    bits = numpy.ascontiguousarray(values, dtype="<f4").view("<u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def from_bf16(bits):
    """The float32 values of BF16 bits."""
    return (numpy.asarray(bits).astype("<u4") << 16).view("<f4")


def command(*words):
    """Runs `amalgam WORDS...`, and returns what it prints."""
    program = os.environ.get("AMALGAM", "amalgam")
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(done.returncode, done.stderr)
    return done.stdout


def _file(folder, name, array):
    """A file with the array, or the one that it names."""
    if isinstance(array, (str, os.PathLike)):
        return array
    path = os.path.join(folder, name + ".npy")
    numpy.save(path, numpy.ascontiguousarray(array))
    return path


def _numbers(folder):
    with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
        return json.load(file)


def run(kernel, options=(), out=True, **arrays):
    """`amalgam run KERNEL`: each array is the option of its name (block_table is --block-table); options: other words.

    numpy arrays go as they are: float32 and float16 by their values, uint16 as BF16 bits. Without `out` there is no result.
    """
    with tempfile.TemporaryDirectory(prefix="amalgam-") as folder:
        words = ["run", kernel, *options, "--json", os.path.join(folder, "run.json")]
        for name, array in arrays.items():
            words += ["--" + name.replace("_", "-"), _file(folder, name, array)]
        result = os.path.join(folder, "out.npy")
        text = command(*words, *(["--out", result] if out else []))
        numbers = _numbers(folder)
        values = numpy.load(result) if out else None
    bf16 = values is not None and values.dtype == numpy.uint16 and kernel != "custom"
    return Result(from_bf16(values) if bf16 else values, numbers, text)


def ascend(source, options=(), out=(), inout=(), workspace=(), **arguments):
    """`amalgam run ascend SOURCE`: arguments are numbers, arrays or files of parameters by their names.

    out: by name the type (f32 f16 bf16 i64 i32 i16 i8 u8) and the shape; inout: by name arrays that are read and written;
    workspace: by name bytes. The result's `out` has the arrays of out and inout by name, BF16 as float32.
    """
    shapes = dict(out)
    with tempfile.TemporaryDirectory(prefix="amalgam-") as folder:
        words = ["run", "ascend", source, *options, "--json", os.path.join(folder, "run.json")]
        for name, value in arguments.items():
            number = numpy.ndim(value) == 0 and not isinstance(value, os.PathLike)
            words += ["--arg", f"{name}={value if number else _file(folder, name, value)}"]
        results = {name: os.path.join(folder, name + ".out.npy") for name in (*shapes, *inout)}
        for name, (kind, shape) in shapes.items():
            words += ["--out", f"{name}:{kind}[{','.join(map(str, numpy.atleast_1d(shape)))}]={results[name]}"]
        for name, array in dict(inout).items():
            words += ["--inout", f"{name}={_file(folder, name, array)},{results[name]}"]
        for name, size in dict(workspace).items():
            words += ["--workspace", f"{name}={size}"]
        text = command(*words)
        values = {name: numpy.load(path) for name, path in results.items()}
        numbers = _numbers(folder)
    for name in shapes:
        if shapes[name][0] == "bf16":
            values[name] = from_bf16(values[name])
    return Result(values, numbers, text)
