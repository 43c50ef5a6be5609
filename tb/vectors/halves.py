#!/usr/bin/env python3
"""Sums of 16-bit numbers, round to nearest even, as testfloat_gen prints them: halves.py f16|bf16 COUNT SEED.

In whole numbers of the smallest subnormal: a sum is exact there, and rounded once.
SPDX-License-Identifier: Apache-2.0"""
import random
import sys


def parts(bits, fraction):
    """What is behind an exponent, and the exponent."""
    return bits & ((1 << fraction) - 1), (bits & 0x7FFF) >> fraction


def value(bits, fraction):
    """In smallest subnormals; None: infinite or a NaN."""
    low, exponent = parts(bits, fraction)
    if exponent == 0x7FFF >> fraction:
        return None
    size = low if exponent == 0 else (low + (1 << fraction)) << (exponent - 1)
    return -size if bits >> 15 else size


def rounded(size, fraction):
    """The bits of a size, and flags."""
    cut = max(size.bit_length() - fraction - 1, 0)
    kept, lost = size >> cut, size & ((1 << cut) - 1)
    if lost * 2 > 1 << cut or (lost * 2 == 1 << cut and lost and kept & 1):
        kept += 1
    bits, infinity = kept + (cut << fraction), 0x7FFF >> fraction << fraction
    return (infinity, 5) if bits >= infinity else (bits, 1 if lost else 0)


def add(a, b, fraction):
    """The sum's bits, and flags."""
    infinity, nan = 0x7FFF >> fraction << fraction, 0x7FFF >> (fraction - 1) << (fraction - 1)
    nans = [x for x in (a, b) if x & 0x7FFF > infinity]
    if nans:
        return nan, 0x10 if any(not x >> (fraction - 1) & 1 for x in nans) else 0
    infinite = [x for x in (a, b) if x & 0x7FFF == infinity]
    if infinite:
        return (infinite[0], 0) if infinite[0] == infinite[-1] else (nan, 0x10)
    total = value(a, fraction) + value(b, fraction)
    if total == 0:
        return a & b & 0x8000, 0
    bits, flags = rounded(abs(total), fraction)
    return bits | (0x8000 if total < 0 else 0), flags


def number(fraction):
    """Any bits, or those in which carries and ties matter."""
    low = random.choice([0, 1, (1 << fraction) - 1, 1 << random.randrange(fraction), random.getrandbits(fraction)])
    top = 0x7FFF >> fraction
    exponent = random.choice([0, 1, top, top - 1, random.randrange(top), random.randrange(top // 2, top // 2 + 12)])
    return random.choice([random.getrandbits(16), random.getrandbits(1) << 15 | exponent << fraction | low])


def main():
    name, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    fraction = {"f16": 10, "bf16": 7}[name]
    random.seed(seed)
    print(f"# {name} additions, round to nearest even: a b a+b flags, hexadecimal, in the format of testfloat_gen")
    print("# (flags: 10 invalid, 04 overflow, 01 inexact).")
    print(f"# Generator: halves.py {' '.join(sys.argv[1:])}, in whole numbers. SPDX-License-Identifier: Apache-2.0")
    for i in range(count):
        a = number(fraction)
        b = number(fraction) if i % 3 else (a ^ 0x8000) + random.randrange(-4, 5) & 0xFFFF
        bits, flags = add(a, b, fraction)
        print(f"{a:04X} {b:04X} {bits:04X} {flags:02X}")


main()
