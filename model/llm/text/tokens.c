// SPDX-License-Identifier: Apache-2.0
#include "llm/text/tokens.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/npy.h"

enum { FIRST_ROOM = 4096, MOST_TOKENS = 1 << 28, NOTHING = -1 };

static bool add(llm_tokens_t *tokens, uint32_t token, const char *name, base_error_t *error) {
  if (tokens->count == tokens->room) {
    const size_t room = tokens->room == 0 ? FIRST_ROOM : 2 * tokens->room;
    uint32_t *list = room > MOST_TOKENS ? NULL : realloc(tokens->list, room * sizeof *list);
    if (list == NULL) {
      return base_fail(error, "%s: out of memory for more than %zu tokens", name, tokens->count);
    }
    tokens->list = list;
    tokens->room = room;
  }
  tokens->list[tokens->count++] = token;
  return true;
}

void llm_tokens_free(llm_tokens_t *tokens) {
  free(tokens->list);
  *tokens = (llm_tokens_t){0};
}

// --- numbers ----------------------------------------------------------------------------------

typedef struct reader {
  const char *name;
  const llm_vocab_t *vocab;
  size_t most;
  llm_tokens_t *tokens;
  base_error_t *error;
  bool inside;  // of a number
  uint64_t number;
} reader_t;

static bool add_known(reader_t *r, uint64_t token) {
  return token < r->vocab->size
             ? add(r->tokens, (uint32_t)token, r->name, r->error)
             : base_fail(r->error, "%s: %s %zu is %llu; the model knows 0 to %zu", r->name, r->vocab->unit,
                         r->tokens->count, (unsigned long long)token, r->vocab->size - 1);
}

static bool end_number(reader_t *r) {
  if (!r->inside) {
    return true;
  }
  r->inside = false;
  return add_known(r, r->number);
}

static bool take_digit(reader_t *r, int byte) {
  r->number = (r->inside ? r->number * 10 : 0) + (uint64_t)(byte - '0');
  r->inside = true;
  return r->number <= UINT32_MAX ||
         base_fail(r->error, "%s: token %zu is none: too large a number", r->name, r->tokens->count);
}

// byte: or NOTHING, at the end.
static bool take(reader_t *r, int byte) {
  if (r->vocab->bytes) {
    return byte == NOTHING || add_known(r, (uint64_t)byte);
  }
  if (byte != NOTHING && isdigit(byte)) {
    return take_digit(r, byte);
  }
  if (byte != NOTHING && byte != ',' && !isspace(byte)) {
    return base_fail(r->error,
                     "%s: a model whose vocabulary is no bytes takes token numbers, such as '1, 2'; after %zu of "
                     "them there is something else",
                     r->name, r->tokens->count);
  }
  return end_number(r);
}

// --- from where -------------------------------------------------------------------------------

// What the tokenizer makes of it, all or the first `most`.
static bool take_encoded(reader_t *r, const char *text, size_t bytes) {
  uint32_t *list;
  size_t count;
  bool good = llm_tokenizer_encode(r->vocab->tokenizer, text, bytes, r->name, &list, &count, r->error);
  for (size_t i = 0; good && i < count && (r->most == 0 || i < r->most); ++i) {
    good = add_known(r, list[i]);
  }
  free(list);
  return good;
}

bool llm_tokens_from_text(const char *text, const char *name, const llm_vocab_t *vocab, llm_tokens_t *tokens,
                          base_error_t *error) {
  reader_t reader = {.name = name, .vocab = vocab, .tokens = tokens, .error = error};
  bool good = true;
  if (vocab->tokenizer != NULL) {
    return take_encoded(&reader, text, strlen(text));
  }
  for (const char *at = text; good && *at != '\0'; ++at) {
    good = take(&reader, (unsigned char)*at);
  }
  return good && take(&reader, NOTHING);
}

static bool read_stream(FILE *file, reader_t *reader) {
  int byte = 0;
  bool good = true;
  while (good && (reader->most == 0 || reader->tokens->count < reader->most) && (byte = getc(file)) != EOF) {
    good = take(reader, byte);
  }
  if (good && ferror(file)) {
    return base_fail(reader->error, "%s: %s", reader->name, strerror(errno));
  }
  return good && (byte != EOF || take(reader, NOTHING));
}

// All of a file, and a NUL; NULL: error says why.
static char *read_bytes(FILE *file, reader_t *reader, size_t *count) {
  char *bytes = NULL, *more;
  size_t room = 0, got = 1;
  *count = 0;
  while (got > 0) {
    room += FIRST_ROOM + room;
    more = room > MOST_TOKENS ? NULL : realloc(bytes, room);
    if (more == NULL) {
      base_fail(reader->error, "%s: out of memory", reader->name);
      free(bytes);
      return NULL;
    }
    bytes = more;
    got = fread(bytes + *count, 1, room - *count - 1, file);
    *count += got;
  }
  bytes[*count] = '\0';
  return bytes;
}

