# Inputs and expected arrays of the kernels of `list`: arrays.py NAME SOURCE writes them here, and prints options.  If what
# SOURCE has is a function that others call, kernel.cpp, written here too, is the kernel.  With a file told, the run has to
# be stopped, and what it says has to have each of that file's lines.
# SPDX-License-Identifier: Apache-2.0
import os
import struct
import sys
import numpy as np

rng = np.random.default_rng(3)
BLOCKS = 2


def save(**arrays):
    for name, array in arrays.items():
        np.save(name + '.npy', array)


def inputs(**arrays):
    save(**arrays)
    return [f'--arg {name}={name}.npy' for name in arrays]


def numbers(**values):
    return [f'--arg {name}={value}' for name, value in values.items()]


def result(name, type, want, tolerance=None):
    save(**{name + '_want': want})
    return [f"--out {name}:{type}[{','.join(map(str, want.shape))}]", f'--expect {name}={name}_want.npy'] + (
        [f'--tolerance {tolerance}'] if tolerance else [])


def changed(name, before, want):
    save(**{name: before, name + '_want': want})
    return [f'--inout {name}={name}.npy', f'--expect {name}={name}_want.npy']


def tiling(name, form, *values):
    open('tiling.bin', 'wb').write(struct.pack('<' + form, *values))
    return [f'--tiling {name}=tiling.bin']


def helloworld():
    x, y = rng.normal(size=(2, 16384)).astype('f2')
    return inputs(x=x, y=y) + numbers(totalLength=16384) + result('z', 'f16', x + y)


