// SPDX-License-Identifier: Apache-2.0
#include "array/array_bf16.h"

#include <math.h>
#include <stdlib.h>

#include "num/num_format.h"

static bool is_finite(uint16_t bits) { return (bits & 0x7f80u) != 0x7f80u; }

// Without a branch for each.
static bool all_finite(const uint16_t *bits, size_t count) {
  unsigned others = 0;
  for (size_t i = 0; i < count; ++i) {
    others |= !is_finite(bits[i]);
  }
  return others == 0;
}

static bool bits_finite(const char *path, const npy_array_t *array, base_error_t *error) {
  const uint16_t *bits = array->data;
  const size_t count = npy_count(array);
  for (size_t i = all_finite(bits, count) ? count : 0; i < count; ++i) {
    if (!is_finite(bits[i])) {
      char where[NPY_SHAPE_BYTES];
      return base_fail(error, "%s: %s at %s; expected finite values", path, (bits[i] & 0x7fu) != 0 ? "NaN" : "infinity",
                       npy_index_text(array, i, where));
    }
  }
  return true;
}

static bool round_to_bf16(const char *path, npy_array_t *array, base_error_t *error) {
  const size_t count = npy_count(array);
  const float *values = array->data;
  uint16_t *bits = malloc(count == 0 ? 1 : count * sizeof *bits);
  if (bits == NULL) {
    return base_fail(error, "%s: out of memory", path);
  }
  num_bf16_from_f32_n(values, bits, count);
  for (size_t i = 0; i < count; ++i) {
    if (isfinite(values[i]) && (bits[i] & 0x7fffu) == 0x7f80u) {
      char where[NPY_SHAPE_BYTES];
      free(bits);
      return base_fail(error, "%s: %g at %s is beyond BF16", path, (double)values[i], npy_index_text(array, i, where));
    }
  }
  free(array->data);
  array->data = bits;
  array->type = NPY_U2;
  return true;
}

// Values of '<f2' as FP32, which has them all.
static bool widen(const char *path, npy_array_t *array, base_error_t *error) {
  const size_t count = npy_count(array);
  const uint16_t *half = array->data;
  float *values = malloc(count == 0 ? 1 : count * sizeof *values);
  if (values == NULL) {
    return base_fail(error, "%s: out of memory", path);
  }
  for (size_t i = 0; i < count; ++i) {
    values[i] = num_fp16_to_f32(half[i]);
  }
  free(array->data);
  array->data = values;
  array->type = NPY_F4;
  return true;
}

static bool is_exact(const char *path, const npy_array_t *array, base_error_t *error) {
  const float *values = array->data;
  const size_t count = npy_count(array);
  for (size_t i = 0; i < count; ++i) {
    if (isfinite(values[i]) && num_bf16_to_f32(num_bf16_from_f32(values[i])) != values[i]) {
      char where[NPY_SHAPE_BYTES];
      return base_fail(error, "%s: dtype '<f2', and BF16 lacks %g at %s; expected BF16, '<f4', or --round", path,
                       (double)values[i], npy_index_text(array, i, where));
    }
  }
  return true;
}

static bool convert(const char *path, array_bf16_t how, npy_array_t *array, base_error_t *error) {
  const bool half = array->type == NPY_F2;
  return (!half || (widen(path, array, error) && (how.round || is_exact(path, array, error)))) &&
         (array->type == NPY_U2 || round_to_bf16(path, array, error)) &&
         (how.specials == NPY_ANY_VALUES || bits_finite(path, array, error));
}

bool array_to_bf16(const char *name, array_bf16_t how, npy_array_t *array, base_error_t *error) {
  const bool good = convert(name, how, array, error);
  if (!good) {
    npy_free(array);
  }
  return good;
}

bool array_read_bf16(const char *name, array_bf16_t how, npy_array_t *array, base_error_t *error) {
  return array_read(name, ARRAY_BF16_TYPES, array, error) && array_to_bf16(name, how, array, error);
}
