// Functions of one operand.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core/vector/vector.h"
#include "num/num_exp.h"
#include "num/num_format.h"

#define EACH_ROW_BY(name, function)                         \
  void core_vec_##name(const core_vec_tile_t *t) {          \
    EACH_ROW(t, row) { function(row.a, row.dst, t->cols); } \
  }
EACH_ROW_BY(exp, num_exp32_n)
EACH_ROW_BY(ln, num_ln32_n)
EACH_ROW_BY(rsqrt, num_rsqrt32_n)

// core_vec_NAME: the result of x, an element of a.
#define FUNCTION(name, type, result)                            \
  NUM_CLONES                                                    \
  static void name##_loop(const type *a, type *dst, size_t n) { \
    for (size_t i = 0; i < n; ++i) {                            \
      const type x = a[i];                                      \
      dst[i] = (result);                                        \
    }                                                           \
  }                                                             \
  EACH_ROW_BY(name, name##_loop)

FUNCTION(sqrt, float, sqrtf(x))
FUNCTION(recip, float, 1.0f / x)
// Clears the sign bit, so that a NaN loses its sign, too.
FUNCTION(abs, uint32_t, x & 0x7fffffffu)
