# Inputs of tiles.cpp; with its result's name, what each call should give.
# SPDX-License-Identifier: Apache-2.0
import sys
import numpy as np

rng = np.random.default_rng(11)
R, C = 16, 200
x, w = (2 * rng.normal(size=(2, R, C))).astype('f4')
h, g = (2 * rng.normal(size=(2, R, C))).astype('f2')
i = rng.integers(0, R * 96, size=(R, C)).astype('i4')


def elements(x, w, valid):
    a, b = x[:, :valid], w[:, :valid]
    d, e, t = a.astype('f8'), b.astype('f8'), a.dtype.type
    low, high = d.min(1, keepdims=True), d.max(1, keepdims=True)
    exp = np.exp(d).astype(a.dtype)
    loose = 2e-2 if a.dtype == np.float16 else 2e-5
    for want in (d + e, d - e, d * e, d / e, np.maximum(d, e), np.minimum(d, e), d + 2, d - 3, d / 2, d / 3,
                 np.maximum(d, .25), np.minimum(d, .25), -d, np.maximum(d, 0), np.where(d > 0, d, d / 2), abs(d),
                 np.sqrt(abs(d)), 1 / e, exp, np.log(exp.astype('f8')), 7 + 0 * d, 7 + 2 * d, e):
        yield want.astype(a.dtype), 1e-3 if a.dtype == np.float16 else 3e-6
    for want in (d.sum(1, keepdims=True) + 0 * d, d - high, d * low, e / low, d.sum(0) + 0 * d, d - d.max(0), d * e[1]):
        yield want.astype(a.dtype), loose
    yield low.astype(a.dtype), 0


def padded():
    low = np.full((R, 48), -np.inf, 'f4')
    low[:11, :37] = x[:11, :37]
    yield low, 0
    yield low.astype('f2'), 0
    yield np.floor(np.maximum(low, -100)).astype('i4'), 0
    zero = np.zeros((R, 64), 'f4')
    zero[:11, :37] = np.maximum(x[:11, :37], -100)
    yield zero, 0
    yield h[:, :45].astype('f4'), 0


def chosen():
    a, b = x[:, :96], w[:, :96]
    yield np.where(a > b, a, b), 0
    yield np.where(a <= 0, a, np.float32(9)), 0
    yield a.ravel()[i[:, :96]], 0
    yield i[:, :96] << 3, 0
    yield i[:, :96] ^ (i[:, :96] << 3), 0
    yield np.sort(b[0])[::-1].copy(), 0


def all_of_them():
    yield from elements(x, w, 197)
    yield from elements(h, g, 32)
    yield from padded()
    yield from ((v, 0) for v in (x[:, :40].T, h[:, :32].T, x[:, 3]))
    yield from chosen()


def words(array):   # it takes so many, in blocks of 8
    return (array.nbytes + 31) // 32 * 8


if len(sys.argv) == 1:
    for name, value in (('x', x), ('w', w), ('h', h), ('g', g), ('i', i)):
        np.save(name + '.npy', value)
    print(sum(words(want) for want, _ in all_of_them()))
else:
    y, at = np.load(sys.argv[1]), 0
    for number, (want, most) in enumerate(all_of_them()):
        have = y[at:at + words(want)].view(want.dtype)[:want.size].reshape(want.shape)
        at += words(want)
        with np.errstate(invalid='ignore', over='ignore'):
            off = ~((have == want) | (abs(have - want.astype('f8')) <= most * np.maximum(1, abs(want.astype('f8')))))
        assert not off.any(), (number, np.argwhere(off)[:3], have[off][:3], want[off][:3])
