// SPDX-License-Identifier: Apache-2.0
#include "array/array.h"
#include "kernel/attention/attention_mask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"

// [G,S], or [S] and [1,S] for all rows; also [Sq,heads,S].
static bool mask_shape(const attention_problem_t *problem, const npy_array_t *mask, bool *one_row) {
  size_t rows = 1;
  if (mask->dims < 1 || mask->dims > 3 || mask->shape[mask->dims - 1] != problem->keys) {
    return false;
  }
  for (size_t i = 0; i + 1 < mask->dims; ++i) {
    rows *= mask->shape[i];
  }
  *one_row = rows == 1;
  return rows == 1 || rows == problem->rows;
}

static bool additive_to_bytes(const char *path, const npy_array_t *mask, uint8_t *bytes, base_error_t *error) {
  const float *values = mask->data;
  for (size_t i = 0; i < npy_count(mask); ++i) {
    const bool hidden = isinf(values[i]) && values[i] < 0;
    if (values[i] != 0 && !hidden) {
      char where[NPY_SHAPE_BYTES];
      return base_fail(error, "%s: %g at %s; a '<f4' mask holds 0 (takes part) and -inf (masked)", path,
                       (double)values[i], npy_index_text(mask, i, where));
    }
    bytes[i] = !hidden;
  }
  return true;
}

static bool mask_to_bytes(const char *path, const npy_array_t *mask, uint8_t *bytes, base_error_t *error) {
  if (mask->type == NPY_F4) {
    return additive_to_bytes(path, mask, bytes, error);
  }
  const uint8_t *values = mask->data;
  for (size_t i = 0; i < npy_count(mask); ++i) {
    bytes[i] = values[i] != 0;
  }
  return true;
}

static bool use_mask(attention_problem_t *problem, const char *path, const npy_array_t *mask, base_error_t *error) {
  bool one_row;
  char shape[NPY_SHAPE_BYTES];
  if (!mask_shape(problem, mask, &one_row)) {
    return base_fail(error, "%s: shape %s; expected (%zu, %zu) or (%zu,)", path,
                     npy_shape_text(mask->shape, mask->dims, shape), problem->rows, problem->keys, problem->keys);
  }
  problem->visible = malloc(problem->rows * problem->keys);
  if (problem->visible == NULL) {
    return base_fail(error, "%s: out of memory", path);
  }
  if (!mask_to_bytes(path, mask, problem->visible, error)) {
    return false;
  }
  for (size_t row = 1; one_row && row < problem->rows; ++row) {
    memcpy(problem->visible + row * problem->keys, problem->visible, problem->keys);
  }
  return true;
}

bool attention_read_mask(attention_problem_t *problem, const char *path, base_error_t *error) {
  npy_array_t mask;
  if (!array_read(path, NPY_BIT(B1) | NPY_BIT(U1) | NPY_BIT(F4), &mask, error)) {
    return false;
  }
  const bool good = use_mask(problem, path, &mask, error);
  npy_free(&mask);
  return good;
}

bool attention_apply_causal(attention_problem_t *problem, base_error_t *error) {
  const size_t keys = problem->keys;
  if (problem->seq_q == 1) {
    return true;  // one token sees everything
  }
  if (problem->visible == NULL) {
    problem->visible = malloc(problem->rows * keys);
    if (problem->visible == NULL) {
      return base_fail(error, "--causal: out of memory");
    }
    memset(problem->visible, 1, problem->rows * keys);
  }
  for (size_t row = 0; row < problem->rows; ++row) {
    const size_t later = problem->seq_q - 1 - row / problem->heads;  // tokens after this one
    const size_t seen = keys > later ? keys - later : 0;
    memset(problem->visible + row * keys + seen, 0, keys - seen);
  }
  return true;
}

uint8_t *attention_pack_mask(const attention_problem_t *problem, size_t *bytes, size_t *pitch) {
  const size_t blocks = (problem->keys + problem->block - 1) / problem->block;
  *pitch = (blocks * problem->block / 8 + 31) / 32 * 32;
  *bytes = problem->rows * *pitch;
  uint8_t *bits = calloc(*bytes, 1);
  for (size_t row = 0; bits != NULL && row < problem->rows; ++row) {
    for (size_t key = 0; key < problem->keys; ++key) {
      if (problem->visible[row * problem->keys + key] != 0) {
        bits[row * *pitch + key / 8] |= (uint8_t)(1u << key % 8);
      }
    }
  }
  return bits;
}
