// The vector pipe's operations: a row in hal/vector_ops.def and a function here, core_vec_NAME, for each.
//
// dst may be a or b itself (same address, same pitch), which the loops tell the compiler: an element depends on nothing
// but its own operands.  Operands that overlap dst in any other way give unspecified results.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_VECTOR_VECTOR_H
#define AMALGAM_CORE_VECTOR_VECTOR_H

#include <string.h>

#include "base/size.h"
#include "base/size.h"
#include "core/core_internal.h"
#include "num/num_isa.h"

// The operands of one operation; those that its form does not have are of no use.
typedef struct core_vec_tile {
  const cmd_vec_t *command;
  size_t rows, cols;  // rows that lie end to end are one
  bool tile;          // b has an element for each of a's, else one a row
  uint32_t from, to;  // types
  uint8_t *dst;
  const uint8_t *a, *b, *c;
  size_t dst_pitch, a_pitch, b_pitch, c_pitch;
} core_vec_tile_t;

// One row of them.
typedef struct core_vec_row {
  void *dst;
  const void *a, *b, *c;
} core_vec_row_t;

static inline core_vec_row_t core_vec_row(const core_vec_tile_t *t, size_t r) {
  return (core_vec_row_t){t->dst + r * t->dst_pitch, t->a + r * t->a_pitch, t->b + r * t->b_pitch,
                          t->c + r * t->c_pitch};
}

// EACH_ROW(t, row) { ... }
#define EACH_ROW(t, row)                    \
  for (size_t r_ = 0; r_ < (t)->rows; ++r_) \
    for (core_vec_row_t row = core_vec_row(t, r_), *once_ = &row; once_ != NULL; once_ = NULL)

#define VOP(NAME, name, cost, form, types, value, follow, text) void core_vec_##name(const core_vec_tile_t *t);
#include "hal/vector_ops.def"

#endif