def alloc_extend():
    pages = 16
    before, more = rng.integers(1, 100, size=(2, BLOCKS))   # of more, one reads over the other
    after, free = before + more, rng.permutation(200)
    last, taken, want = before * 3, 0, []
    for b, a, l in zip(before, after, last):
        slots = l + 1 + np.arange(min(a, -(-b // pages) * pages) - b)
        count = -(-a // pages) - -(-b // pages)
        whole = (free[taken:taken + count, None] * pages + np.arange(pages)).ravel()
        want.append(np.concatenate([slots, whole])[:a - b])
        taken += count
    want = np.concatenate(want)
    return (inputs(pre_lens_in=before, seq_lens_in=after, last_loc_in=last, free_pages_in=free) +
            result('out_indices_in', 'i64', want) + ['--inout values_in=v.npy', '--arg workspace_in=null'] +
            tiling('tiling_gm_in', 'iiixxxxq', BLOCKS, pages, BLOCKS, want.size)), save(v=np.zeros(1, 'i8'))


def build_tree():   # trees of 4 tokens, of which two follow the root
    batch, topk, depth, n = 3, 2, 3, 4
    parents = np.tile(np.array([-1, 0, 1, 2, 3]), (batch, 1))
    picked = np.tile(np.array([0, 1, 2]), (batch, 1))
    lengths = np.array([5, 7, 9])
    mask = np.zeros((batch, n, n), bool)
    where, index = np.zeros((2, batch, n), 'i8')
    child, sibling = np.full((2, batch, n), -1)
    for b in range(batch):
        index[b] = b * n + np.arange(n)
        up = [None] + [0 if picked[b, i] // topk == 0 else
                       1 + list(picked[b]).index(parents[b, picked[b, i] // topk]) for i in range(n - 1)]
        for i in range(n):
            at, mask[b, i, 0] = i, True
            while at:
                mask[b, i, at], where[b, i], at = True, where[b, i] + 1, up[at]
            where[b, i] += lengths[b]
        for i in range(n - 1, 0, -1):
            child[b, up[i]], sibling[b, i] = i, child[b, up[i]]
    outs = dict(positions=where, retrive_index=index, retrive_next_token=child, retrive_next_sibling=sibling)
    size = int((lengths.sum() + n * batch) * n)
    before = np.ones(size, bool)
    want, at = before.copy(), 0
    for b in range(batch):
        for i in range(n):
            want[at + lengths[b]:at + lengths[b] + n] = mask[b, i]
            at += lengths[b] + n
    return (inputs(parent_list=parents, selected_index=picked, verified_seq_len=lengths) +
            changed('tree_mask', before, want) + sum((result(k, 'i64', v) for k, v in outs.items()), []) +
            ['--arg workspace_in=null'] + tiling('tiling_in', 'qqqqiiiiixxxx', topk, depth, n, 0, batch, size, 1, 2, 1))


def cache(update):
    batch, steps, rows, columns = 6, 16, 8, 64
    pool = rng.integers(0, 1000, size=(rows, columns)).astype('i4')
    slots = rng.permutation(rows)[:batch]
    start = rng.integers(0, 32, size=batch)
    end = start + rng.integers(1, steps, size=batch)
    places = rng.integers(0, 1000, size=batch * steps).astype('i4')
    wanted, wanted_places, at = pool.copy(), places.copy(), 0
    for slot, s, e in zip(slots, start, end):
        wanted[slot, s:e] = places[at:at + e - s]
        wanted_places[at:at + e - s] = pool[slot, s:e]
        at += e - s
    common = inputs(reqPoolIndices=slots, startOffset=start, endOffset=end) + numbers(assignMode=int(update))
    count = -(-batch // 4) * 4
    used = 1 if update else BLOCKS
    plan = tiling('tilingGM', '16Q', 2, used, rows, batch, batch // used, batch % used, columns, count, 8 * count, 16, 64,
                  count, 8 * count, batch * steps, batch * steps, 4 * batch * steps)
    if update:
        return common + inputs(tokenPool=pool) + changed('outCacheLoc', places, wanted_places) + plan + ['--blocks 1']
    return common + inputs(outCacheLoc=places) + changed('tokenPool', pool, wanted) + plan


def cache_assign():
    return cache(False)


def cache_update():
    return cache(True)


def assign_cache():
    batch, columns, blocks = 4, 64, 1
    before, more = rng.integers(0, 1000, size=(2, batch, columns)).astype('i4')
    lengths, to = rng.integers(1, 30, size=(2, batch))
    begins = np.arange(batch) * columns
    want = before.copy()
    for b in range(batch):
        want[b, to[b]:to[b] + lengths[b]] = more[b, :lengths[b]]
    flags = np.zeros(16 * blocks + 8, 'i4')
    return (changed('dstPtr', before, want) + changed('sync', flags, flags) + inputs(
        srcPtr=more, dstStartIdxPtr=to, dstEndIdxPtr=to + lengths, srcStartIdxPtr=begins, srcEndIdxPtr=begins + lengths) +
        [f'--blocks {blocks}'] + tiling('tilingPtr', '5I', batch, columns, 4, 96, 4096))


def bitmask(type):
    rows, words = 3, 1024
    logits = rng.normal(size=(rows, words)).astype(type)
    keep = rng.integers(0, 2, size=(rows, words)).astype(bool)
    bits = np.packbits(keep, axis=1, bitorder='little').view('i4')
    want = np.where(keep, logits, np.array(-np.inf, type))
    return (inputs(bitmask=bits) + changed('logits', logits, want) +
            numbers(numRows=rows, vocabSize=words, logitsStride=words, bitmaskStride=words // 32, baseRows=rows // BLOCKS,
                    extraCores=rows % BLOCKS, tileLength=512, blockDim=BLOCKS, dtypeSize=logits.itemsize))


def bitmask_fp16():
    return bitmask('f2') + ['--entry apply_token_bitmask_fp16']


def bitmask_fp32():
    return bitmask('f4') + ['--entry apply_token_bitmask_fp32']


def causal_conv1d():
    batch, length, dim, width = 4, 3, 64, 4
    x = rng.normal(size=(batch, length, dim)).astype('f2')
    w = rng.normal(size=(width, dim)).astype('f2')
    bias = rng.normal(size=dim).astype('f2')
    state = rng.normal(size=(batch, width - 1, dim)).astype('f2')
    window = np.concatenate([state, x], 1)
    y = sum(window[:, k:k + length].astype('f8') * w[k].astype('f8') for k in range(width)) + bias.astype('f8')
    y = (y / (1 + np.exp(-y))).astype('f4')
    return (inputs(x=x, weight=w, bias=bias) + changed('conv_state', state, window[:, length:]) +
            result('y', 'f16', y.astype('f2'), 0.01) +
            [f'--arg {n}=null' for n in ('conv_state_indices', 'num_accepted_tokens', 'query_start_loc', 'workspace')] +
            tiling('tiling', '14q', BLOCKS, batch // BLOCKS, batch // BLOCKS, batch, length, dim, width, width - 1, 0, 1, 0,
                   0, 1, -1) + ['--entry causal_conv1d_update_half'])


def lora(groups, ranks, shrink):
    batch, hidden, rank, loras = 6, 512, 16, 3
    of_block = np.array([2, 0, 1, 0, 2, 1] if not groups else [2, 0, 1])
    lengths = np.array([2, 3, 1])
    which = np.repeat(of_block, lengths) if groups else of_block
    kind = 'i4' if ranks else 'i8'
    x = rng.normal(size=(batch, hidden if shrink else rank)).astype('f2' if shrink else 'f4')
    w = (rng.normal(size=(loras, rank, hidden) if shrink else (loras, hidden, rank)) / 8).astype('f2')
    y = np.einsum('bi,boi->bo', x.astype('f8'), w[which].astype('f8'))
    names = dict(loraIndices=of_block.astype(kind)) if groups else dict(indices=of_block)
    counts = dict(loraIndicesSize=of_block.size) if groups else dict(indicesSize=of_block.size)
    if groups:
        names['seqLen'], counts['seqLenSize'] = lengths.astype(kind), lengths.size
    if ranks:
        names['loraRanks'], counts['loraRanksSize'] = np.full(loras, rank, 'i4'), loras
    if ranks and shrink:
        names['loraScales'], counts['loraScalesSize'] = np.full(loras, 0.5, 'f2'), loras
    common = numbers(batchSize=batch, numTokensPerCore=batch // BLOCKS, maxLoRARank=rank, **counts) + inputs(
        x=x, weight=w, **names)
    if shrink:
        return common + numbers(inputHiddenDim=hidden, **({} if ranks else dict(scale=0.5))) + result(
            'y', 'f32', (0.5 * y).astype('f4'), 1e-4)
    before = rng.normal(size=(batch, hidden)).astype('f2')
    common += inputs(yIn=before) + result('yOut', 'f16', (before + y).astype('f2'), 0.02) + numbers(outputFullDim=hidden)
    if not ranks:
        return common + numbers(outputHiddenDim=hidden, sliceOffset=0)
    return common + inputs(sliceOffsets=np.array([0, hidden], 'i4')) + numbers(sliceOffsetsSize=2)


def entry(name, parameters, call, text=None, before=''):   # a kernel that calls what SOURCE, or a changed text of it, has
    source = os.path.basename(sys.argv[2])
    if text:
        source = 'changed.cpp'
        open(source, 'w').write(text)
    open('kernel.cpp', 'w').write(f'''{before}#include "{source}"
extern "C" __global__ AICORE void {name}({parameters}) {{ {call}; }}
''')


def sums(tokens, text=None):   # in chunks of 128 tokens, of a block each in turn
    g = rng.normal(size=(1, tokens, 16)).astype('f4')
    want = np.concatenate([np.cumsum(g[:, t:t + 128], 1, 'f8') for t in range(0, tokens, 128)], 1)
    entry('k', 'GM_ADDR g, GM_ADDR y, GM_ADDR cu, int64_t n',
          'cumsum_kernel<16, 128>((float *)g, (float *)y, (int32_t *)cu, 1, n)', text)
    return inputs(g=g) + numbers(cu='null', n=tokens) + result('y', 'f32', want.astype('f4'), 2e-5) + ['--blocks 1']


def chunk_cumsum():
    return sums(128)


def chunk_cumsum_race():
    open('told', 'w').write('race in UB: no flag orders\nat chunk_cumsum.cpp:183\nat chunk_cumsum.cpp:231\n')
    return sums(300)


def chunk_cumsum_flag():   # from V to MTE2, where the source has one from MTE3 to V
    wait = 'wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);'
    more = ''.join(f'{w}_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);' for w in ('set', 'wait'))
    return sums(300, open(sys.argv[2]).read().replace(wait, wait + more))


def mega(name, call, x, y, kind, **more):
    vectors = '#include <pto/pto-inst.hpp>\n#undef __DAV_C220_CUBE__\n'   # the parts of vector cores alone
    entry('k', 'GM_ADDR x, GM_ADDR y, int64_t n, uint32_t m', call, before=vectors)
    return inputs(x=x) + numbers(**more) + result('y', kind, y) + ['--blocks 1 --entry k -D MEGA_STOP_AFTER_CUMSUM']


def mega_turn():   # a block takes one tile: of the next, the load is not ordered after the instruction that reads this one
    x = rng.normal(size=(128, 16)).astype('f4')
    return mega('turn', 'mega_transpose_TH_to_HT<float, 16>((float *)x, (float *)y, n)', x, x.T.copy(), 'f32', n=128, m=0)


def mega_turn_few():
    x = rng.normal(size=(300, 8)).astype('f2')
    return mega('turn', 'mega_transpose_TH_to_HT<half, 8>((half *)x, (half *)y, n)', x, x.T.copy(), 'f16', n=300, m=0)


def mega_narrow():   # likewise
    x = rng.normal(size=(1, 1, 128)).astype('f4')
    return mega('narrow', 'mega_cast_fp32_to_fp16_bsnd<1, 128>((float *)x, (half *)y, m, n)', x, x.astype('f2'), 'f16', n=1,
                m=1)


# Stages of a gated delta rule, in chunks of 128 tokens: heads of values share one of keys; each beside FP64.
TOKENS, HEADS, CHUNK, DIM = 256, 2, 128, 128


def gdn():
    def values(*shape):
        return (rng.normal(size=shape) / 8).astype('f2')
    q, k = values(2, TOKENS, 1, DIM)
    v, u, w = values(3, TOKENS, HEADS, DIM)
    beta = rng.uniform(.1, 1, size=(HEADS, TOKENS)).astype('f2')
    steps = rng.uniform(0, .02, size=(HEADS, TOKENS // CHUNK, CHUNK))
    g = -np.cumsum(steps, 2).reshape(HEADS, TOKENS).astype('f4')
    return q, k, v, u, w, beta, g


def chunks():   # head, number of the chunk, its tokens
    return [(h, i, slice(i * CHUNK, (i + 1) * CHUNK)) for h in range(HEADS) for i in range(TOKENS // CHUNK)]


def stage(parameters, call, arrays, outs, workspaces, more=''):
    entry('k', parameters + ', int64_t n', call)
    return (inputs(**arrays) + sum((result(n, 'f16', w.astype('f4'), 2e-3) for n, w in outs.items()), []) +
            [f'--workspace {n}={size}' for n, size in workspaces.items()] +
            [f'--arg n={TOKENS} --flags-left ok --blocks 1 {more}'])


def halves(names):
    return ', '.join(f'__gm__ {"float" if n in ("g", "mask") else "half"} *{n}' for n in names.split())


def kkt():
    _, k, _, _, _, beta, g = gdn()
    mask, a = np.tril(np.ones((CHUNK, CHUNK)), -1).astype('f4'), np.zeros((TOKENS, HEADS, CHUNK))
    for h, _, t in chunks():
        rows, gates = k[t, 0].astype('f8'), g[h, t].astype('f8')
        a[t, h] = rows @ rows.T * np.exp(np.minimum((gates + np.log(beta[h, t].astype('f8')))[:, None] - gates, 0)) * mask
    return stage(halves('k beta g mask ws a'), 'kkt_kernel<2, 128, 128>(k, beta, g, mask, ws, a, nullptr, 1, n, n, 1)',
                 dict(k=k, beta=beta, g=g, mask=mask), dict(a=a), dict(ws=65536))


def wy_fast():
    _, k, v, _, _, beta, g = gdn()
    a = (np.tril(rng.normal(size=(TOKENS // CHUNK, HEADS, CHUNK, CHUNK))) / 8).astype('f2')
    u, w = np.zeros((2, TOKENS, HEADS, DIM))
    for h, i, t in chunks():
        part = a[i, h] * beta[h, t].astype('f8')
        u[t, h], w[t, h] = part @ v[t, h], part * np.exp(g[h, t].astype('f8')) @ k[t, 0]
    return stage(halves('k v beta g a w1 w2 w u'),
                 'wy_fast_kernel<2, 128, 128>(k, v, beta, g, a, w1, w2, w, u, nullptr, 1, n, n, 1)',
                 dict(k=k, v=v, beta=beta, g=g, a=a.transpose(0, 2, 1, 3).reshape(TOKENS, HEADS, CHUNK).copy()),
                 dict(w=w, u=u), dict(w1=32768, w2=32768))


def chunk_o(more='--no-race-check'):
    q, k, v, _, _, _, g = gdn()
    s = (rng.normal(size=(TOKENS // CHUNK, HEADS, DIM, DIM)) / 8).astype('f2')
    mask, o = np.tril(np.ones((CHUNK, CHUNK))).astype('f4'), np.zeros((TOKENS, HEADS, DIM))
    for h, i, t in chunks():
        gates, rows = g[h, t].astype('f8'), q[t, 0].astype('f8')
        scores = rows @ k[t, 0].T * np.exp(np.minimum(gates[:, None] - gates, 0)) * mask
        o[t, h] = np.exp(gates)[:, None] * (rows @ s[i, h]) + scores @ v[t, h]
    return stage(halves('q k v s g mask w1 w2 w3 o'),
                 'chunk_o_kernel<2, 128, 128>(q, k, v, s, g, mask, w1, w2, w3, o, nullptr, 1, n, n, 1)',
                 dict(q=q, k=k, v=v, s=s, g=g, mask=mask), dict(o=o), dict(w1=32768, w2=32768, w3=32768), more)


def chunk_o_race():
    open('told', 'w').write('race in GM: no flag orders\nat chunk_o.cpp:512\nat chunk_o.cpp:891\n')
    return chunk_o('')


def chunk_h(more='--no-race-check'):
    _, k, _, u, w, _, g = gdn()
    s, v = np.zeros((TOKENS // CHUNK, HEADS, DIM, DIM)), np.zeros((TOKENS, HEADS, DIM))
    last = np.zeros((HEADS, DIM, DIM))
    for h, i, t in chunks():
        gates = g[h, t].astype('f8')
        s[i, h] = last[h]
        v[t, h] = u[t, h] - w[t, h] @ last[h]
        last[h] = np.exp(gates[-1]) * last[h] + (k[t, 0] * np.exp(gates[-1] - gates)[:, None]).T @ v[t, h]
    return stage(halves('k w u g s v last h0 ws'),
                 'chunk_h_kernel<2, 128, 128>(k, w, u, g, s, v, last, h0, 0, ws, nullptr, 1, n, n, 1)',
                 dict(k=k, w=w, u=u, g=g), dict(s=s, v=v, last=last), dict(ws=262144), '--arg h0=null ' + more)


def chunk_h_race():
    open('told', 'w').write('race in UB: no flag orders\nat chunk_h.cpp:684\nat chunk_h.cpp:663\n')
    return chunk_h('')


def tri_inverse():   # of I + m, m strictly triangular
    size, count = 64, 3
    m = (np.triu(rng.normal(size=(count, size, size)), 1) / 16).astype('f2')
    open('told', 'w').write('flag is up already, a wait is missing: cube0 MTE1: SET_FLAG to=M\nat tri_inverse_impl.cpp:263\n')
    entry('k', '__gm__ float *y, __gm__ half *m, __gm__ half *neg, uint32_t size, uint32_t count',
          'run_tri_inv_rec_unroll<half, 1, false>(y, m, neg, size, count, 0)')
    return (inputs(m=m, neg=-np.eye(size, dtype='f2')) + numbers(size=size, count=count) +
            result('y', 'f32', np.linalg.inv(np.eye(size) + m.astype('f8')).astype('f4'), 4e-3) + ['--blocks 1'])


def tri_inv():   # of upper triangles with ones on the diagonal; x is the inverse turned
    size, count = 16, 2
    m = np.triu(rng.normal(size=(count, size, size)), 1).astype('f4') / 4 + np.eye(size, dtype='f4')
    return (inputs(vec_in=m.transpose(0, 2, 1).copy()) + [f'--blocks {count} --entry tri_inv_col_sweep_fp32'] +
            result('vec_out', 'f32', np.linalg.inv(m.astype('f8')).transpose(0, 2, 1).astype('f4'), 1e-5) +
            tiling('tiling_gm', 'III', count, m.size, size))


def lora_cube(shrink):   # the cube's forms, whose tokens have two slices; a block for each
    hidden, rank, loras, slices = 512, 16, 3, 2
    of_block, lengths = np.array([2, 0, 1], 'i4'), np.array([2, 3, 1], 'i4')
    which = np.repeat(of_block, lengths)
    tokens, half = which.size, hidden // 2
    wide = [hidden, rank] if shrink else [rank, hidden]      # of inputs and of results
    x = rng.normal(size=(tokens, 1 if shrink else slices, wide[0])).astype('f2')
    parts = slices if shrink else 1
    w = (rng.normal(size=(loras, parts, wide[1], wide[0])) / 8).astype('f2')
    if shrink:
        y = np.einsum('tqi,tsoi->tso', x.astype('f8'), w[which].astype('f8'))
    else:   # a slice of the input for each half of the result
        y = np.einsum('tsi,tsoi->tso', x.astype('f8'), w[which].astype('f8').reshape(tokens, slices, half, rank))
    sizes = [1, 1, wide[1], wide[0], wide[0], 1, rank if shrink else half, wide[0], 16, 16 if shrink else 64, 64 if shrink else 16]
    common = (inputs(x=x, weight=w, loraIndices=of_block, seqLen=lengths, loraRanks=np.full(loras, rank, 'i4')) +
              numbers(loraIndicesSize=loras, seqLenSize=loras, loraRanksSize=loras, batchSize=tokens, maxLoRARank=rank) +
              tiling('tiling', '51i', 0, *sizes, *[0] * 39) +
              ['--workspace workspace=65536', f'--blocks {tokens * slices}', f'-I {os.path.dirname(os.path.abspath(__file__))}/include'])
    if shrink:
        return common + inputs(loraScales=np.full(loras, 0.5, 'f2')) + numbers(
            loraScalesSize=loras, inputHiddenDim=hidden, slices=slices) + result('y', 'f16', (0.5 * y).astype('f2'), 0.01)
    before = rng.normal(size=(tokens, hidden)).astype('f2')
    return common + inputs(yIn=before, sliceOffsets=np.array([0, half, hidden], 'i4')) + numbers(
        sliceOffsetsSize=slices + 1, outputFullDim=hidden) + result(
            'yOut', 'f16', (before + y.reshape(tokens, hidden)).astype('f2'), 0.01)


def sgemmc_shrink():
    return lora_cube(True)


def sgemmc_expand():
    return lora_cube(False)


for _kernel, _arguments in dict(bgmv=(False, False), sgmv=(True, False), sgemmv=(True, True)).items():
    for _way in ('shrink', 'expand'):
        globals()[f'{_kernel}_{_way}'] = lambda k=_kernel, a=_arguments, w=_way: lora(*a, w == 'shrink') + [
            f'--entry {k}_{w}_half']

options = globals()[sys.argv[1]]()
print(' '.join(options[0] if isinstance(options, tuple) else options))
