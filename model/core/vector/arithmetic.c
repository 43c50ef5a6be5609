// Sums, products, quotients, larger and smaller ones.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core/vector/vector.h"
#include "num/num_format.h"

enum { CHUNK = 256 };  // elements handled through buffers on the stack at a time

typedef void arithmetic_t(bool tile, float *dst, const float *a, const float *b, size_t n);

// The FP32 result of two FP16 operands has more than twice the bits of an FP16 and two: rounding it
// again gives what rounding once would (Figueroa, "When is double rounding innocuous?", 1995).
static void in_half(arithmetic_t *operation, uint8_t *dst, const uint8_t *a, const uint8_t *b, size_t n) {
  for (size_t i = 0; i < n; i += CHUNK) {
    const size_t count = smaller(n - i, CHUNK);
    uint16_t half[CHUNK];
    float x[CHUNK];
    float y[CHUNK];
    memcpy(half, a + 2 * i, 2 * count);
    num_fp16_to_f32_n(half, x, count);
    memcpy(half, b + 2 * i, 2 * count);
    num_fp16_to_f32_n(half, y, count);
    operation(true, x, x, y, count);
    num_fp16_from_f32_n(x, half, count);
    memcpy(dst + 2 * i, half, 2 * count);
  }
}

static void in_type(const core_vec_tile_t *t, arithmetic_t *operation) {
  const bool half = t->from == TYPE_F16;
  EACH_ROW(t, row) {
    if (half) {
      in_half(operation, row.dst, row.a, row.b, t->cols);
    } else {
      operation(t->tile, row.dst, row.a, row.b, t->cols);
    }
  }
}

// core_vec_NAME: the result of x and y, elements of a and b.
#define ARITHMETIC(name, result)                                                             \
  NUM_CLONES                                                                                 \
  static void name##_loop(bool tile, float *dst, const float *a, const float *b, size_t n) { \
    if (tile) {                                                                              \
      _Pragma("GCC ivdep") for (size_t i = 0; i < n; ++i) {                                  \
        const float x = a[i], y = b[i];                                                      \
        dst[i] = (result);                                                                   \
      }                                                                                      \
    } else {                                                                                 \
      const float y = *b;                                                                    \
      _Pragma("GCC ivdep") for (size_t i = 0; i < n; ++i) {                                  \
        const float x = a[i];                                                                \
        dst[i] = (result);                                                                   \
      }                                                                                      \
    }                                                                                        \
  }                                                                                          \
  void core_vec_##name(const core_vec_tile_t *t) { in_type(t, name##_loop); }

ARITHMETIC(add, x + y)
ARITHMETIC(sub, x - y)
ARITHMETIC(mul, x *y)
ARITHMETIC(div, x / y)
ARITHMETIC(max, x > y ? x : y)
ARITHMETIC(min, x < y ? x : y)

NUM_CLONES
static void fma_loop(bool tile, float *dst, const float *a, const float *b, const float *c, size_t n) {
  if (tile) {
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
      dst[i] = fmaf(a[i], b[i], c[i]);
    }
  } else {
    const float y = *b;
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
      dst[i] = fmaf(a[i], y, c[i]);
    }
  }
}

// Rounded to FP16 alone.
static void fma_to_half(bool tile, uint8_t *dst, const float *a, const float *b, const float *c, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const uint16_t half = num_fp16_fma(a[i], tile ? b[i] : *b, c[i]);
    memcpy(dst + 2 * i, &half, sizeof half);
  }
}

void core_vec_fma(const core_vec_tile_t *t) {
  const bool half = t->to == TYPE_F16;
  EACH_ROW(t, row) {
    if (half) {
      fma_to_half(t->tile, row.dst, row.a, row.b, row.c, t->cols);
    } else {
      fma_loop(t->tile, row.dst, row.a, row.b, row.c, t->cols);
    }
  }
}

// One factor for each VEC_SCALE_COLS elements.
void core_vec_scale(const core_vec_tile_t *t) {
  EACH_ROW(t, row) {
    const float *factors = row.b;
    for (size_t i = 0; i < t->cols; i += VEC_SCALE_COLS) {
      mul_loop(false, (float *)row.dst + i, (const float *)row.a + i, factors + i / VEC_SCALE_COLS,
               smaller(t->cols - i, VEC_SCALE_COLS));
    }
  }
}
