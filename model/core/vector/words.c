// Operations on words, whatever they mean.
// SPDX-License-Identifier: Apache-2.0
#include "core/vector/vector.h"

// core_vec_NAME: the result of x and y, elements of a and b.
#define WORDS(name, result)                                                                           \
  NUM_CLONES                                                                                          \
  static void name##_loop(bool tile, uint32_t *dst, const uint32_t *a, const uint32_t *b, size_t n) { \
    const uint32_t repeated = *b;                                                                     \
    _Pragma("GCC ivdep") for (size_t i = 0; i < n; ++i) {                                             \
      const uint32_t x = a[i], y = tile ? b[i] : repeated;                                            \
      dst[i] = (result);                                                                              \
    }                                                                                                 \
  }                                                                                                   \
  void core_vec_##name(const core_vec_tile_t *t) {                                                    \
    EACH_ROW(t, row) { name##_loop(t->tile, row.dst, row.a, row.b, t->cols); }                        \
  }
WORDS(and, x &y)
WORDS(add_s32, x + y)

NUM_CLONES
static void fill_row(uint32_t *dst, uint32_t value, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    dst[i] = value;
  }
}

void core_vec_broadcast(const core_vec_tile_t *t) {
  EACH_ROW(t, row) { fill_row(row.dst, *(const uint32_t *)row.b, t->cols); }
}

void core_vec_column(const core_vec_tile_t *t) {
  EACH_ROW(t, row) {
    float *dst = row.dst;
    for (size_t i = 0; i < t->cols; ++i) {
      dst[i] = (float)i;
    }
  }
}

void core_vec_swap(const core_vec_tile_t *t) {
  EACH_ROW(t, row) {
    const uint32_t *a = row.a;
    uint32_t *dst = row.dst;
    for (size_t i = 0; i < t->cols; i += 2) {
      const uint32_t first = a[i];
      dst[i] = a[i + 1];
      dst[i + 1] = first;
    }
  }
}
