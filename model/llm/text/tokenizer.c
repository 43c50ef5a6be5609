// SPDX-License-Identifier: Apache-2.0
#include "llm/text/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "llm/text/pattern.h"

enum { MOST_SPLITS = 8, MOST_FIRST = 4, MOST_ID = 1 << 22, BYTES = 256, NO_TOKEN = -1 };

typedef struct merge {
  uint64_t pair;  // left << 32 | right; UINT64_MAX: the place is free
  uint32_t rank, token;
} merge_t;

typedef struct piece {
  const char *text;  // NULL: there is no such token
  bool added;        // text is as it stands, not bytes as letters
} piece_t;

struct llm_tokenizer {
  const char *path;
  cJSON *root;  // holds the texts
  piece_t *piece;
  size_t pieces;
  uint32_t *place;  // of pieces by their text: 1 + token, 0: free
  size_t places;    // a power of two, as merge_places
  merge_t *merge;
  size_t merge_places;
  llm_pattern_t *split[MOST_SPLITS];
  size_t splits;
  uint32_t first[MOST_FIRST];  // tokens before each text
  size_t firsts;
  bool bytes, whole_words, prefix_space, nfc;
  uint32_t letter[BYTES];      // code points that bytes are written as,
  uint8_t byte_of[2 * BYTES];  // and back
};

static bool refuse(const llm_tokenizer_t *t, base_error_t *error, const char *key, const cJSON *item,
                   const char *expected) {
  char *value = item == NULL ? NULL : cJSON_PrintUnformatted(item);
  base_fail(error, "%s: %s is %.80s; expected %s", t->path, key, value == NULL ? "missing" : value, expected);
  cJSON_free(value);
  return false;
}

static const cJSON *get(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNull(item) ? NULL : item;
}

static bool is_text(const cJSON *item, const char *text) {
  const char *value = cJSON_GetStringValue(item);
  return value != NULL && strcmp(value, text) == 0;
}

// --- tables -----------------------------------------------------------------------------------

static uint64_t hash_text(const char *text, size_t bytes) {
  uint64_t value = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i) {
    value = (value ^ (uint8_t)text[i]) * 0x100000001b3u;
  }
  return value ^ value >> 29;
}

static uint64_t hash_pair(uint64_t pair) { return (pair * 0x9e3779b97f4a7c15u) >> 20; }

static size_t room_for(size_t count) {
  size_t places = 64;
  while (places < 2 * count) {
    places *= 2;
  }
  return places;
}

static long find_text(const llm_tokenizer_t *t, const char *text, size_t bytes) {
  size_t i = hash_text(text, bytes) & (t->places - 1);
  for (; t->place[i] != 0; i = (i + 1) & (t->places - 1)) {
    const piece_t *piece = &t->piece[t->place[i] - 1];
    if (strncmp(piece->text, text, bytes) == 0 && piece->text[bytes] == '\0') {
      return (long)t->place[i] - 1;
    }
  }
  return NO_TOKEN;
}

static void add_text(llm_tokenizer_t *t, const char *text, uint32_t token, bool added) {
  size_t i = hash_text(text, strlen(text)) & (t->places - 1);
  while (t->place[i] != 0 && strcmp(t->piece[t->place[i] - 1].text, text) != 0) {
    i = (i + 1) & (t->places - 1);
  }
  t->piece[token] = (piece_t){text, added};
  t->place[i] = token + 1;
}

static const merge_t *find_merge(const llm_tokenizer_t *t, uint32_t left, uint32_t right) {
  const uint64_t pair = (uint64_t)left << 32 | right;
  size_t i = hash_pair(pair) & (t->merge_places - 1);
  while (t->merge[i].pair != UINT64_MAX && t->merge[i].pair != pair) {
    i = (i + 1) & (t->merge_places - 1);
  }
  return t->merge[i].pair == pair ? &t->merge[i] : NULL;
}

