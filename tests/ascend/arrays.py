# Inputs of the kernels, and what they should give; with results' names, the comparison.
# SPDX-License-Identifier: Apache-2.0
import sys
import numpy as np

rng = np.random.default_rng(7)
x16, y16 = rng.normal(size=(2, 20480)).astype('f2')
x = (3 * rng.normal(size=(37, 100))).astype('f4')
a, b = (2 * rng.normal(size=(2, 100))).astype('f4')
i = rng.integers(-1000, 1000, size=100).astype('i4')
s = np.arange(8, dtype='i8') * 3 - 5


def bits(v):   # FP32 of V's bits
    return np.packbits(v, bitorder='little')


def rows():
    d = np.float64
    full = np.full(100, np.nan)

    def one(v):
        r = full.copy()
        r[:np.size(v)] = v
        return r
    h = a.astype('f2')
    m = 40 + np.arange(0)
    masked = a.copy()
    masked[:10] += b[:10]
    return [a + b, a - b, a * b, a / b, np.maximum(a, b), np.minimum(a, b), a + np.float32(1.5), a * np.float32(-2),
            np.exp(d(a)), np.log(np.abs(d(a))), np.sqrt(np.abs(d(a))), 1 / np.sqrt(np.abs(d(a))), 1 / d(a), np.abs(a),
            np.maximum(a, 0), d(a) * b + 1, h.astype('f4'), np.rint(a), one(a.sum(dtype=d)), one(a.max()), one(a.min()),
            np.where(a > b, a, b), np.where(a < 0, a, np.float32(7)), masked], m


def integers():
    return [i + 5, i * 3, i << 2, i >> 3, a.astype('i4'), np.floor(a).astype('i4'), np.full(100, 42), np.abs(s).sum() + 0 * i]


if len(sys.argv) == 1:
    e = np.exp(x - x.max(1, keepdims=True).astype('f8'))
    np.save('softmax.npy', (e / e.sum(1, keepdims=True)).astype('f4'))
    for name, value in (('x16', x16), ('y16', y16), ('sum16', x16 + y16), ('x', x), ('a', a), ('b', b), ('i', i), ('s', s)):
        np.save(name + '.npy', value)
    open('t.bin', 'wb').write(np.array([100, 42], 'i4').tobytes())
else:
    y, n, after = (np.load(name) for name in sys.argv[1:])
    for row, want in enumerate(rows()[0]):
        mask = ~np.isnan(want)
        off = np.abs(y[row] - want)[mask] > 3e-6 * np.maximum(1, np.abs(want[mask]))
        assert not off.any(), (row, y[row][mask][off], want[mask][off])
    for row, want in enumerate(integers()):
        assert (n[row] == want).all(), (row, n[row], want)
    assert (after == s[::-1] + 1).all(), after
