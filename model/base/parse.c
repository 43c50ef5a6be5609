// SPDX-License-Identifier: Apache-2.0
#include "base/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parse_count(const char *text, uint64_t *value) {
  if (*text == '\0' || strspn(text, "0123456789") != strlen(text)) {
    return false;
  }
  errno = 0;
  const unsigned long long number = strtoull(text, NULL, 10);
  *value = number;
  return errno == 0;
}

// Refuses texts that strtod takes although they are no numbers here: "nan", "inf", " 1", "0x1p3".
static bool looks_real(const char *text) { return *text != '\0' && strspn(text, "+-.0123456789eE") == strlen(text); }

bool parse_real(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return looks_real(text) && *end == '\0' && end != text && isfinite(*value);
}

bool parse_float(const char *text, float *value) {
  char *end;
  *value = strtof(text, &end);
  return looks_real(text) && *end == '\0' && end != text && isfinite(*value);
}

const char *parse_hint(const char *text) {
  text += strspn(text, "+-");
  return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? "; numbers are decimal" : "";
}

int parse_choice(const char *text, const char *choices) {
  const size_t length = strlen(text);
  int index = 0;
  for (const char *word = choices;; ++index) {
    const size_t word_length = strcspn(word, "|");
    if (word_length == length && memcmp(word, text, length) == 0) {
      return index;
    }
    if (word[word_length] == '\0') {
      return -1;
    }
    word += word_length + 1;
  }
}

bool parse_distribution(const char *text, distribution_t *distribution) {
  const size_t name = strcspn(text, ":");
  if (name == strlen("normal") && memcmp(text, "normal", name) == 0) {
    distribution->kind = DISTRIBUTION_NORMAL;
  } else if (name == strlen("uniform") && memcmp(text, "uniform", name) == 0) {
    distribution->kind = DISTRIBUTION_UNIFORM;
  } else {
    return false;
  }
  distribution->width = 1;
  return text[name] == '\0' ||
         (parse_real(text + name + 1, &distribution->width) && distribution->width > 0 && distribution->width <= 1e30);
}
