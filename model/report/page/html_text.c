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

void html_base64(FILE *file, const char *text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t left = strlen(text), three; left > 0; left -= three, text += three) {
    three = left < 3 ? left : 3;
    unsigned bits = 0;
    for (size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < three ? (unsigned char)text[i] : 0);
    }
    for (size_t i = 0; i < 4; ++i) {
      fputc(i <= three ? digits[bits >> (18 - 6 * i) & 63] : '=', file);
    }
  }
}
