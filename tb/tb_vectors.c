// SPDX-License-Identifier: Apache-2.0
#include "tb_vectors.h"

#include <stdbool.h>
#include <string.h>

enum { LINE_SIZE = 128 };
static const char BLANKS[] = " \t\r\n";

// Up to so many digits with a blank or the end behind them; moves text to what follows.
static bool hexadecimal(const char **text, size_t digits, uint32_t *value) {
  static const char DIGITS[] = "0123456789abcdef0123456789ABCDEF";
  const char *at = *text + strspn(*text, BLANKS);
  const size_t count = strspn(at, DIGITS);
  if (count == 0 || count > digits || (at[count] != '\0' && strchr(BLANKS, at[count]) == NULL)) {
    return false;
  }
  *value = 0;
  for (size_t i = 0; i < count; ++i) {
    *value = *value << 4 | (uint32_t)((strchr(DIGITS, at[i]) - DIGITS) % 16);
  }
  *text = at + count;
  return true;
}

static bool is_blank(const char *text) { return text[strspn(text, BLANKS)] == '\0'; }

tb_vector_next_t tb_vector_next(FILE *file, tb_vector_t *vector) {
  char line[LINE_SIZE];
  while (fgets(line, sizeof line, file) != NULL) {
    vector->line++;
    const bool whole = strchr(line, '\n') != NULL || feof(file);
    if (whole && (line[0] == '#' || is_blank(line))) {
      continue;
    }
    const char *text = line;
    uint32_t flags;
    const bool good = whole && hexadecimal(&text, 8, &vector->a) && hexadecimal(&text, 8, &vector->b) &&
                      hexadecimal(&text, 8, &vector->expected) && (is_blank(text) || hexadecimal(&text, 2, &flags));
    return good && is_blank(text) ? TB_VECTOR_READ : TB_VECTOR_BAD;
  }
  return TB_VECTOR_END;
}
