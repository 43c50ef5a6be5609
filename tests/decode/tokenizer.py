# A tokenizer.json of a kind as models publish it, texts, and the tokens that they are, found with Python's own regular
# expressions and a plain BPE: tokenizer.py KIND FOLDER writes tokenizer.json, texts (each ends with a NUL) and expected
# (a line for each). SPDX-License-Identifier: Apache-2.0
import collections, json, os, random, re, sys, unicodedata

KINDS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "llama3": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "gpt_oss": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "deepseek": [r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+",
                 r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"],
    "digits": [r"\p{N}", r"(?:ab|a)(?=b)|[a-c]{2,}?x*|\w+?\d|."],
}
SPACES = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"


# Runs of code points of the same category: [first, last, category].
RUNS = []
for point in range(0x110000):
    category = unicodedata.category(chr(point))
    if RUNS and RUNS[-1][2] == category:
        RUNS[-1][1] = point
    else:
        RUNS.append([point, point, category])


def ranges(wanted):
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last, category in RUNS if category in wanted)


GROUPS = {"L": ("Lu", "Ll", "Lt", "Lm", "Lo"), "M": ("Mn", "Mc", "Me"), "N": ("Nd", "Nl", "No"),
          "P": ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"), "S": ("Sm", "Sc", "Sk", "So")}


def plain(pattern):
    out, inside, at, known = "", False, 0, {}
    while at < len(pattern):
        token = re.match(r"\\p\{\w+\}|\\.|.", pattern[at:], re.S).group()
        at += len(token)
        inside = token == "[" or inside and token != "]"
        if token.startswith("\\p"):
            name = token[3:-1]
            known[name] = known.get(name) or ranges(GROUPS.get(name, (name,)))
            token = known[name] if inside else "[" + known[name] + "]"
        elif token in ("\\s", "\\S", "\\d", "\\w"):
            text = {"s": SPACES, "d": ranges(("Nd",)), "w": ranges(GROUPS["L"] + GROUPS["M"] + GROUPS["N"]) + "_"}[token[1].lower()]
            token = text if inside else "[" + ("^" if token == "\\S" else "") + text + "]"
        out += token
    return re.compile(out)


LETTERS = {}
other = 256
for byte in range(256):
    seen = 33 <= byte <= 126 or byte >= 0xA1 and byte != 0xAD
    LETTERS[byte] = chr(byte if seen else other)
    other += not seen


def cut(text, patterns):
    parts = [text]
    for pattern in patterns:
        new = []
        for part in parts:
            at = 0
            for match in pattern.finditer(part):
                if match.end() > match.start():
                    new += [part[at:match.start()], match.group()]
                    at = match.end()
            new.append(part[at:])
        parts = [p for p in new if p]
    return parts


def letters(word):
    return "".join(LETTERS[b] for b in word.encode())


def merged(symbols, ranks):
    while True:
        found = min(((ranks.get((a, b), 1 << 30), i) for i, (a, b) in enumerate(zip(symbols, symbols[1:]))), default=(1 << 30, 0))
        if found[0] == 1 << 30:
            return symbols
        i = found[1]
        symbols = symbols[:i] + [symbols[i] + symbols[i + 1]] + symbols[i + 2:]


def random_text(draw):
    words = ["the", "The", "HTTPServer", "don't", "WE'LL", "I'\u017f", "1234567", "\u0663\u0664", "x_y", "a.b", "()", "!!", "\n", "\r\n\r\n", "  ", "   \t", "\u3000",
             "été", "Straße", "Ǆ", "ǅ", "漢字かなカナ", "한국어", "Привет", "مرحبا", "हिन्दी", "😀", "→", "½", "Ⅷ", "²", "\u00a0", "http://a/b", "abx", "abab", "ʰa", "<|end|>", "<|e", "\u2028"]
    text = "".join(draw.choice(words) + draw.choice(["", " ", " ", "  "]) for _ in range(draw.randrange(9)))
    return text + "".join(chr(draw.choice([draw.randrange(1, 0x250), draw.randrange(0x250, 0xD800), draw.randrange(0xE000, 0x30000)])) for _ in range(draw.randrange(4)))


def main(kind, folder):
    draw = random.Random(kind)
    given = KINDS[kind] if isinstance(KINDS[kind], list) else [KINDS[kind]]
    patterns = [plain(p) for p in given]
    # The most frequent pairs of some texts, as BPE learns them.
    words = collections.Counter(letters(w) for _ in range(60) for w in cut(random_text(draw), patterns))
    words, merges = {w: (list(w), n) for w, n in words.items()}, []
    for _ in range(120):
        pairs = collections.Counter()
        for symbols, n in words.values():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = max(pairs, key=lambda p: (pairs[p], p))
        merges.append(best)
        words = {w: (merged(s, {best: 0}), n) for w, (s, n) in words.items()}
    vocab = {}
    for text in [LETTERS[b] for b in range(256)] + [a + b for a, b in merges] + ([letters(" the")] if kind == "llama3" else []):
        vocab.setdefault(text, len(vocab))
    end, begin = len(vocab), len(vocab) + 1
    ranks = {pair: i for i, pair in enumerate(merges)}
    splits = [{"type": "Split", "pattern": {"Regex": p}, "behavior": "Isolated", "invert": False} for p in given]
    if kind == "digits":
        splits[0] = {"type": "Digits", "individual_digits": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": kind == "gpt2"}
    template = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<|begin|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]}
    json.dump({"version": "1.0", "normalizer": None, "added_tokens": [{"id": end, "content": "<|end|>", "special": True}, {"id": begin, "content": "<|begin|>", "special": True}],
               "pre_tokenizer": byte_level if kind == "gpt2" else {"type": "Sequence", "pretokenizers": splits + [byte_level]},
               "post_processor": {"type": "Sequence", "processors": [byte_level, template]} if kind == "llama3" else None,
               "model": {"type": "BPE", "ignore_merges": kind == "llama3", "vocab": vocab, "byte_fallback": False,
                         "merges": [list(m) for m in merges] if kind == "qwen" else [" ".join(m) for m in merges]}},
              open(os.path.join(folder, "tokenizer.json"), "w"))
    with open(os.path.join(folder, "texts"), "wb") as texts, open(os.path.join(folder, "expected"), "w") as expected:
        for _ in range(250):
            text, tokens = random_text(draw), [begin] if kind == "llama3" else []
            texts.write(text.encode() + b"\0")
            for part in re.split(r"(<\|end\|>)", text):
                for word in [] if part == "<|end|>" else cut(part, patterns):
                    whole = letters(word)
                    tokens += [vocab[whole]] if kind == "llama3" and whole in vocab else [vocab[s] for s in merged(list(whole), ranks)]
                tokens += [end] if part == "<|end|>" else []
            expected.write(" ".join(map(str, tokens)) + "\n")


main(*sys.argv[1:])
