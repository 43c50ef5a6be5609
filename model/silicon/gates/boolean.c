// SPDX-License-Identifier: Apache-2.0
#include "silicon/gates/boolean.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64, DEPTH_MAX = 64 };

// Input j's own truth table.
static const uint64_t input_table[BOOLEAN_INPUTS_MAX] = {
    0xaaaaaaaaaaaaaaaau, 0xccccccccccccccccu, 0xf0f0f0f0f0f0f0f0u,
    0xff00ff00ff00ff00u, 0xffff0000ffff0000u, 0xffffffff00000000u,
};

typedef struct reader {
  const char *text, *at;
  boolean_name_fn *number;
  void *context;
  size_t depth;
  base_error_t *error;
} reader_t;

static bool fail(const reader_t *r, const char *what) {
  return base_fail(r->error, "function \"%s\": %s", r->text, what);
}

static void skip(reader_t *r) {
  while (isspace((unsigned char)*r->at)) {
    r->at += 1;
  }
}

static bool is_name(char letter) { return isalnum((unsigned char)letter) || letter == '_'; }

static bool read_or(reader_t *r, uint64_t *table);

static bool read_name(reader_t *r, uint64_t *table) {
  char name[NAME_BYTES];
  size_t length = 0;
  for (; is_name(*r->at) && length < sizeof name - 1; ++length) {
    name[length] = *r->at++;
  }
  name[length] = '\0';
  if (is_name(*r->at)) {
    return fail(r, "a name that is too long");
  }
  if (strcmp(name, "0") == 0 || strcmp(name, "1") == 0) {
    *table = name[0] == '0' ? 0 : UINT64_MAX;
    return true;
  }
  const int number = r->number(r->context, name);
  if (number < 0 || number >= BOOLEAN_INPUTS_MAX) {
    return fail(r, "a name that is no input, or too many of them");
  }
  *table = input_table[number];
  return true;
}

static bool read_operand(reader_t *r, uint64_t *table) {
  uint64_t inverted = 0;
  for (skip(r); *r->at == '!'; skip(r)) {
    inverted = ~inverted;
    r->at += 1;
  }
  if (*r->at == '(') {
    r->at += 1;
    const bool good = ++r->depth < DEPTH_MAX && read_or(r, table);
    r->depth -= 1;
    skip(r);
    if (!good || *r->at != ')') {
      return fail(r, "parentheses");
    }
    r->at += 1;
  } else if (!is_name(*r->at) || !read_name(r, table)) {
    return fail(r, "expected an operand that is an input");
  }
  for (skip(r); *r->at == '\''; skip(r)) {
    inverted = ~inverted;
    r->at += 1;
  }
  *table ^= inverted;
  return true;
}

static bool read_xor(reader_t *r, uint64_t *table) {
  bool good = read_operand(r, table);
  for (skip(r); good && *r->at == '^'; skip(r)) {
    uint64_t other = 0;
    r->at += 1;
    good = read_operand(r, &other);
    *table ^= other;
  }
  return good;
}

static bool read_and(reader_t *r, uint64_t *table) {
  bool good = read_xor(r, table);
  for (skip(r); good && *r->at != '\0' && strchr(")+|", *r->at) == NULL; skip(r)) {
    uint64_t other = 0;
    r->at += *r->at == '&' || *r->at == '*';
    good = read_xor(r, &other);
    *table &= other;
  }
  return good;
}

static bool read_or(reader_t *r, uint64_t *table) {
  bool good = read_and(r, table);
  for (skip(r); good && (*r->at == '+' || *r->at == '|'); skip(r)) {
    uint64_t other = 0;
    r->at += 1;
    good = read_and(r, &other);
    *table |= other;
  }
  return good;
}

bool boolean_parse(const char *text, boolean_name_fn *number, void *context, uint64_t *table, base_error_t *error) {
  reader_t r = {text, text, number, context, 0, error};
  *table = 0;
  return read_or(&r, table) && (*r.at == '\0' || fail(&r, "something behind its end"));
}
