# A language model with random weights as its makers would publish it, and its logits, computed plainly:
#   reference.py FOLDER CASE    config.json, safetensors, tokens (numbers) and logits (lines of numbers) of one of `cases`
#   reference.py --list         their names
#   reference.py --compare FOLDER LOGITS.npy    the median over tokens of relative errors, and the largest
# Written from the models' papers and transformers' descriptions of their keys, apart from all that is tested.
# SPDX-License-Identifier: Apache-2.0
import json, math, os, random, struct, sys

COUNT = 45  # tokens


def bf16(x):
    return struct.unpack("<f", b"\0\0" + struct.pack("<f", x)[2:])[0]


def e4m3(code):
    sign, exponent, fraction = -1 if code > 127 else 1, code >> 3 & 15, code & 7
    return sign * (fraction / 8 * 2.0**-6 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 7))


class Model:
    def __init__(self, config, seed):
        self.c, self.draw, self.files, self.values = config, random.Random(seed), {}, {}

    def put(self, name, shape, values, kind="BF16", raw=None):
        if raw is None:
            raw = b"".join(struct.pack("<f", x)[2:] for x in values) if kind == "BF16" else struct.pack(f"<{len(values)}f", *values)
        self.files[name] = (kind, shape, raw)

    # A matrix of rows, or a vector; what is stored under the name is what comes back.
    def make(self, name, rows, columns, deviation=0.15, mean=0.0):
        values = [[bf16(self.draw.gauss(mean, deviation)) for _ in range(columns)] for _ in range(max(rows, 1))]
        if rows > 0 and self.c.get("fp8") and "proj" in name and "experts" in name or self.c.get("fp8") and "o_proj" in name:
            values = self.blocks(name, rows, columns)
        elif rows > 0 and self.c.get("s8") and "proj" in name:
            values = self.integers(name, rows, columns)
        else:
            self.put(name, [rows, columns] if rows > 0 else [columns], sum(values, []))
        return values if rows > 0 else values[0]

    # As compressed-tensors: a scale a row. The largest integers are not 127.
    def integers(self, name, rows, columns):
        codes = [[self.draw.randrange(-100, 101) for _ in range(columns)] for _ in range(rows)]
        scales = [bf16(0.002 + 0.002 * self.draw.random()) for _ in range(rows)]
        self.put(name, [rows, columns], None, "I8", struct.pack(f"{rows * columns}b", *sum(codes, [])))
        self.put(name + "_scale", [rows, 1], scales, self.c["s8"])
        return [[code * scale for code in row] for row, scale in zip(codes, scales)]

    def blocks(self, name, rows, columns):
        size = 32
        codes = [[self.draw.randrange(0, 0x50) | self.draw.randrange(2) << 7 for _ in range(columns)] for _ in range(rows)]
        wide, high = -(-columns // size), -(-rows // size)
        scales = [bf16(0.05 + 0.05 * self.draw.random()) for _ in range(wide * high)]
        self.put(name, [rows, columns], None, "F8_E4M3", bytes(sum(codes, [])))
        self.put(name + "_scale_inv", [high, wide], scales, self.c["fp8"])
        return [[e4m3(codes[r][k]) * scales[r // size * wide + k // size] for k in range(columns)] for r in range(rows)]


def dot(a, b):
    return math.fsum(map(lambda x, y: x * y, a, b))


def linear(w, x, bias=None):
    return [dot(row, x) + (bias[i] if bias else 0.0) for i, row in enumerate(w)]


def norm(x, weight, eps):
    scale = 1 / math.sqrt(math.fsum(v * v for v in x) / len(x) + eps)
    return [v * scale * w for v, w in zip(x, weight)]


def softmax(x, extra=None):
    top = max(x if extra is None else x + [extra])
    e = [math.exp(v - top) for v in x]
    total = math.fsum(e) + (0 if extra is None else math.exp(extra - top))
    return [v / total for v in e]


def silu(x):
    return x / (1 + math.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


# Turns of pairs, and what cosines and sines are multiplied by.
def rope(s, theta, dim, length, most):
    plain = [theta ** (-2 * i / dim) for i in range(dim // 2)]
    kind = s.get("rope_type", s.get("type", "default"))
    if kind == "linear":
        return [f / s["factor"] for f in plain], 1.0
    if kind == "llama3":
        old, out = s["original_max_position_embeddings"], []
        for f in plain:
            wave = 2 * math.pi / f
            if wave < old / s["high_freq_factor"]:
                out.append(f)
            elif wave > old / s["low_freq_factor"]:
                out.append(f / s["factor"])
            else:
                smooth = (old / wave - s["low_freq_factor"]) / (s["high_freq_factor"] - s["low_freq_factor"])
                out.append((1 - smooth) * f / s["factor"] + smooth * f)
        return out, 1.0
    if kind in ("longrope", "su"):
        old = s.get("original_max_position_embeddings", 4096)
        grow = most / old
        factors = s["long_factor"] if length > old else s["short_factor"]
        by = s.get("attention_factor") or (math.sqrt(1 + math.log(grow) / math.log(old)) if grow > 1 else 1.0)
        return [f / k for f, k in zip(plain, factors)], by
    if kind == "yarn":
        old = s.get("original_max_position_embeddings", most)
        factor = s.get("factor") or most / old
        edge = [dim * math.log(old / (n * 2 * math.pi)) / (2 * math.log(theta)) for n in (s.get("beta_fast", 32), s.get("beta_slow", 1))]
        low, high = (math.floor(edge[0]), math.ceil(edge[1])) if s.get("truncate", True) else edge
        low, high = max(low, 0), min(high, dim - 1)
        high += 0.001 if low == high else 0
        ramp = [min(max((i - low) / (high - low), 0), 1) for i in range(dim // 2)]
        grown = lambda m: 0.1 * m * math.log(factor) + 1 if factor > 1 else 1.0
        both = s.get("mscale") and s.get("mscale_all_dim")
        by = s.get("attention_factor") or (grown(s["mscale"]) / grown(s["mscale_all_dim"]) if both else grown(1))
        return [f / factor * r + f * (1 - r) for f, r in zip(plain, ramp)], by
    return plain, 1.0


def turn(x, turns, by, position, pairs):
    out = list(x)
    for i, f in enumerate(turns):
        a, b = (2 * i, 2 * i + 1) if pairs else (i, i + len(turns))
        c, s = math.cos(position * f) * by, math.sin(position * f) * by
        out[a], out[b] = x[a] * c - x[b] * s, x[b] * c + x[a] * s
    return out


def attend(q, keys, values, scale, first, sink=None):
    p = softmax([scale * dot(q, k) for k in keys[first:]], sink)
    return [math.fsum(w * v[d] for w, v in zip(p, values[first:])) for d in range(len(values[0]))]


def latents(m, c, name, xs, scaling, theta):
    heads, nope, r, v = (c[k] for k in ("num_attention_heads", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    rank, low, hidden = c["kv_lora_rank"], c.get("q_lora_rank"), c["hidden_size"]
    if low:
        qa, qn = m.make(name + "q_a_proj.weight", low, hidden), m.make(name + "q_a_layernorm.weight", 0, low, 0.1, 1)
        qb = m.make(name + "q_b_proj.weight", heads * (nope + r), low)
    else:
        wq = m.make(name + "q_proj.weight", heads * (nope + r), hidden)
    kva, kvn = m.make(name + "kv_a_proj_with_mqa.weight", rank + r, hidden), m.make(name + "kv_a_layernorm.weight", 0, rank, 0.1, 1)
    kvb, wo = m.make(name + "kv_b_proj.weight", heads * (nope + v), rank, 0.05), m.make(name + "o_proj.weight", hidden, heads * v)
    turns, by = rope(scaling, theta, r, len(xs), c["max_position_embeddings"])
    all_dim = scaling.get("mscale_all_dim", 0)
    scale = (nope + r) ** -0.5 * ((0.1 * all_dim * math.log(scaling["factor"]) + 1) ** 2 if all_dim else 1)
    keys, values, out = [[] for _ in range(heads)], [[] for _ in range(heads)], []
    for t, x in enumerate(xs):
        q = linear(qb, norm(linear(qa, x), qn, 1e-6)) if low else linear(wq, x)
        kv = linear(kva, x)
        shared = turn(kv[rank:], turns, by, t, True)
        up = linear(kvb, norm(kv[:rank], kvn, 1e-6))
        o = []
        for h in range(heads):
            part = up[h * (nope + v):(h + 1) * (nope + v)]
            keys[h].append(part[:nope] + shared)
            values[h].append(part[nope:])
            mine = q[h * (nope + r):(h + 1) * (nope + r)]
            o += attend(mine[:nope] + turn(mine[nope:], turns, by, t, True), keys[h], values[h], scale, 0)
        out.append(linear(wo, o))
    return out


def heads(m, c, name, xs, scaling, theta, window):
    n, kv, hidden, kind = c["num_attention_heads"], c["num_key_value_heads"], c["hidden_size"], c["model_type"]
    dim = c.get("head_dim") or hidden // n
    plus = 1.0 if kind == "gemma3_text" else 0.0
    biased = kind == "qwen2" or c.get("attention_bias")
    if kind == "phi3":
        all_of = m.make(name + "qkv_proj.weight", (n + 2 * kv) * dim, hidden)
        wq, wk, wv = all_of[:n * dim], all_of[n * dim:(n + kv) * dim], all_of[(n + kv) * dim:]
    else:
        wq, wk, wv = (m.make(name + p, r * dim, hidden) for p, r in (("q_proj.weight", n), ("k_proj.weight", kv), ("v_proj.weight", kv)))
    bq, bk, bv = (m.make(name + p, 0, r * dim) if biased else None for p, r in (("q_proj.bias", n), ("k_proj.bias", kv), ("v_proj.bias", kv)))
    wo = m.make(name + "o_proj.weight", hidden, n * dim)
    bo = m.make(name + "o_proj.bias", 0, hidden) if c.get("attention_bias") and kind != "glm4_moe" else None
    whole = kind == "olmo2"
    normed = kind in ("qwen3", "qwen3_moe", "gemma3_text", "olmo2") or c.get("use_qk_norm")
    qn, kn = ([w + plus for w in m.make(name + p, 0, r * dim if whole else dim, 0.1, 1 - plus)] if normed else None
              for p, r in (("q_norm.weight", n), ("k_norm.weight", kv)))
    sinks = m.make(name + "sinks", 0, n, 1.0) if kind == "gpt_oss" else None
    share = scaling.get("partial_rotary_factor", c.get("partial_rotary_factor", 0.5 if kind == "glm4_moe" else 1.0))
    turned = int(dim * share)
    turns, by = rope(scaling, theta, turned, len(xs), c["max_position_embeddings"])
    scale = (c.get("query_pre_attn_scalar", 256) if kind == "gemma3_text" else dim) ** -0.5
    eps, keys, values, out = c["rms_norm_eps"], [[] for _ in range(kv)], [[] for _ in range(kv)], []

    def parts(w, bias, x, weight, count, position):
        y = linear(w, x, bias)
        y = norm(y, weight, eps) if whole and weight else y
        y = [y[h * dim:(h + 1) * dim] for h in range(count)]
        y = [norm(h, weight, eps) if weight and not whole else h for h in y]
        return [turn(h[:turned], turns, by, position, False) + h[turned:] for h in y]

    for t, x in enumerate(xs):
        v = linear(wv, x, bv)
        for h, key in enumerate(parts(wk, bk, x, kn, kv, t)):
            keys[h].append(key)
            values[h].append(v[h * dim:(h + 1) * dim])
        first, o = max(0, t + 1 - window) if window else 0, []
        for h, q in enumerate(parts(wq, bq, x, qn, n, t)):
            o += attend(q, keys[h * kv // n], values[h * kv // n], scale, first, sinks[h] if sinks else None)
        out.append(linear(wo, o, bo))
    return out


def dense(m, c, name, width, act=silu):
    hidden = c["hidden_size"]
    if c["model_type"] == "phi3":
        both = m.make(name + "gate_up_proj.weight", 2 * width, hidden)
        gate, up = both[:width], both[width:]
    else:
        gate, up = m.make(name + "gate_proj.weight", width, hidden), m.make(name + "up_proj.weight", width, hidden)
    down = m.make(name + "down_proj.weight", hidden, width)
    return lambda x: linear(down, [act(g) * u for g, u in zip(linear(gate, x), linear(up, x))])


def best(x, count):
    return sorted(range(len(x)), key=lambda i: (-x[i], i))[:count]


def mixture(m, c, name, xs):
    kind, hidden, top = c["model_type"], c["hidden_size"], c["num_experts_per_tok"]
    count = c.get("n_routed_experts") or c.get("num_experts") or c.get("num_local_experts")
    width = c.get("moe_intermediate_size") or c["intermediate_size"]
    if kind == "gpt_oss":
        router, rb = m.make(name + "mlp.router.weight", count, hidden), m.make(name + "mlp.router.bias", 0, count)
        raw = {}
        for part, rows, columns in (("gate_up_proj", hidden, 2 * width), ("down_proj", width, hidden)):
            raw[part] = [[[bf16(m.draw.gauss(0, 0.15)) for _ in range(columns)] for _ in range(rows)] for _ in range(count)]
            m.put(name + "mlp.experts." + part, [count, rows, columns], sum(sum(raw[part], []), []))
            raw[part + "_bias"] = [[bf16(m.draw.gauss(0, 0.15)) for _ in range(columns)] for _ in range(count)]
            m.put(name + "mlp.experts." + part + "_bias", [count, columns], sum(raw[part + "_bias"], []))

        def expert(e, x):
            gu = [dot(column, x) + b for column, b in zip(zip(*raw["gate_up_proj"][e]), raw["gate_up_proj_bias"][e])]
            limit = c.get("swiglu_limit", 7.0)
            gate, up = [min(g, limit) for g in gu[::2]], [min(max(u, -limit), limit) for u in gu[1::2]]
            h = [(u + 1) * g / (1 + math.exp(-1.702 * g)) for g, u in zip(gate, up)]
            return [dot(column, h) + b for column, b in zip(zip(*raw["down_proj"][e]), raw["down_proj_bias"][e])]

        experts = [lambda x, e=e: expert(e, x) for e in range(count)]
    elif kind == "mixtral":
        router, rb = m.make(name + "block_sparse_moe.gate.weight", count, hidden), None
        experts = []
        for e in range(count):
            w1, w2, w3 = (m.make(f"{name}block_sparse_moe.experts.{e}.{w}.weight", *((hidden, width) if w == "w2" else (width, hidden))) for w in ("w1", "w2", "w3"))
            experts.append(lambda x, w1=w1, w2=w2, w3=w3: linear(w2, [silu(g) * u for g, u in zip(linear(w1, x), linear(w3, x))]))
    else:
        router, rb = m.make(name + "mlp.gate.weight", count, hidden), None
        experts = [dense(m, c, f"{name}mlp.experts.{e}.", width) for e in range(count)]
    sigmoid = kind in ("glm4_moe", "deepseek_v3")
    correction = m.make(name + "mlp.gate.e_score_correction_bias", 0, count, 0.3) if sigmoid else None
    shared = dense(m, c, name + "mlp.shared_experts.", width * c["n_shared_experts"]) if c.get("n_shared_experts") else None
    groups, kept = c.get("n_group", 1), c.get("topk_group", 1)
    out = []
    for x in xs:
        logits = linear(router, x, rb)
        if sigmoid:
            scores = [1 / (1 + math.exp(-v)) for v in logits]
            choice = [s + b for s, b in zip(scores, correction)]
            size = count // groups
            value = [sum(sorted(choice[g * size:(g + 1) * size])[-2:]) for g in range(groups)]
            chosen_groups = best(value, kept)
            choice = [v if i // size in chosen_groups else -1e9 for i, v in enumerate(choice)]
        else:
            scores = choice = softmax(logits)
        chosen = best(choice, top)
        total = sum(scores[e] for e in chosen)
        normal = kind in ("mixtral", "gpt_oss") or c.get("norm_topk_prob", sigmoid)
        y = shared(x) if shared else [0.0] * hidden
        for e in chosen:
            w = scores[e] / (total if normal else 1) * c.get("routed_scaling_factor", 1.0)
            y = [a + w * b for a, b in zip(y, experts[e](x))]
        out.append(y)
    return out


def is_mixture(c, layer):
    if c["model_type"] in ("mixtral", "gpt_oss"):
        return True
    if c["model_type"] == "qwen3_moe":
        return layer not in c.get("mlp_only_layers", []) and (layer + 1) % c.get("decoder_sparse_step", 1) == 0
    return c["model_type"] in ("glm4_moe", "deepseek_v3") and layer >= c["first_k_dense_replace"]


def window_of(c, layer):
    kind, size = c["model_type"], c.get("sliding_window")
    if kind in ("llama", "olmo2", "glm4_moe", "deepseek_v3") or not size or kind.startswith("qwen") and not c.get("use_sliding_window"):
        return 0
    if "layer_types" in c:
        return size if c["layer_types"][layer] == "sliding_attention" else 0
    if kind == "gemma3_text":
        return size if (layer + 1) % c.get("sliding_window_pattern", 6) else 0
    if kind == "gpt_oss":
        return 0 if layer % 2 else size
    return size if kind not in ("qwen2", "qwen3") or layer >= c["max_window_layers"] else 0


# Scaling and base of a layer, of files in the old form and in the new one.
def rope_of(c, windowed):
    new, gemma = c.get("rope_parameters"), c["model_type"] == "gemma3_text"
    if new:
        new = new.get("sliding_attention" if windowed else "full_attention", new)
        return new, new["rope_theta"]
    if gemma and windowed:
        return {}, c.get("rope_local_base_freq", 1e4)
    scaling = dict(c.get("rope_scaling") or {})
    if "original_max_position_embeddings" in c:
        scaling["original_max_position_embeddings"] = c["original_max_position_embeddings"]
    return scaling, c.get("rope_theta", {"gemma3_text": 1e6, "mixtral": 1e6, "gpt_oss": 150000}.get(c["model_type"], 1e4))


def logits_of(m, tokens, prefix):
    c = m.c
    hidden, kind, eps = c["hidden_size"], c["model_type"], c["rms_norm_eps"]
    plus = 1.0 if kind == "gemma3_text" else 0.0
    weight = lambda name: [w + plus for w in m.make(name, 0, hidden, 0.1, 1 - plus)]
    embedding = m.make(prefix + "embed_tokens.weight", c["vocab_size"], hidden, 0.5)
    xs = [[v * (math.sqrt(hidden) if plus else 1) for v in embedding[t]] for t in tokens]
    add = lambda ys: [[a + b for a, b in zip(x, y)] for x, y in zip(xs, ys)]
    for layer in range(c["num_hidden_layers"]):
        name = f"{prefix}layers.{layer}."
        window = window_of(c, layer)
        scaling, theta = rope_of(c, window > 0)
        before, after = kind != "olmo2", kind in ("olmo2", "gemma3_text")
        w = weight(name + "input_layernorm.weight") if before else None
        inputs = [norm(x, w, eps) for x in xs] if before else xs
        if kind == "deepseek_v3":
            ys = latents(m, c, name + "self_attn.", inputs, scaling, theta)
        else:
            ys = heads(m, c, name + "self_attn.", inputs, scaling, theta, window)
        w = weight(name + "post_attention_layernorm.weight")
        xs = add([norm(y, w, eps) for y in ys] if after else ys)
        w = weight(name + "pre_feedforward_layernorm.weight") if after and before else w
        inputs = [norm(x, w, eps) for x in xs] if before else xs
        if is_mixture(c, layer):
            ys = mixture(m, c, name, inputs)
        else:
            ys = list(map(dense(m, c, name + "mlp.", c["intermediate_size"], gelu if plus else silu), inputs))
        w = weight(name + "post_feedforward_layernorm.weight") if after else None
        xs = add([norm(y, w, eps) for y in ys] if after else ys)
    w = weight(prefix + "norm.weight")
    tied = c.get("tie_word_embeddings", plus > 0)
    head = embedding if tied else m.make(prefix[: -len("model.")] + "lm_head.weight", c["vocab_size"], hidden)
    cap = c.get("final_logit_softcapping")
    rows = [linear(head, norm(x, w, eps)) for x in xs]
    return [[cap * math.tanh(v / cap) for v in row] for row in rows] if cap else rows


def write(folder, files, shards):
    names = sorted(files)
    index = {}
    for shard in range(shards):
        header, data = {}, b""
        for name in names[shard::shards]:
            kind, shape, raw = files[name]
            header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
            data += raw
        file = "model.safetensors" if shards == 1 else f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        index.update((name, file) for name in header)
        text = json.dumps(header).encode()
        open(os.path.join(folder, file), "wb").write(struct.pack("<Q", len(text)) + text + data)
    if shards > 1:
        json.dump({"weight_map": index}, open(os.path.join(folder, "model.safetensors.index.json"), "w"))


BASE = {"vocab_size": 112, "hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 3, "num_attention_heads": 6,
        "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 512, "rms_norm_eps": 1e-5}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}
YARN = {"factor": 4.0, "original_max_position_embeddings": 32}
FACTORS = {"short_factor": [1 + 0.1 * i for i in range(8)], "long_factor": [1 + 0.7 * i for i in range(8)]}
EXPERTS = {"num_experts": 6, "num_experts_per_tok": 3, "moe_intermediate_size": 32}
FP8 = {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [32, 32]}
S8 = {"quant_method": "compressed-tensors", "format": "int-quantized", "ignore": ["lm_head"], "kv_cache_scheme": None, "config_groups": {"group_0": {
      "weights": {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "channel", "dynamic": False}, "targets": ["Linear"],
      "input_activations": {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "token", "dynamic": True}}}}
DEEPSEEK = {"model_type": "deepseek_v3", "kv_lora_rank": 512, "q_lora_rank": 32, "qk_nope_head_dim": 32, "qk_rope_head_dim": 64,
            "v_head_dim": 32, "num_attention_heads": 2, "num_key_value_heads": 2, "first_k_dense_replace": 1, "n_routed_experts": 8,
            "num_experts_per_tok": 3, "moe_intermediate_size": 32, "n_group": 4, "topk_group": 2, "n_shared_experts": 1,
            "routed_scaling_factor": 1.5, "norm_topk_prob": True, "num_hidden_layers": 2}
cases = {
    "llama_scaled": {"model_type": "llama", "rope_theta": 5e5, "rope_scaling": LLAMA3, "attention_bias": True, "sliding_window": 4},
    "llama_linear": {"model_type": "llama", "rope_parameters": {"rope_type": "linear", "factor": 2.5, "rope_theta": 2e4}, "num_key_value_heads": 6},
    "llama_shards": {"model_type": "llama", "shards": 2, "tie_word_embeddings": True, "num_key_value_heads": 1},
    "mistral_part": {"model_type": "mistral", "sliding_window": 7, "part": "language_model.model."},
    "mistral_yarn": {"model_type": "mistral", "sliding_window": None, "rope_scaling": {"type": "yarn", "beta_fast": 4, **YARN}},
    "qwen2_windows": {"model_type": "qwen2", "sliding_window": 9, "use_sliding_window": True, "max_window_layers": 1, "tie_word_embeddings": True},
    "qwen2_yarn": {"model_type": "qwen2", "rope_theta": 1e6, "rope_scaling": {"rope_type": "yarn", **YARN}, "sliding_window": 5},
    "qwen3": {"model_type": "qwen3", "head_dim": 32, "rope_theta": 1e6, "rope_scaling": {"rope_type": "yarn", "attention_factor": 1.2, **YARN}},
    "qwen3_fp8": {"model_type": "qwen3", "fp8": "BF16", "quantization_config": FP8},
    "qwen3_s8": {"model_type": "qwen3", "s8": "BF16", "quantization_config": S8, "hidden_size": 64, "intermediate_size": 96},
    "phi3_s8": {"model_type": "phi3", "s8": "F32", "quantization_config": S8, "hidden_size": 64, "intermediate_size": 96},
    "qwen3_moe": {"model_type": "qwen3_moe", **EXPERTS, "norm_topk_prob": True},
    "qwen3_moe_steps": {"model_type": "qwen3_moe", **EXPERTS, "decoder_sparse_step": 2, "num_hidden_layers": 4, "mlp_only_layers": [3]},
    "mixtral": {"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 11},
    "phi3_long": {"model_type": "phi3", "rope_scaling": {"type": "longrope", **FACTORS}, "original_max_position_embeddings": 32, "sliding_window": 40},
    "phi3_short": {"model_type": "phi3", "rope_scaling": {"type": "su", **FACTORS}, "original_max_position_embeddings": 64},
    "phi3_part": {"model_type": "phi3", "head_dim": 32, "partial_rotary_factor": 0.5},
    "olmo2": {"model_type": "olmo2", "num_key_value_heads": 3, "rope_theta": 5e5},
    "glm4_moe": {"model_type": "glm4_moe", "head_dim": 32, "attention_bias": True, "use_qk_norm": True, "n_routed_experts": 6, "num_experts_per_tok": 2,
                 "moe_intermediate_size": 32, "n_shared_experts": 2, "first_k_dense_replace": 1, "routed_scaling_factor": 1.7, "norm_topk_prob": True},
    "glm4_moe_plain": {"model_type": "glm4_moe", "head_dim": 32, "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 48,
                       "n_group": 2, "topk_group": 1, "n_shared_experts": 1, "first_k_dense_replace": 2, "num_nextn_predict_layers": 1},
    "gpt_oss": {"model_type": "gpt_oss", "num_local_experts": 5, "num_experts_per_tok": 3, "sliding_window": 10, "attention_bias": True,
                "rope_scaling": {"rope_type": "yarn", "truncate": False, "beta_fast": 32.0, "beta_slow": 1.0, **YARN}},
    "gemma3": {"model_type": "gemma3_text", "head_dim": 32, "num_hidden_layers": 6, "sliding_window": 8, "query_pre_attn_scalar": 20,
               "hidden_activation": "gelu_pytorch_tanh", "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "final_logit_softcapping": 6.0},
    "gemma3_part": {"model_type": "gemma3_text", "head_dim": 32, "sliding_window": 6, "part": "language_model.model.", "query_pre_attn_scalar": 32,
                    "layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "hidden_activation": "gelu_pytorch_tanh",
                    "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e6}, "sliding_attention": {"rope_type": "default", "rope_theta": 1e3}}},
    "deepseek": {**DEEPSEEK, "rope_scaling": {"type": "yarn", "mscale": 1.0, "mscale_all_dim": 1.0, "factor": 40, "original_max_position_embeddings": 32}},
    "deepseek_fp8": {**DEEPSEEK, "q_lora_rank": None, "fp8": "F32", "quantization_config": FP8, "n_group": 1, "topk_group": 1},
}


def main(folder, name):
    config = {**BASE, **cases[name]}
    shards, part = config.pop("shards", 1), config.pop("part", None)
    model = Model(config, sum(map(ord, name)))
    tokens = [model.draw.randrange(config["vocab_size"]) for _ in range(COUNT)]
    rows = logits_of(model, tokens, part or "model.")
    os.makedirs(folder, exist_ok=True)
    write(folder, model.files, shards)
    shown = {k: v for k, v in config.items() if k not in ("fp8", "s8")}
    if part:  # the language model of one that sees pictures, too
        shown = {"model_type": "other", "vision_config": {"hidden_size": 4}, "text_config": shown}
    json.dump(shown, open(os.path.join(folder, "config.json"), "w"))
    open(os.path.join(folder, "tokens"), "w").write(" ".join(map(str, tokens)))
    open(os.path.join(folder, "logits"), "w").writelines(" ".join(map(repr, row)) + "\n" for row in rows)


def compare(folder, file):
    raw = open(file, "rb").read()
    begin = 10 + struct.unpack("<H", raw[8:10])[0]
    found = struct.unpack(f"<{(len(raw) - begin) // 4}f", raw[begin:])
    errors, at = [], 0
    for line in open(os.path.join(folder, "logits")):
        row = list(map(float, line.split()))
        mine = found[at:at + len(row)]
        at += len(row)
        if mine:
            errors.append(math.sqrt(sum((a - b) ** 2 for a, b in zip(mine, row)) / sum(b * b for b in row)))
    errors = sorted(e if e == e else math.inf for e in errors)
    print(errors[len(errors) // 2], errors[-1])


if sys.argv[1] == "--compare":
    compare(*sys.argv[2:])
elif sys.argv[1] == "--list":
    print("\n".join(cases))
else:
    main(*sys.argv[1:])
