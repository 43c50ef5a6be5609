// Readers of the arguments of a kernel of `amalgam run custom`.  An array or a number that the command line did not
// give ends the run as a panic, which names the line.
//
//   const custom_args_t *args = custom_args();
//   const custom_array_t *x = custom_in(args, 0);                                      // the first --in
//   vector_op(.op = VOP_MUL, ..., .b_kind = OPERAND_SCALAR, .scalar = custom_f32(args, 0));   // the first --param
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_CUSTOM_CUSTOM_H
#define AMALGAM_SW_KERNELS_CUSTOM_CUSTOM_H

#include "hal/hal.h"
#include "kernels/custom/custom_args.h"
#include "lib/panic.h"

static inline const custom_args_t *custom_args(void) { return hal_gm(hal_read(REG_ARGS)); }

// The vector cores of the machine, and this one's number among them.
static inline uint32_t custom_cores(void) { return (uint32_t)(hal_read(REG_CORE_COUNT) * hal_read(REG_SUB_COUNT)); }
static inline uint32_t custom_core(void) {
  return (uint32_t)(hal_read(REG_CORE_INDEX) * hal_read(REG_SUB_COUNT) + hal_read(REG_SUB_INDEX));
}

// The array of the index-th --in, from 0.
#define custom_in(args, index) CUSTOM_GIVEN(PANIC_INPUT, custom_in_at(args, index), "custom_in(" #args ", " #index ")")
// The number of the index-th --param, from 0: as FP32 bits, as a whole number.
#define custom_f32(args, index) \
  CUSTOM_GIVEN(PANIC_PARAM, custom_param_at(args, index)->f32, "custom_f32(" #args ", " #index ")")
#define custom_whole(args, index) \
  CUSTOM_GIVEN(PANIC_PARAM, custom_param_at(args, index)->whole, "custom_whole(" #args ", " #index ")")
#define CUSTOM_GIVEN(code, value, text) \
  __extension__({                       \
    PANIC_TEXT(code, text);             \
    value;                              \
  })

static inline const custom_array_t *custom_in_at(const custom_args_t *args, uint32_t index) {
  panic_unless(index < args->inputs, PANIC_INPUT);
  return &args->in[index];
}

static inline const custom_param_t *custom_param_at(const custom_args_t *args, uint32_t index) {
  panic_unless(index < args->params, PANIC_PARAM);
  return &args->param[index];
}

#endif
