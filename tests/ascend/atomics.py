# Arrays of atomics.cpp: what is in memory before, the operands, and what memory makes of them.
# SPDX-License-Identifier: Apache-2.0
import numpy as np

rng = np.random.default_rng(5)
TYPES = ['f4', 'f2', 'bf16', 'i4', 'i2', 'i1']


def rounded(x):
    """The BF16 nearest to an FP32, as an FP32."""
    bits = x.astype('f4').view('u4')
    return ((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000).astype('u4').view('f4')


def draw(kind):
    if kind[0] == 'i':
        return rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, 256 // int(kind[1]), kind, endpoint=True)
    size = 64 if kind == 'f4' else 128
    x = (rng.normal(size=size) * 2.0 ** rng.integers(-6, 7, size)).astype('f4')
    return rounded(x) if kind == 'bf16' else x.astype(kind)


def stored(x, kind):
    return (x.view('u4') >> 16).astype('u2').view('u1') if kind == 'bf16' else x.view('u1')


def combined(op, m, x, kind):
    y = [m + x, np.maximum(m, x), np.minimum(m, x)][op]
    return rounded(y) if kind == 'bf16' else y


before, operands, after = [], [], []
for op in range(3):
    for kind in TYPES:
        m, x = draw(kind), draw(kind)
        for rows, values in ((before, m), (operands, x), (after, combined(op, m, x, kind))):
            rows.append(stored(values, kind))
for name, rows in (('before', before), ('operands', operands), ('after', after)):
    np.save(f'atomic_{name}.npy', np.array(rows).view('i4'))
a, b, c = (rng.normal(size=shape).astype('f2') for shape in ((16, 16), (16, 48), (16, 48)))
for name, x in (('a', a), ('b', b), ('c', c)):
    np.save(f'atomic_{name}.npy', x)
np.save('atomic_sum.npy', c + (a.astype('f8') @ b.astype('f8')).astype('f2'))
