// SPDX-License-Identifier: Apache-2.0
#include "cli/option/wrap.h"

#include <string.h>

enum { RIGHT = 100 };

void wrap_words(FILE *file, const char *text, size_t length, int left, int column) {
  const char *end = text + length;
  while (text < end) {
    text += strspn(text, " \n");
    if (text >= end) {
      break;
    }
    int word = (int)strcspn(text, " \n");
    word = text + word > end ? (int)(end - text) : word;
    if (column > left && column + 1 + word > RIGHT) {
      fprintf(file, "\n%*s", left, "");
      column = left;
    }
    const char *gap = column > left ? " " : "";
    fprintf(file, "%s%.*s", gap, word, text);
    column += (int)strlen(gap) + word;
    text += word;
  }
  fputc('\n', file);
}
