// A kernel of one's own: its firmware, arrays from files, and what came of it.
// attention/attention.h has an example of how these functions are used.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_CUSTOM_CUSTOM_H
#define AMALGAM_KERNEL_CUSTOM_CUSTOM_H

#include <stdio.h>

#include "base/npy.h"
#include "kernel/kernel.h"
#include "kernels/custom/custom_args.h"

typedef struct custom_request {
  kernel_machine_t machine;
  const char *firmware;   // .elf or .so
  const char *const *in;  // [inputs] .npy files
  size_t inputs;
  npy_type_t out_type;
  size_t out_shape[CUSTOM_DIMS_MAX], out_dims;
  const custom_param_t *param;  // [params]
  size_t params;
  const char *expect;   // .npy, what the result should be; NULL: anything
  double tolerance;     // how far an FP32 value may be from it
  bool allow_overflow;  // without expect: infinities and NaNs are no failure
} custom_request_t;

// The comparison with what was expected.
typedef struct custom_difference {
  size_t count;    // elements that are off by more than the tolerance
  size_t first;    // index of the first
  double largest;  // difference between FP32 values; infinite where only one is a NaN
} custom_difference_t;

// Infinities and NaNs of a result that nothing is expected of.
typedef struct custom_lost {
  size_t count;
  size_t first;  // index of the first
} custom_lost_t;

typedef struct custom_run {
  kernel_run_t kernel;  // its result: without flops and error
  kernel_machine_t machine;
  const char *firmware;
  const char *in_path[CUSTOM_INPUTS_MAX];
  npy_array_t in[CUSTOM_INPUTS_MAX];
  size_t inputs;
  npy_array_t out;
  npy_array_t want;  // no data: nothing is expected
  double tolerance;
  bool allow_overflow;
  soc_buffer_t buffer[CUSTOM_INPUTS_MAX + 1];  // of the inputs, then of the output
  custom_args_t args;
  custom_difference_t difference;
  custom_lost_t lost;
} custom_run_t;

// A number for the kernel: as FP32 bits and as a whole number, the nearest there is.
custom_param_t custom_param(double value, float rounded);

bool custom_prepare(const custom_request_t *request, custom_run_t *run, base_error_t *error);

// "3 of 64 elements of the result are not finite, first [0,3], which is nan", in so many bytes. Returns text.
enum { CUSTOM_LOST_BYTES = 256 };
const char *custom_lost_text(const custom_run_t *run, char text[CUSTOM_LOST_BYTES]);

// FP32 values may be off by the tolerance, a NaN is as good as another; of other types every bit counts.
extern const kernel_ops_t custom_ops;

#endif
