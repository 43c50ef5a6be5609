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
rows16 = (3 * rng.normal(size=(37, 256))).astype('f2')
weight = rng.normal(size=256).astype('f2')
tile_a = (rng.normal(size=(64, 128)) / 8).astype('f2')
tile_b = (rng.normal(size=(128, 96)) / 8).astype('f2')


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
            np.where(a > b, a, b), np.where(a < 0, a, np.float32(7)), masked] + library() + picked(), m


def filled(*parts):   # parts at their places, 0 elsewhere
    r = np.zeros(100)
    for at, part in parts:
        r[at:at + np.size(part)] = np.ravel(part)
    return r


def library():
    v = a.astype('f8')
    tile = v[:96].reshape(3, 32)
    e = np.exp(tile[:, :30] - tile[:, :30].max(1, keepdims=True))
    soft = np.full((3, 32), np.nan)
    soft[:, :30] = e / e.sum(1, keepdims=True)
    padded = np.append(soft.ravel(), [0] * 4)
    first, both = v[:32].max(), v[:64].max()
    sums = tile[:, :30].sum(1)
    quant = np.clip(np.rint((a * np.float32(20) + np.float32(3)).astype('f2')), -128, 127)
    return [1 / (1 + np.exp(-v)), v / (1 + np.exp(-v)), v / (1 + np.exp(-2 * v)),
            v / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v ** 3))), v / (1 + np.exp(-1.702 * v)), np.tanh(v),
            np.floor(a), np.ceil(a), np.trunc(a), padded,
            filled((0, np.exp(v[32:64] - both)), (32, [np.exp(v[:64] - both).sum()] * 8), (40, [both] * 8),
                   (48, [np.exp(first - both)] * 8)),
            filled((0, sums)), filled((0, sums / 30)), filled((0, np.repeat(a[:12], 8))), filled((0, np.tile(a[:32], 3))),
            quant]


def picked():
    order = np.argsort(-a[:96], kind='stable')
    patterns = [a[:90:2], a[1:90:2]] + [a[k:90:4] for k in range(4)] + [a[:90]]
    chosen = a[:50][a[:50] > b[:50]]
    lists = [np.sort(a[32 * k:32 * k + 32])[::-1] for k in range(2)]
    end = max(lists[0][-1], lists[1][-1])
    taken = [(part >= end).sum() for part in lists]
    merged = np.sort(np.concatenate(lists))[::-1][:sum(taken)]
    rows8 = np.append(a[:96], [0] * 32).reshape(16, 8)
    rows16 = np.append(a, [0] * 156).reshape(16, 16).astype('f2')
    three = a[:96].reshape(12, 8)[:, :3]
    return [filled((0, a[order])), filled((0, order))] + [filled((0, p), (96, [p.size] * 4)) for p in patterns] + [
        filled((0, chosen), (96, [chosen.size] * 4)),
        filled((88, [taken[0]] * 8), (96, [taken[1]] * 4), (0, merged)),
        rows8.T.ravel()[:100], rows16.T.ravel()[:100],
        filled((0, [a.max(), a.argmax()]), (8, [a.min(), a.argmin()])), 2 - np.arange(100) / 2,
        filled((0, np.pad(three, ((0, 0), (0, 5)), constant_values=-1.25))), np.full(100, 2.5)]


def integers():
    return [i + 5, i * 3, i << 2, i >> 3, a.astype('i4'), np.floor(a).astype('i4'), np.full(100, 42), np.arange(100) - 7,
            np.abs(s).sum() + 0 * i]


def bf16(v):
    return (np.asarray(v, 'f4').view('u4') >> 16).astype('u2')