static void add_merge(llm_tokenizer_t *t, uint64_t pair, uint32_t rank, uint32_t token) {
  size_t i = hash_pair(pair) & (t->merge_places - 1);
  while (t->merge[i].pair != UINT64_MAX && t->merge[i].pair != pair) {
    i = (i + 1) & (t->merge_places - 1);
  }
  if (t->merge[i].pair == UINT64_MAX) {  // of doubled ones the first counts
    t->merge[i] = (merge_t){pair, rank, token};
  }
}

// --- vocabulary and merges --------------------------------------------------------------------

static bool take_id(const llm_tokenizer_t *t, const cJSON *item, uint64_t *id, base_error_t *error) {
  return (json_count(item, id) && *id < MOST_ID) || refuse(t, error, "a token's number", item, "0 to 4194303");
}

static bool size_pieces(llm_tokenizer_t *t, const cJSON *vocab, const cJSON *added, base_error_t *error) {
  const cJSON *item;
  uint64_t id;
  cJSON_ArrayForEach(item, vocab) {
    if (!take_id(t, item, &id, error)) {
      return false;
    }
    t->pieces = id + 1 > t->pieces ? (size_t)id + 1 : t->pieces;
  }
  cJSON_ArrayForEach(item, added) {
    if (!take_id(t, get(item, "id"), &id, error)) {
      return false;
    }
    t->pieces = id + 1 > t->pieces ? (size_t)id + 1 : t->pieces;
  }
  t->places = room_for(t->pieces);
  t->piece = calloc(t->pieces + 1, sizeof *t->piece);
  t->place = calloc(t->places, sizeof *t->place);
  return (t->piece != NULL && t->place != NULL) || base_fail(error, "%s: out of memory", t->path);
}

static bool take_pieces(llm_tokenizer_t *t, base_error_t *error) {
  const cJSON *vocab = get(get(t->root, "model"), "vocab"), *added = get(t->root, "added_tokens"), *item;
  if (!cJSON_IsObject(vocab) || vocab->child == NULL) {
    return refuse(t, error, "model.vocab", NULL, "an object of tokens and their numbers");
  }
  if (!size_pieces(t, vocab, added, error)) {
    return false;
  }
  cJSON_ArrayForEach(item, vocab) { add_text(t, item->string, (uint32_t)item->valuedouble, false); }
  cJSON_ArrayForEach(item, added) {
    const char *content = cJSON_GetStringValue(get(item, "content"));
    if (content == NULL || content[0] == '\0' || cJSON_IsTrue(get(item, "lstrip")) ||
        cJSON_IsTrue(get(item, "rstrip")) || cJSON_IsTrue(get(item, "single_word"))) {
      return refuse(t, error, "added_tokens", item, "tokens without lstrip, rstrip and single_word");
    }
    add_text(t, content, (uint32_t)get(item, "id")->valuedouble, true);
  }
  return true;
}

// "left right", or ["left", "right"]
static bool take_merge(llm_tokenizer_t *t, const cJSON *item, uint32_t rank, base_error_t *error) {
  char text[2 * LLM_TOKEN_BYTES];
  const char *both = cJSON_GetStringValue(item), *left = cJSON_GetStringValue(cJSON_GetArrayItem(item, 0)),
             *right = cJSON_GetStringValue(cJSON_GetArrayItem(item, 1));
  const char *blank = both == NULL ? NULL : strchr(both, ' ');
  left = blank != NULL ? both : left;
  right = blank != NULL ? blank + 1 : right;
  if (left == NULL || right == NULL) {
    return refuse(t, error, "model.merges", item, "pairs of tokens");
  }
  const size_t bytes = blank != NULL ? (size_t)(blank - both) : strlen(left), more = strlen(right);
  if (bytes + more >= sizeof text) {
    return refuse(t, error, "model.merges", item, "shorter tokens");
  }
  snprintf(text, sizeof text, "%.*s%s", (int)bytes, left, right);
  const long a = find_text(t, left, bytes), b = find_text(t, right, more), sum = find_text(t, text, bytes + more);
  if (a < 0 || b < 0 || sum < 0) {
    return refuse(t, error, "model.merges", item, "tokens of the vocabulary");
  }
  add_merge(t, (uint64_t)a << 32 | (uint64_t)b, rank, (uint32_t)sum);
  return true;
}

