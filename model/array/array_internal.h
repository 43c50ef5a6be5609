// The readers of each kind of file.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ARRAY_ARRAY_INTERNAL_H
#define AMALGAM_ARRAY_ARRAY_INTERNAL_H

#include "array/array.h"

// "FILE:ARRAY" taken apart; array "": there was none.
typedef struct array_name {
  const char *whole;  // for messages
  char file[4096];
  const char *array;
} array_name_t;

bool array_read_npz(const array_name_t *name, unsigned accepted, npy_array_t *array, base_error_t *error);
bool array_read_safetensors(const array_name_t *name, unsigned accepted, npy_array_t *array, base_error_t *error);

// "; it has a, b, c and 4 more", of count names; text has room for ARRAY_LIST_BYTES.
enum { ARRAY_LIST_BYTES = 256 };
const char *array_list(const void *file, size_t count, const char *(*at)(const void *file, size_t index),
                       char text[ARRAY_LIST_BYTES]);

#endif
