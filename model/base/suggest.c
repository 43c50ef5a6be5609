// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 32 };

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

// Edits (insert, delete, replace a letter) from a to b; both at most LONGEST long.
static unsigned distance(const char *a, const char *b) {
  unsigned row[LONGEST + 1];
  const size_t length = strlen(b);
  for (size_t j = 0; j <= length; ++j) {
    row[j] = (unsigned)j;
  }
  for (size_t i = 0; a[i] != '\0'; ++i) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i + 1;
    for (size_t j = 0; j < length; ++j) {
      const unsigned replace = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = least(replace, least(diagonal, row[j]) + 1);
    }
  }
  return row[length];
}

const char *suggest(const char *typed, const char *const *words, size_t count) {
  const size_t length = strlen(typed);
  const char *best = NULL;
  unsigned best_distance = length <= 4 ? 2 : 3;  // the first distance that is too far
  for (size_t i = 0; i < count && length <= LONGEST; ++i) {
    if (strlen(words[i]) <= LONGEST && distance(typed, words[i]) < best_distance) {
      best = words[i];
      best_distance = distance(typed, words[i]);
    }
  }
  return best;
}

const char *suggest_text(const char *typed, const char *const *words, size_t count, const char *prefix, char *text,
                         size_t size) {
  const char *word = suggest(typed, words, count);
  text[0] = '\0';
  if (word != NULL) {
    snprintf(text, size, "; did you mean %s%s?", prefix, word);
  }
  return text;
}
