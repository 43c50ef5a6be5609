// Files of named tensors in the format safetensors (github.com/huggingface/safetensors, "Format"):
//
//   N, 8 bytes little endian | header, N bytes | data
//
// The header is a JSON object; spaces may follow it. {"NAME": {"dtype": "BF16", "shape": [2, 3],
// "data_offsets": [begin, end]}, ...}, and perhaps "__metadata__", an object that is not looked at. Offsets count
// bytes from the start of the data. Elements are little endian, in C order; tensors lie end to end and fill the file.
//
// All of this is checked when a file is opened; nothing is believed before. Data are read when somebody asks for them,
// and not mapped: a file that becomes shorter meanwhile is then an error, and no signal.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_CHECKPOINT_SAFETENSORS_H
#define AMALGAM_LLM_CHECKPOINT_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

// SAFETENSORS_TYPE(NAME, bytes of an element)
#define SAFETENSORS_TYPES(SAFETENSORS_TYPE) \
  SAFETENSORS_TYPE(BF16, 2)                 \
  SAFETENSORS_TYPE(F16, 2)                  \
  SAFETENSORS_TYPE(F32, 4)                  \
  SAFETENSORS_TYPE(BOOL, 1)                 \
  SAFETENSORS_TYPE(U8, 1)                   \
  SAFETENSORS_TYPE(I8, 1)                   \
  SAFETENSORS_TYPE(F8_E4M3, 1)              \
  SAFETENSORS_TYPE(F8_E5M2, 1)              \
  SAFETENSORS_TYPE(F8_E8M0, 1)              \
  SAFETENSORS_TYPE(U16, 2)                  \
  SAFETENSORS_TYPE(I16, 2)                  \
  SAFETENSORS_TYPE(U32, 4)                  \
  SAFETENSORS_TYPE(I32, 4)                  \
  SAFETENSORS_TYPE(U64, 8)                  \
  SAFETENSORS_TYPE(I64, 8)                  \
  SAFETENSORS_TYPE(F64, 8)

typedef enum safetensors_type {
#define SAFETENSORS_TYPE(name, bytes) SAFETENSORS_##name,
  SAFETENSORS_TYPES(SAFETENSORS_TYPE)
#undef SAFETENSORS_TYPE
} safetensors_type_t;

enum { SAFETENSORS_MAX_DIMS = 8 };

typedef struct safetensors_entry {
  const char *name;
  safetensors_type_t type;
  size_t dims;
  uint64_t shape[SAFETENSORS_MAX_DIMS];
  uint64_t begin, bytes;  // of its data, begin counted from the first tensor's
} safetensors_entry_t;

typedef struct safetensors safetensors_t;

const char *safetensors_type_name(safetensors_type_t type);
size_t safetensors_type_bytes(safetensors_type_t type);

// NULL: error names the file, and the tensor if it is one's.
safetensors_t *safetensors_open(const char *path, base_error_t *error);
void safetensors_close(safetensors_t *file);  // may be NULL

const char *safetensors_path(const safetensors_t *file);
size_t safetensors_count(const safetensors_t *file);

// By index, in the order of names; by name, NULL: there is none. Both until the file is closed.
const safetensors_entry_t *safetensors_at(const safetensors_t *file, size_t index);
const safetensors_entry_t *safetensors_find(const safetensors_t *file, const char *name);

// Bytes first .. first + bytes - 1 of a tensor. Threads may read side by side.
__attribute__((warn_unused_result)) bool safetensors_read(const safetensors_t *file, const safetensors_entry_t *entry,
                                                          uint64_t first, size_t bytes, void *out, base_error_t *error);

#endif