def cube():   # inputs and results of matmul.cpp, cube_calls.cpp and meet.cpp
    m, n, k = 100, 77, 150
    a, b = rng.normal(size=(m, k)).astype('f2'), rng.normal(size=(k, n)).astype('f2')
    bias = rng.normal(size=n).astype('f4')
    v = a.astype('f8') @ b + bias
    yield from dict(left=a, right=b, turned=np.ascontiguousarray(b.T), bias=bias, activated=np.where(v < 0, v / 4, v)).items()

    a, b = bf16(rng.normal(size=(20, 48))), bf16(rng.normal(size=(48, 32)))
    wide_a, wide_b = ((v.astype('u4') << 16).view('f4').astype('f8') for v in (a, b))
    c = wide_a @ wide_b
    strips = [v.reshape(20, 2, 16).transpose(1, 0, 2) for v in (c, np.maximum(c, 0))]
    padded = np.pad(a, ((0, 12), (0, 0)))
    yield 'strips_a', padded.reshape(32, 3, 16).transpose(1, 0, 2).copy()
    yield 'strips_b', b.reshape(3, 16, 2, 16).transpose(2, 0, 1, 3).copy()
    yield 'strips_c', np.stack(strips)

    a, b = rng.integers(-128, 128, size=(2, 20, 64)), rng.integers(-128, 128, size=(64, 40))
    s = (a.sum(0) @ b).astype('i4')
    scale = 1 / (64 + np.arange(40, dtype='f4'))
    yield from dict(bytes_a=a.astype('i1'), bytes_b=b.astype('i1'), sums=s, scaled=(np.maximum(s, 0) / 128).astype('f2'),
                    scales=np.stack([scale, 0 * scale], 1), columns=(s.astype('f4') * scale).astype('f2')).items()

    a, b, c = (rng.integers(-128, 128, size=size) for size in ((32, 64), (64, 32), (32, 32)))
    scale = 1 / (200 + np.arange(32, dtype='f4'))
    q = np.clip(np.rint(np.maximum(a @ b, 0).astype('f4') * scale), -128, 127)
    yield from dict(again_a=a.astype('i1'), again_b=b.astype('i1'), again_c=c.astype('i1'), again=(q @ c).astype('i4'),
                    again_scales=np.stack([scale, 0 * scale], 1)).items()

    a, b = rng.integers(-3, 4, size=(2, 32, 32)), rng.integers(-3, 4, size=(32, 32))
    x = a @ b @ b
    y, z, half = 2 * x + 1, 3 * x, x.reshape(2, 2, 512)
    y.reshape(2, 2, 512)[:, :, 1] = y.reshape(2, 2, 512)[:, :, 0]
    z.reshape(2, 2, 512)[:, :, 0] += half[:, :, 0]
    yield from dict(waits_a=a.astype('f2'), waits_b=b.astype('f2'), waits_y=y, waits_z=z).items()

    a, b, c = (rng.integers(-8, 8, size=size) for size in ((16, 64), (40, 64), (16, 40)))
    yield from dict(parts_a=a.astype('f2'), parts_b=b.astype('f2'), before=c.astype('f4'), after_all=c + a @ b.T).items()
    m, n, k = 70, 90, 100
    a, b = rng.normal(size=(m, k)).astype('f2'), rng.normal(size=(k, n)).astype('f2')
    yield from dict(object_a=a, object_b=b, object_c=(a.astype('f8') @ b).astype('f2')).items()
    a, b = bf16(rng.normal(size=(k, m))), bf16(rng.normal(size=(n, k)))
    wide_a, wide_b = ((v.astype('u4') << 16).view('f4').astype('f8') for v in (a, b))
    yield from dict(turned_a=a, turned_b=b, turned_c=wide_a.T @ wide_b.T + 1).items()
    for name, rows, order in (('whole.bin', 40, 0), ('tiles.bin', m, 1)):
        sizes = [1, m, n, k, k, rows, n, k, 32, 48, 64] + [0] * 6 + [order] + [0] * 32
        open(name, 'wb').write(np.array(sizes, 'i4').tobytes())
    yield 'met', np.array([1103, 1101], 'i4')


if len(sys.argv) == 1:
    e = np.exp(x - x.max(1, keepdims=True).astype('f8'))
    np.save('softmax.npy', (e / e.sum(1, keepdims=True)).astype('f4'))
    r = rows16.astype('f8')
    normal = r / np.sqrt((r * r).mean(1, keepdims=True) + 1e-6) * weight.astype('f8')
    np.save('normal.npy', normal.astype('f4'))
    np.save('normal16.npy', normal.astype('f2'))
    np.save('counts.npy', np.arange(40, 48, dtype='i4'))
    np.save('tile_a.npy', tile_a)
    np.save('tile_b.npy', tile_b)
    np.save('tile_turned.npy', tile_b.T.copy())
    p = np.maximum(tile_a.astype('f8') @ tile_b.astype('f8'), 0).astype('f2').astype('f8')
    np.save('tile_d.npy', (p @ p.T).astype('f4'))
    np.save('tile_c.npy', (2 * tile_a.astype('f8') @ tile_b.astype('f8')).astype('f4'))
    for name, value in (('rows16', rows16), ('weight', weight), ('x16', x16), ('y16', y16), ('sum16', x16 + y16), ('x', x), ('a', a), ('b', b), ('i', i), ('s', s)):
        np.save(name + '.npy', value)
    for name, value in cube():
        np.save(name + '.npy', value.astype('f4') if value.dtype in ('f8', 'i8') else value)
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
