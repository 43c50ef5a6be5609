// The operations of a step, one function for each kind of core that has work in it: step.c calls them on every such
// core with arguments in global memory. An operation finds L1, UB and L0 free and no flag up, and leaves them so.
// Before it and after it is a barrier of all pipes of all cores: only what it does itself needs order.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_STEP_STEP_H
#define AMALGAM_SW_KERNELS_STEP_STEP_H

#include "kernels/step/step_args.h"

enum { STEP_VECTORS_DONE = 14, STEP_CUBES_DONE = 15 };  // cross-core flags of the barrier, not for operations

// By STEP_OP's cores: what each kind of core calls.
#define STEP_CUBE_OF_CUBE(name, args) step_##name##_cube(args)
#define STEP_CUBE_OF_VECTOR(name, args) ((void)0)
#define STEP_CUBE_OF_BOTH(name, args) step_##name##_cube(args)
#define STEP_VECTOR_OF_CUBE(name, args) ((void)0)
#define STEP_VECTOR_OF_VECTOR(name, args) step_##name##_vector(args)
#define STEP_VECTOR_OF_BOTH(name, args) step_##name##_vector(args)

#define STEP_OP(NAME, name, cores, text)                     \
  void step_##name##_cube(const step_##name##_args_t *args); \
  void step_##name##_vector(const step_##name##_args_t *args);
#include "kernels/step/step_ops.def"
#undef STEP_OP

#endif
