// BF16 arrays: '<u2' bits, '|V2' of ml_dtypes and BF16 tensors as they are, '<f4' rounded to nearest even, '<f2' if
// BF16 has each of its values.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ARRAY_ARRAY_BF16_H
#define AMALGAM_ARRAY_ARRAY_BF16_H

#include "array/array.h"

// Says whether infinities and NaNs in a file are refused. A finite number that BF16 does not have is refused in
// any case.
typedef enum npy_specials { NPY_FINITE_ONLY, NPY_ANY_VALUES } npy_specials_t;

#define ARRAY_BF16_TYPES (NPY_BIT(U2) | NPY_BIT(F4) | NPY_BIT(F2))

typedef struct array_bf16 {
  npy_specials_t specials;
  bool round;  // '<f2', too, is rounded to nearest even
} array_bf16_t;

// False: *array holds nothing and error names the file.
bool array_read_bf16(const char *name, array_bf16_t how, npy_array_t *array, base_error_t *error);

// Converts an array that was read, of one of ARRAY_BF16_TYPES.
bool array_to_bf16(const char *name, array_bf16_t how, npy_array_t *array, base_error_t *error);

#endif
