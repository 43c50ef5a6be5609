// BF16 arrays from .npy files: '<u2' bits as they are, or '<f4' rounded to nearest even.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_NPY_BF16_H
#define BASE_NPY_BF16_H

#include "base/npy.h"

// Whether infinities and NaNs in a file are refused. A finite number that BF16 does not have is in
// any case.
typedef enum npy_specials { NPY_FINITE_ONLY, NPY_ANY_VALUES } npy_specials_t;

// False: *array holds nothing and error names the file.
bool npy_read_bf16(const char *path, npy_specials_t specials, npy_array_t *array,
                   base_error_t *error);

// "PATH: shape (..); expected WHAT". Always false.
bool npy_refuse_shape(const char *path, const npy_array_t *array, const char *expected,
                      base_error_t *error);

#endif
