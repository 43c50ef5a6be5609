// SPDX-License-Identifier: Apache-2.0
#include "kernel/mask.h"

#include <math.h>
#include <stdlib.h>

#include "array/array.h"
#include "base/npy.h"

static size_t rows_of(const npy_array_t *mask) {
  size_t rows = 1;
  for (size_t i = 0; i + 1 < mask->dims; ++i) {
    rows *= mask->shape[i];
  }
  return rows;
}

static bool fits(mask_shape_t shape, const npy_array_t *mask) {
  return mask->dims >= 1 && mask->dims <= shape.row_axes + 1 && mask->shape[mask->dims - 1] == shape.keys &&
         (rows_of(mask) == 1 || rows_of(mask) == shape.rows);
}

static bool takes_part(const char *path, const npy_array_t *mask, size_t i, uint8_t *visible, base_error_t *error) {
  if (mask->type != NPY_F4) {
    *visible = ((const uint8_t *)mask->data)[i] != 0;
    return true;
  }
  const float value = ((const float *)mask->data)[i];
  char where[NPY_SHAPE_BYTES];
  *visible = value == 0;
  return value == 0 || (isinf(value) && value < 0) ||
         base_fail(error, "%s: %g at %s; a '<f4' mask holds 0 (takes part) and -inf (masked)", path, (double)value,
                   npy_index_text(mask, i, where));
}

static bool take_mask(const char *path, mask_shape_t shape, const npy_array_t *mask, uint8_t *visible,
                      base_error_t *error) {
  if (!fits(shape, mask)) {
    return npy_refuse_shape(path, mask, error, "(%zu, %zu) or (%zu,)", shape.rows, shape.keys, shape.keys);
  }
  for (size_t i = 0; visible != NULL && i < npy_count(mask); ++i) {
    if (!takes_part(path, mask, i, &visible[i], error)) {
      return false;
    }
  }
  return visible != NULL || base_fail(error, "%s: out of memory", path);
}

bool mask_read(const char *path, mask_shape_t shape, uint8_t **visible, size_t *mask_rows, base_error_t *error) {
  npy_array_t mask;
  if (!array_read(path, NPY_BIT(B1) | NPY_BIT(U1) | NPY_BIT(F4), &mask, error)) {
    return false;
  }
  *visible = malloc(npy_count(&mask) + 1);
  *mask_rows = rows_of(&mask);
  const bool good = take_mask(path, shape, &mask, *visible, error);
  npy_free(&mask);
  return good;
}

uint8_t *mask_pack(const uint8_t *visible, size_t rows, size_t keys, size_t pitch) {
  uint8_t *bits = calloc(rows * pitch, 1);
  for (size_t row = 0; bits != NULL && row < rows; ++row) {
    for (size_t key = 0; key < keys; ++key) {
      if (visible[row * keys + key] != 0) {
        bits[row * pitch + key / 8] |= (uint8_t)(1u << key % 8);
      }
    }
  }
  return bits;
}
