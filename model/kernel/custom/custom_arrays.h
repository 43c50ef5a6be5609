// The arrays of `run custom`.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_CUSTOM_ARRAYS_H
#define KERNEL_CUSTOM_ARRAYS_H

#include "base/npy.h"
#include "cli/option/options.h"
#include "kernels/custom/custom_args.h"
#include "soc/soc.h"

typedef struct custom_arrays {
  npy_array_t in[CUSTOM_INPUTS_MAX];
  const char *in_path[CUSTOM_INPUTS_MAX];
  size_t inputs;
  npy_array_t out;
  npy_array_t want;         // of --expect; no data: nothing is expected
  soc_buffer_t buffer[CUSTOM_INPUTS_MAX + 1];   // of the inputs, then of the output
  custom_args_t args;
} custom_arrays_t;

// Reads --in, --out-shape, --out-type, --param and --expect, and gives every array its place.
bool custom_arrays_read(const options_t *options, custom_arrays_t *arrays, base_error_t *error);
void custom_arrays_free(custom_arrays_t *arrays);

// What became of what was expected.
typedef struct custom_difference {
  size_t count;             // elements that are off by more than the tolerance
  size_t first;             // index of the first
  double largest;           // difference between FP32 values; infinite where only one is a NaN
} custom_difference_t;

// FP32 values may be off by the tolerance, a NaN is as good as another; of other types every bit
// counts.
custom_difference_t custom_compare(const npy_array_t *out, const npy_array_t *want,
                                   double tolerance);

// Element `index` as text: an FP32 value, else its bits as a whole number.
enum { CUSTOM_ELEMENT_BYTES = 40 };
const char *custom_element_text(const npy_array_t *array, size_t index,
                                char text[CUSTOM_ELEMENT_BYTES]);

#endif
