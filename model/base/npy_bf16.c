// SPDX-License-Identifier: Apache-2.0
#include "base/npy_bf16.h"

#include <math.h>
#include <stdlib.h>

#include "num/num_format.h"

static bool bits_finite(const char *path, const npy_array_t *array, base_error_t *error) {
  const uint16_t *bits = array->data;
  for (size_t i = 0; i < npy_count(array); ++i) {
    if ((bits[i] & 0x7f80u) == 0x7f80u) {
      char where[NPY_SHAPE_BYTES];
      return base_fail(error, "%s: %s at %s; expected finite values", path,
                       (bits[i] & 0x7fu) != 0 ? "NaN" : "infinity",
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
      return base_fail(error, "%s: %g at %s is beyond BF16", path, (double)values[i],
                       npy_index_text(array, i, where));
    }
  }
  free(array->data);
  array->data = bits;
  array->type = NPY_U2;
  return true;
}

bool npy_read_bf16(const char *path, npy_specials_t specials, npy_array_t *array,
                   base_error_t *error) {
  if (!npy_read(path, NPY_BIT(U2) | NPY_BIT(F4), array, error)) {
    return false;
  }
  if ((array->type == NPY_F4 && !round_to_bf16(path, array, error)) ||
      (specials == NPY_FINITE_ONLY && !bits_finite(path, array, error))) {
    npy_free(array);
    return false;
  }
  return true;
}

bool npy_refuse_shape(const char *path, const npy_array_t *array, const char *expected,
                      base_error_t *error) {
  char shape[NPY_SHAPE_BYTES];
  return base_fail(error, "%s: shape %s; expected %s", path,
                   npy_shape_text(array->shape, array->dims, shape), expected);
}
