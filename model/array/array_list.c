// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "array/array_internal.h"

const char *array_list(const void *file, size_t count, const char *(*at)(const void *file, size_t index),
                       char text[ARRAY_LIST_BYTES]) {
  enum { SHOWN = 6, NAME_MOST = 30 };
  size_t used = (size_t)snprintf(text, ARRAY_LIST_BYTES, "; it has %s", count == 0 ? "none" : "");
  for (size_t i = 0; i < count && i < SHOWN; ++i) {
    used +=
        (size_t)snprintf(text + used, ARRAY_LIST_BYTES - used, "%s%.*s", i == 0 ? "" : ", ", NAME_MOST, at(file, i));
  }
  if (count > SHOWN) {
    snprintf(text + used, ARRAY_LIST_BYTES - used, " and %zu more", count - SHOWN);
  }
  for (char *c = text; *c != '\0'; ++c) {
    *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
  }
  return text;
}