static bool read_text(FILE *file, reader_t *reader) {
  size_t count;
  const llm_vocab_t numbers = {.size = reader->vocab->size, .unit = reader->vocab->unit};
  reader_t of_numbers = *reader;
  char *text = read_bytes(file, reader, &count);
  bool good = text != NULL;
  if (good && strspn(text, "0123456789, \t\r\n") == count) {
    of_numbers.vocab = &numbers;
    rewind(file);
    good = read_stream(file, &of_numbers);
  } else if (good) {
    good = take_encoded(reader, text, count);
  }
  free(text);
  return good;
}

static bool is_array(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && strcmp(dot, ".npy") == 0;
}

static bool read_array(const char *path, reader_t *reader) {
  npy_array_t array;
  if (!npy_read(path, NPY_BIT(I4), &array, reader->error)) {
    return false;
  }
  const int32_t *numbers = array.data;
  bool good = true;
  for (size_t i = 0; good && i < npy_count(&array) && (reader->most == 0 || i < reader->most); ++i) {
    good = add_known(reader, (uint64_t)(uint32_t)numbers[i]);
  }
  npy_free(&array);
  return good;
}

static bool read_file(const char *path, reader_t *reader) {
  if (is_array(path)) {
    return read_array(path, reader);
  }
  FILE *file = input_open(path, reader->error);
  const bool good =
      file != NULL && (reader->vocab->tokenizer != NULL ? read_text(file, reader) : read_stream(file, reader));
  if (file != NULL) {
    fclose(file);
  }
  return good;
}

bool llm_tokens_read(const char *path, const llm_vocab_t *vocab, llm_tokens_t *tokens, base_error_t *error) {
  const llm_vocab_t numbers = {.size = vocab->size, .unit = vocab->unit};
  reader_t reader = {.name = path, .vocab = &numbers, .tokens = tokens, .error = error};
  return read_file(path, &reader);
}

// Where numbers of a file begin lines: at[i] of line i. Without room it only counts.
static size_t find_lines(FILE *file, size_t *at, size_t *longest) {
  size_t lines = 0, numbers = 0, first = 0;
  bool inside = false;
  for (int byte = 0; byte != EOF;) {
    byte = getc(file);
    const bool digit = byte != EOF && isdigit(byte);
    numbers += digit && !inside;
    inside = digit;
    if ((byte == '\n' || byte == EOF) && numbers > first) {
      if (at != NULL) {
        at[lines] = first;
      }
      *longest = numbers - first > *longest ? numbers - first : *longest;
      first = numbers;
      lines += 1;
    }
  }
  return lines;
}

size_t *llm_tokens_lines(const char *path, size_t count, size_t *lines) {
  size_t longest = 0;
  base_error_t unused;
  FILE *file = is_array(path) ? NULL : input_open(path, &unused);
  size_t *at = calloc(count + 2, sizeof *at);
  *lines = file == NULL || at == NULL ? 1 : find_lines(file, at, &longest);
  if (longest <= 1) {
    *lines = 1;
  }
  if (at != NULL) {
    at[0] = 0;
    at[*lines] = count;
  }
  if (file != NULL) {
    fclose(file);
  }
  return at;
}

bool llm_text_read(const char *path, const llm_vocab_t *vocab, size_t context, size_t most, llm_text_t *text,
                   base_error_t *error) {
  *text = (llm_text_t){.context = context};
  reader_t reader = {.name = path,
                     .vocab = vocab,
                     .most = most > SIZE_MAX / (context + 1) ? 0 : most * (context + 1),
                     .tokens = &text->tokens,
                     .error = error};
  bool good = read_file(path, &reader);
  const size_t count = text->tokens.count;
  text->windows = count / (context + 1) + (count % (context + 1) >= 2);
  good =
      good && (text->windows > 0 || base_fail(error, "%s: %zu %s%s; expected at least 2, one to predict another from",
                                              path, count, vocab->unit, count == 1 ? "" : "s"));
  if (!good) {
    llm_tokens_free(&text->tokens);
  }
  return good;
}

// --- after it ---------------------------------------------------------------------------------

const uint32_t *llm_window(const llm_text_t *text, size_t window) {
  return text->tokens.list + window * (text->context + 1);
}

size_t llm_window_predictions(const llm_text_t *text, size_t window) {
  const size_t left = text->tokens.count - window * (text->context + 1) - 1;
  return left < text->context ? left : text->context;
}

void llm_json_bytes(cJSON *object, const char *name, const uint32_t *tokens, size_t count) {
  uint8_t *bytes = malloc(count + 1);
  for (size_t i = 0; bytes != NULL && i < count; ++i) {
    bytes[i] = (uint8_t)tokens[i];
  }
  if (bytes != NULL) {
    json_add_bytes(object, name, bytes, count);
  }
  free(bytes);
}
