// SPDX-License-Identifier: Apache-2.0
#include "report/page/html_text.h"

#include <string.h>

void html_text_n(FILE *file, const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    switch (text[i]) {
      case '&':
        fputs("&amp;", file);
        break;
      case '<':
        fputs("&lt;", file);
        break;
      case '>':
        fputs("&gt;", file);
        break;
      case '"':
        fputs("&quot;", file);
        break;
      default:
        fputc(text[i], file);
        break;
    }
  }
}

void html_text(FILE *file, const char *text) { html_text_n(file, text, strlen(text)); }