static bool take_merges(llm_tokenizer_t *t, base_error_t *error) {
  const cJSON *list = get(get(t->root, "model"), "merges"), *item;
  uint32_t rank = 0;
  if (!cJSON_IsArray(list)) {
    return refuse(t, error, "model.merges", list, "a list");
  }
  t->merge_places = room_for((size_t)cJSON_GetArraySize(list));
  t->merge = malloc(t->merge_places * sizeof *t->merge);
  if (t->merge == NULL) {
    return base_fail(error, "%s: out of memory", t->path);
  }
  memset(t->merge, 0xff, t->merge_places * sizeof *t->merge);
  cJSON_ArrayForEach(item, list) {
    if (!take_merge(t, item, rank++, error)) {
      return false;
    }
  }
  return true;
}

static bool take_model(llm_tokenizer_t *t, base_error_t *error) {
  const cJSON *model = get(t->root, "model");
  static const char *const unused[] = {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"};
  if (!is_text(get(model, "type"), "BPE")) {
    return refuse(t, error, "model.type", get(model, "type"), "\"BPE\"");
  }
  for (size_t i = 0; i < sizeof unused / sizeof *unused; ++i) {
    const cJSON *item = get(model, unused[i]);
    if (item != NULL && !cJSON_IsFalse(item) && !is_text(item, "")) {
      return refuse(t, error, unused[i], item, "null");
    }
  }
  t->whole_words = cJSON_IsTrue(get(model, "ignore_merges"));
  return take_pieces(t, error) && take_merges(t, error);
}

// --- how a text is cut ------------------------------------------------------------------------

static const char gpt2[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

static bool add_split(llm_tokenizer_t *t, const char *pattern, base_error_t *error) {
  base_error_t problem;
  if (t->splits == MOST_SPLITS) {
    return base_fail(error, "%s: pre_tokenizer of more than %d patterns", t->path, MOST_SPLITS);
  }
  t->split[t->splits] = llm_pattern_compile(pattern, &problem);
  return t->split[t->splits++] != NULL || base_fail(error, "%s: %s", t->path, problem.text);
}

// A text itself, as a pattern.
static bool add_literal(llm_tokenizer_t *t, const char *text, base_error_t *error) {
  char pattern[LLM_TOKEN_BYTES];
  size_t used = 0;
  for (; *text != '\0' && used + 3 < sizeof pattern; ++text) {
    if (strchr("\\^$.|?*+()[]{}", *text) != NULL) {
      pattern[used++] = '\\';
    }
    pattern[used++] = *text;
  }
  pattern[used] = '\0';
  return add_split(t, pattern, error);
}

static bool take_split(llm_tokenizer_t *t, const cJSON *item, base_error_t *error) {
  const char *regex = cJSON_GetStringValue(get(get(item, "pattern"), "Regex")),
             *text = cJSON_GetStringValue(get(get(item, "pattern"), "String"));
  if (!is_text(get(item, "behavior"), "Isolated") || cJSON_IsTrue(get(item, "invert")) ||
      (regex == NULL && text == NULL)) {
    return refuse(t, error, "pre_tokenizer", item, "a Split by a Regex or String whose behavior is \"Isolated\"");
  }
  return regex != NULL ? add_split(t, regex, error) : add_literal(t, text, error);
}

static bool take_pre_tokenizer(llm_tokenizer_t *t, const cJSON *item, base_error_t *error) {
  const cJSON *type = get(item, "type"), *inner;
  if (is_text(type, "Sequence")) {
    cJSON_ArrayForEach(inner, get(item, "pretokenizers")) {
      if (is_text(get(inner, "type"), "Sequence")) {
        return refuse(t, error, "pre_tokenizer", inner, "no Sequence within a Sequence");
      }
      if (!take_pre_tokenizer(t, inner, error)) {
        return false;
      }
    }
    return true;
  }
  if (is_text(type, "Split")) {
    return take_split(t, item, error);
  }
  if (is_text(type, "Digits")) {
    return add_split(t, cJSON_IsTrue(get(item, "individual_digits")) ? "\\p{N}" : "\\p{N}+", error);
  }
  if (is_text(type, "ByteLevel")) {
    t->bytes = true;
    t->prefix_space = cJSON_IsTrue(get(item, "add_prefix_space"));
    return cJSON_IsFalse(get(item, "use_regex")) || add_split(t, gpt2, error);
  }
  return refuse(t, error, "pre_tokenizer", type, "\"Sequence\", \"Split\", \"Digits\" or \"ByteLevel\"");
}

static bool take_cuts(llm_tokenizer_t *t, base_error_t *error) {
  const cJSON *normalizer = get(t->root, "normalizer");
  const cJSON *list = get(normalizer, "normalizers");
  t->nfc = is_text(get(normalizer, "type"), "NFC");
  const bool none =
      normalizer == NULL || (is_text(get(normalizer, "type"), "Sequence") && cJSON_GetArraySize(list) == 0);
  if (!none && !t->nfc) {
    return refuse(t, error, "normalizer", normalizer, "null or NFC");
  }
  return take_pre_tokenizer(t, get(t->root, "pre_tokenizer"), error) &&
         (t->bytes || refuse(t, error, "pre_tokenizer", get(t->root, "pre_tokenizer"), "one with ByteLevel"));
}

// Special tokens that a TemplateProcessing has before the text.
static bool take_template(llm_tokenizer_t *t, const cJSON *item, base_error_t *error) {
  const cJSON *inner;
  cJSON_ArrayForEach(inner, get(item, "processors")) {
    if (!take_template(t, inner, error)) {
      return false;
    }
  }
  const cJSON *single = is_text(get(item, "type"), "TemplateProcessing") ? get(item, "single") : NULL;
  cJSON_ArrayForEach(inner, single) {
    const char *name = cJSON_GetStringValue(get(get(inner, "SpecialToken"), "id"));
    if (name == NULL) {
      break;
    }
    const long token = find_text(t, name, strlen(name));
    if (token < 0 || t->firsts == MOST_FIRST) {
      return refuse(t, error, "post_processor", inner, "a token of the vocabulary");
    }
    t->first[t->firsts++] = (uint32_t)token;
  }
  return true;
}

// GPT-2's letters: bytes that can be seen stand for themselves, the others for letters from 256 on.
static void make_letters(llm_tokenizer_t *t) {
  uint32_t other = BYTES;
  for (uint32_t byte = 0; byte < BYTES; ++byte) {
    const bool seen = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
    t->letter[byte] = seen ? byte : other++;
    t->byte_of[t->letter[byte]] = (uint8_t)byte;
  }
}

static bool read_all(llm_tokenizer_t *t, base_error_t *error) {
  t->root = json_read_input(t->path, "a tokenizer of Hugging Face", error);
  make_letters(t);
  return t->root != NULL && take_model(t, error) && take_cuts(t, error) &&
         take_template(t, get(t->root, "post_processor"), error);
}

llm_tokenizer_t *llm_tokenizer_open(const char *path, base_error_t *error) {
  llm_tokenizer_t *t = calloc(1, sizeof *t);
  if (t == NULL) {
    base_fail(error, "%s: out of memory", path);
    return NULL;
  }
  t->path = path;
  const bool good = read_all(t, error);
  t->path = NULL;
  if (!good) {
    llm_tokenizer_close(t);
    return NULL;
  }
  return t;
}

void llm_tokenizer_close(llm_tokenizer_t *t) {
  if (t == NULL) {
    return;
  }
  for (size_t i = 0; i < t->splits; ++i) {
    llm_pattern_free(t->split[i]);
  }
  free(t->piece);
  free(t->place);
  free(t->merge);
  cJSON_Delete(t->root);
  free(t);
}

// --- a text -----------------------------------------------------------------------------------

typedef struct encoder {
  const llm_tokenizer_t *t;
  const char *name;
  uint32_t *tokens;
  size_t count, room;
  base_error_t *error;
} encoder_t;

static bool put(encoder_t *e, uint32_t token) {
  if (e->count == e->room) {
    const size_t room = 2 * e->room + 64;
    uint32_t *tokens = realloc(e->tokens, room * sizeof *tokens);
    if (tokens == NULL) {
      return base_fail(e->error, "%s: out of memory", e->name);
    }
    e->tokens = tokens;
    e->room = room;
  }
  e->tokens[e->count++] = token;
  return true;
}

// The first pair of those with the lowest rank becomes one, as long as there are any.
static size_t merge_all(const llm_tokenizer_t *t, uint32_t *symbols, size_t count) {
  const merge_t *best;
  do {
    size_t at = 0;
    best = NULL;
    for (size_t i = 0; i + 1 < count; ++i) {
      const merge_t *merge = find_merge(t, symbols[i], symbols[i + 1]);
      if (merge != NULL && (best == NULL || merge->rank < best->rank)) {
        best = merge;
        at = i;
      }
    }
    if (best != NULL) {
      symbols[at] = best->token;
      memmove(symbols + at + 1, symbols + at + 2, (count - at - 2) * sizeof *symbols);
      --count;
    }
  } while (best != NULL);
  return count;
}

// A word of letters, each the 1 or 2 bytes that UTF-8 has for it.
static bool encode_letters(encoder_t *e, const char *letters, size_t bytes, uint32_t *symbols) {
  size_t count = 0;
  const long whole = e->t->whole_words ? find_text(e->t, letters, bytes) : NO_TOKEN;
  if (whole >= 0) {
    return put(e, (uint32_t)whole);
  }
  for (size_t i = 0, length; i < bytes; i += length) {
    length = (uint8_t)letters[i] < 0x80 ? 1 : 2;
    const long token = find_text(e->t, letters + i, length);
    if (token < 0) {
      return base_fail(e->error, "%s: the tokenizer has no token for '%.*s'", e->name, (int)length, letters + i);
    }
    symbols[count++] = (uint32_t)token;
  }
  count = merge_all(e->t, symbols, count);
  bool good = true;
  for (size_t i = 0; good && i < count; ++i) {
    good = put(e, symbols[i]);
  }
  return good;
}

static bool encode_word(encoder_t *e, const uint32_t *points, size_t count) {
  char *letters = malloc(8 * count + 1);
  uint32_t *symbols = malloc((4 * count + 1) * sizeof *symbols);
  size_t used = 0;
  bool good = (letters != NULL && symbols != NULL) || base_fail(e->error, "%s: out of memory", e->name);
  for (size_t i = 0; good && i < count; ++i) {
    char utf8[4];
    const size_t bytes = llm_utf8_encode(points[i], utf8);
    for (size_t j = 0; j < bytes; ++j) {
      used += llm_utf8_encode(e->t->letter[(uint8_t)utf8[j]], letters + used);
    }
  }
  good = good && encode_letters(e, letters, used, symbols);
  free(letters);
  free(symbols);
  return good;
}

// A part of a text, by pattern `level` and those behind it: what matches, and what lies between.
static bool encode_part(encoder_t *e, const uint32_t *points, size_t count, size_t level) {
  size_t begin = 0;
  bool good = true;
  if (level == e->t->splits) {
    return count == 0 || encode_word(e, points, count);
  }
  for (size_t at = 0; good && at < count;) {
    const long end = llm_pattern_match(e->t->split[level], points, count, at);
    if (end <= (long)at) {
      ++at;
      continue;
    }
    good = encode_part(e, points + begin, at - begin, level + 1) &&
           encode_part(e, points + at, (size_t)end - at, level + 1);
    begin = at = (size_t)end;
  }
  return good && encode_part(e, points + begin, count - begin, level + 1);
}

static bool encode_plain(encoder_t *e, const char *text, size_t bytes) {
  const bool prefix = e->t->prefix_space && bytes > 0 && text[0] != ' ';
  uint32_t *points = malloc((bytes + 1) * sizeof *points);
  if (points == NULL) {
    return base_fail(e->error, "%s: out of memory", e->name);
  }
  points[0] = ' ';
  const size_t count = llm_utf8_decode(text, bytes, points + prefix) + prefix;
  const bool good = encode_part(e, points, count, 0);
  free(points);
  return good;
}

// The longest added token that the text begins with.
static long added_at(const llm_tokenizer_t *t, const char *text, size_t bytes, size_t *length) {
  const cJSON *item;
  long best = NO_TOKEN;
  *length = 0;
  cJSON_ArrayForEach(item, get(t->root, "added_tokens")) {
    const char *content = get(item, "content")->valuestring;
    const size_t more = strlen(content);
    if (more > *length && more <= bytes && memcmp(content, text, more) == 0) {
      *length = more;
      best = (long)get(item, "id")->valuedouble;
    }
  }
  return best;
}

static bool encode_text(encoder_t *e, const char *text, size_t bytes) {
  size_t begin = 0, length;
  bool good = true;
  for (size_t at = 0; good && at < bytes;) {
    const long token = added_at(e->t, text + at, bytes - at, &length);
    if (token < 0) {
      ++at;
      continue;
    }
    good = encode_plain(e, text + begin, at - begin) && put(e, (uint32_t)token);
    begin = at += length;
  }
  return good && encode_plain(e, text + begin, bytes - begin);
}

// Is it UTF-8, and does NFC leave it as it is, as far as combining marks tell?
static bool check_text(const llm_tokenizer_t *t, const char *text, size_t bytes, const char *name,
                       base_error_t *error) {
  base_error_t unused;
  uint32_t *points = malloc((bytes + 1) * sizeof *points);
  llm_pattern_t *mark = llm_pattern_compile("\\p{M}", &unused);
  if (points == NULL || mark == NULL) {
    free(points);
    llm_pattern_free(mark);
    return base_fail(error, "%s: out of memory", name);
  }
  const size_t count = llm_utf8_decode(text, bytes, points);
  size_t again = 0;
  bool marks = false;
  for (size_t i = 0; i < count; ++i) {
    char utf8[4];
    again += llm_utf8_encode(points[i], utf8);
    marks = marks || (t->nfc && llm_pattern_match(mark, points, count, i) != LLM_NO_MATCH);
  }
  free(points);
  llm_pattern_free(mark);
  return (again == bytes || base_fail(error, "%s: not in UTF-8, which the model's tokenizer takes", name)) &&
         (!marks || base_fail(error,
                              "%s: has combining marks, which the model's tokenizer would compose (NFC); "
                              "compose them before, or give token numbers",
                              name));
}

bool llm_tokenizer_encode(const llm_tokenizer_t *tokenizer, const char *text, size_t bytes, const char *name,
                          uint32_t **tokens, size_t *count, base_error_t *error) {
  encoder_t e = {.t = tokenizer, .name = name, .error = error};
  bool good = check_text(tokenizer, text, bytes, name, error);
  for (size_t i = 0; good && i < tokenizer->firsts; ++i) {
    good = put(&e, tokenizer->first[i]);
  }
  good = good && encode_text(&e, text, bytes);
  *tokens = e.tokens;
  *count = e.count;
  return good;
}

size_t llm_tokenizer_bytes(const llm_tokenizer_t *t, uint32_t token, char out[LLM_TOKEN_BYTES]) {
  const piece_t *piece = token < t->pieces ? &t->piece[token] : NULL;
  size_t used = 0;
  if (piece == NULL || piece->text == NULL) {
    return 0;
  }
  if (piece->added) {
    for (; used < LLM_TOKEN_BYTES && piece->text[used] != '\0'; ++used) {
      out[used] = piece->text[used];
    }
    return used;
  }
  for (const char *at = piece->text; *at != '\0' && used < LLM_TOKEN_BYTES; ++used) {
    uint32_t point;
    const size_t length = (uint8_t)*at < 0x80 ? 1 : 2;
    llm_utf8_decode(at, length <= strlen(at) ? length : 1, &point);
    out[used] = point < 2 * BYTES ? (char)t->byte_of[point] : '?';
    at += length <= strlen(at) ? length : 1;
  }
  return used;
}
