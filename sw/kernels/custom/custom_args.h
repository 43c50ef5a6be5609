// Arguments of a kernel that `amalgam run custom` starts: arrays in, one array out, a few numbers.
// They are in global memory, where REG_ARGS says; a scalar core can read them and nothing else there.
// kernels/custom/custom.h has what firmware reads them with.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_CUSTOM_CUSTOM_ARGS_H
#define AMALGAM_SW_KERNELS_CUSTOM_CUSTOM_ARGS_H

#include <stdint.h>

enum { CUSTOM_INPUTS_MAX = 8, CUSTOM_PARAMS_MAX = 8, CUSTOM_DIMS_MAX = 4 };

// In C order, without gaps.
typedef struct custom_array {
  uint64_t gm;  // address of element 0, a multiple of 512
  uint64_t bytes;
  uint32_t element;                 // bytes of one
  uint32_t dims;                    // 0 .. CUSTOM_DIMS_MAX
  uint32_t shape[CUSTOM_DIMS_MAX];  // 1 beyond dims
} custom_array_t;

// A number given with --param, both ways: scalar cores have no floating point.
typedef struct custom_param {
  uint32_t f32;   // FP32 bits
  int32_t whole;  // rounded towards zero; at the ends of its range if it is beyond
} custom_param_t;

typedef struct custom_args {
  uint32_t inputs, params;
  custom_array_t in[CUSTOM_INPUTS_MAX];     // in the order of --in; read only
  custom_array_t out;                       // all bytes 0xFF at first
  custom_param_t param[CUSTOM_PARAMS_MAX];  // in the order of --param; NaN and the lowest number beyond params
} custom_args_t;

#endif
