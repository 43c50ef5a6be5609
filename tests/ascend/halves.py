# Inputs of halves.cpp; with its result's name, the comparison.
# SPDX-License-Identifier: Apache-2.0
import sys
import numpy as np

x = (2 * np.random.default_rng(4).normal(size=192)).astype('f2')
if len(sys.argv) == 1:
    np.save('halves.npy', x)
    sys.exit()
y, v = np.load(sys.argv[1]), x.astype('f8')
part = v.reshape(3, 64)[:, :60]
e = np.exp(part - part.max(1, keepdims=True))
soft = np.full((3, 64), np.nan)
soft[:, :60] = e / e.sum(1, keepdims=True)
wants = [1 / (1 + np.exp(-v)), v / (1 + np.exp(-v)), v / (1 + np.exp(-2 * v)),
         v / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v ** 3))), v / (1 + np.exp(-1.702 * v)), np.tanh(v),
         part.sum(1), part.mean(1), np.repeat(v[:20], 16), np.tile(v[:64], 5), soft.ravel(), v.max(), v.min(), v.sum(),
         3 + np.arange(192) / 2]
for row, want in enumerate(wants):
    off = abs(y[row, :np.size(want)] - want) > 4e-3 * np.maximum(1, abs(want))
    assert not off.any(), (row, y[row, :np.size(want)], want)
assert (y[11, 1:2].view('u2'), y[12, 1:2].view('u2')) == (v.argmax(), v.argmin())
quant = np.clip(np.rint((x * np.float16(20) + np.float16(3)).astype('f2')), -128, 127)
assert (y[15, :96].view('i1') == quant).all()
