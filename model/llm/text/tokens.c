// SPDX-License-Identifier: Apache-2.0
#include "llm/text/tokens.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"

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
  size_t vocab, most;
  llm_tokens_t *tokens;
  base_error_t *error;
  bool inside;  // of a number
  uint64_t number;
} reader_t;

static bool end_number(reader_t *r) {
  if (!r->inside) {
    return true;
  }
  r->inside = false;
  return r->number < r->vocab ? add(r->tokens, (uint32_t)r->number, r->name, r->error)
                              : base_fail(r->error, "%s: token %zu is %llu; the model knows 0 to %zu", r->name,
                                          r->tokens->count, (unsigned long long)r->number, r->vocab - 1);
}

static bool take_digit(reader_t *r, int byte) {
  r->number = (r->inside ? r->number * 10 : 0) + (uint64_t)(byte - '0');
  r->inside = true;
  return r->number <= UINT32_MAX ||
         base_fail(r->error, "%s: token %zu is none: too large a number", r->name, r->tokens->count);
}

// byte: or NOTHING, at the end.
static bool take(reader_t *r, int byte) {
  if (r->vocab == LLM_BYTES) {
    return byte == NOTHING || add(r->tokens, (uint32_t)byte, r->name, r->error);
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

bool llm_tokens_from_text(const char *text, const char *name, size_t vocab, llm_tokens_t *tokens, base_error_t *error) {
  reader_t reader = {.name = name, .vocab = vocab, .tokens = tokens, .error = error};
  bool good = true;
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

bool llm_tokens_from_file(const char *path, size_t vocab, size_t most, llm_tokens_t *tokens, base_error_t *error) {
  reader_t reader = {.name = path, .vocab = vocab, .most = most, .tokens = tokens, .error = error};
  FILE *file = input_open(path, error);
  if (file == NULL) {
    return false;
  }
  const bool good = read_stream(file, &reader);
  fclose(file);
  return good;
}
