#!/usr/bin/python3
"""arrays.py FOLDER: the array of FOLDER/q.npy ('<u2', BF16 bits) in all forms in which people have it, and broken ones."""
# SPDX-License-Identifier: Apache-2.0
import json
import struct
import sys
import zipfile


def npy(descr, shape, data, fortran=False):
    text = repr({"descr": descr, "fortran_order": fortran, "shape": shape})
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def safetensors(tensors):
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def archive(name, members, how=zipfile.ZIP_STORED):
    with zipfile.ZipFile(name, "w", how) as file:
        for member, data in members.items():
            file.writestr(member, data)


def main(folder):
    whole = open(folder + "/q.npy", "rb").read()
    length = struct.unpack("<H", whole[8:10])[0]
    shape = eval(whole[10:10 + length].decode())["shape"]   # pylint: disable=eval-used
    bits = whole[10 + length:]
    count = len(bits) // 2
    values = [struct.unpack("<f", struct.pack("<I", b << 16))[0] for b in struct.unpack(f"<{count}H", bits)]
    # Values that FP16 and BF16 both have: eight bits, 2^-7 and up.
    both = [float(round(v * 32)) / 32 for v in values]
    half = struct.pack(f"<{count}e", *both)
    same = b"".join(struct.pack("<f", v)[2:] for v in both)
    inexact = struct.pack(f"<{count}e", *both[:-1], 1.0009765625)
    f = folder + "/"
    write(f + "V2.npy", npy("|V2", shape, bits))
    write(f + "V2_little.npy", npy("<V2", shape, bits))
    write(f + "half.npy", npy("<f2", shape, half))
    write(f + "half_as_bf16.npy", npy("<u2", shape, same))
    write(f + "inexact.npy", npy("<f2", shape, inexact))
    write(f + "inexact_as_bf16.npy", npy("<u2", shape, same[:-2] + struct.pack("<f", 1.0)[2:]))
    write(f + "fortran.npy", npy("<u2", shape, bits, True))
    write(f + "V4.npy", npy("|V4", shape, bits * 2))
    archive(f + "stored.npz", {"q.npy": whole, "other.npy": b"?"})
    archive(f + "deflated.npz", {"q.npy": whole, "a:b.npz.npy": whole}, zipfile.ZIP_DEFLATED)
    archive(f + "bad.npz", {"q.npy": whole[:-2], "long.npy": whole + b"x", "none.npy": b"", "text.txt": b"x",
                            "huge.npy": npy("<u2", (1 << 40,), b"")})
    write(f + "cut.npz", open(f + "stored.npz", "rb").read()[:-30])
    flipped = bytearray(open(f + "deflated.npz", "rb").read())
    flipped[200] ^= 0xff
    write(f + "flipped.npz", bytes(flipped))
    # One bit of a stored member's first, middle and last byte of data, which no other check sees.
    for name, at in (("first", 0), ("middle", len(bits) // 2), ("last", len(bits) - 1)):
        flipped = bytearray(open(f + "stored.npz", "rb").read())
        flipped[flipped.index(bits) + at] ^= 1
        write(f + name + ".npz", bytes(flipped))
    with zipfile.ZipFile(f + "twice.npz", "w") as file:
        for name in ("q.npy", "a", "q.npy", "a", "b.npy"):
            file.writestr(name, whole)
    write(f + "m.safetensors", safetensors({"layer.q": ("BF16", shape, bits), "u": ("U16", shape, bits),
                                            "half": ("F16", shape, half), "d": ("F64", (2,), bytes(16)),
                                            "deep": ("BF16", (1,) * 6, bytes(2))}))
    write(f + "plain.npz:q", whole)   # a file of that name comes first


if __name__ == "__main__":
    main(sys.argv[1])
