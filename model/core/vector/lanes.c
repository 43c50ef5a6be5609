// What instructions of the vector pipe compute in each lane.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core/vector/instruction.h"
#include "num/num_exp.h"
#include "num/num_format.h"

enum { CHUNK = 256 };  // lanes handled through buffers on the stack at a time

// NAME_type: a loop over lanes of that type.  result: of x and y, lanes of a and b, z, that of dst, and s, the scalar;
// in work, which is wide enough for it.
#define LOOP(name, type, work, result)                                               \
  NUM_CLONES                                                                         \
  static void name(type *dst, const type *a, const type *b, type scalar, size_t n) { \
    const work s = scalar;                                                           \
    (void)b;                                                                         \
    (void)s;                                                                         \
    _Pragma("GCC ivdep") for (size_t i = 0; i < n; ++i) {                            \
      const work x = a[i], y = b[i], z = dst[i];                                     \
      (void)y;                                                                       \
      (void)z;                                                                       \
      dst[i] = (type)(result);                                                       \
    }                                                                                \
  }

typedef void f32_loop_t(float *dst, const float *a, const float *b, float scalar, size_t n);

// In FP32, and rounded: for sums, products, quotients and roots that is what rounding once would give (Figueroa, "When
// is double rounding innocuous?", 1995).
static void in_half(f32_loop_t *loop, const core_lanes_t *t) {
  const uint16_t *a = t->a, *b = t->b;
  uint16_t *dst = t->dst;
  const float scalar = num_fp16_to_f32((uint16_t)t->scalar);
  for (size_t i = 0; i < t->n; i += CHUNK) {
    const size_t count = smaller(t->n - i, CHUNK);
    float x[CHUNK], y[CHUNK];
    num_fp16_to_f32_n(a + i, x, count);
    num_fp16_to_f32_n(b + i, y, count);
    loop(x, x, y, scalar, count);
    num_fp16_from_f32_n(x, dst + i, count);
  }
}

static void in_float(f32_loop_t *loop, const core_lanes_t *t) {
  if (t->type == TYPE_F16) {
    in_half(loop, t);
  } else {
    loop(t->dst, t->a, t->b, num_f32_from_bits(t->scalar), t->n);
  }
}

#define FLOAT(name, result)              \
  LOOP(name##_f32, float, float, result) \
  void core_vi_##name(const core_lanes_t *t) { in_float(name##_f32, t); }

// Integers are computed modulo 2^32 and cut.
#define NUMBER(name, in_f32, in_integer)                          \
  LOOP(name##_f32, float, float, in_f32)                          \
  LOOP(name##_s32, int32_t, int32_t, in_integer)                  \
  LOOP(name##_s16, int16_t, int32_t, in_integer)                  \
  void core_vi_##name(const core_lanes_t *t) {                    \
    switch (t->type) {                                            \
      case TYPE_S32:                                              \
        name##_s32(t->dst, t->a, t->b, (int32_t)t->scalar, t->n); \
        break;                                                    \
      case TYPE_S16:                                              \
        name##_s16(t->dst, t->a, t->b, (int16_t)t->scalar, t->n); \
        break;                                                    \
      default:                                                    \
        in_float(name##_f32, t);                                  \
    }                                                             \
  }

#define U(x) ((uint32_t)(x))
NUMBER(add, x + y, (int32_t)(U(x) + U(y)))
NUMBER(sub, x - y, (int32_t)(U(x) - U(y)))
NUMBER(mul, x *y, (int32_t)(U(x) * U(y)))
NUMBER(max, x > y ? x : y, x > y ? x : y)
NUMBER(min, x < y ? x : y, x < y ? x : y)
NUMBER(adds, x + s, (int32_t)(U(x) + U(s)))
NUMBER(muls, x *s, (int32_t)(U(x) * U(s)))
NUMBER(maxs, x > s ? x : s, x > s ? x : s)
NUMBER(mins, x < s ? x : s, x < s ? x : s)
NUMBER(relu, x > 0 ? x : 0, x > 0 ? x : 0)
FLOAT(div, x / y)
FLOAT(sqrt, sqrtf(x))
FLOAT(recip, 1.0f / x)
FLOAT(leaky_relu, x > 0 ? x : x * s)

#define FLOAT_BY(name, function)                                                               \
  static void name##_f32(float *dst, const float *a, const float *b, float scalar, size_t n) { \
    (void)b;                                                                                   \
    (void)scalar;                                                                              \
    function(a, dst, n);                                                                       \
  }                                                                                            \
  void core_vi_##name(const core_lanes_t *t) { in_float(name##_f32, t); }
FLOAT_BY(exp, num_exp32_n)
FLOAT_BY(ln, num_ln32_n)
FLOAT_BY(rsqrt, num_rsqrt32_n)

// Bit by bit; a NaN keeps all that is not asked for.
#define HALF_WORDS(name, result)               \
  LOOP(name##_u16, uint16_t, uint32_t, result) \
  void core_vi_##name(const core_lanes_t *t) { name##_u16(t->dst, t->a, t->b, 0, t->n); }
HALF_WORDS(and, x &y)
HALF_WORDS(or, x | y)
HALF_WORDS(not, ~x)

LOOP(abs_f32, uint32_t, uint32_t, x & 0x7fffffffu)
LOOP(abs_f16, uint16_t, uint32_t, x & 0x7fffu)
void core_vi_abs(const core_lanes_t *t) {
  if (t->type == TYPE_F16) {
    abs_f16(t->dst, t->a, t->b, 0, t->n);
  } else {
    abs_f32(t->dst, t->a, t->b, 0, t->n);
  }
}

LOOP(neg_f32, uint32_t, uint32_t, x ^ 0x80000000u)
LOOP(neg_f16, uint16_t, uint32_t, x ^ 0x8000u)
LOOP(neg_s32, uint32_t, uint32_t, 0 - x)
LOOP(neg_s16, uint16_t, uint32_t, 0 - x)
void core_vi_neg(const core_lanes_t *t) {
  switch (t->type) {
    case TYPE_F16:
      neg_f16(t->dst, t->a, t->b, 0, t->n);
      break;
    case TYPE_S32:
      neg_s32(t->dst, t->a, t->b, 0, t->n);
      break;
    case TYPE_S16:
      neg_s16(t->dst, t->a, t->b, 0, t->n);
      break;
    default:
      neg_f32(t->dst, t->a, t->b, 0, t->n);
  }
}

#define SHIFT(name, result)                                        \
  LOOP(name##_s32, int32_t, int32_t, result)                       \
  LOOP(name##_s16, int16_t, int32_t, result)                       \
  LOOP(name##_u32, uint32_t, uint32_t, result)                     \
  LOOP(name##_u16, uint16_t, uint32_t, result)                     \
  void core_vi_##name(const core_lanes_t *t) {                     \
    switch (t->type) {                                             \
      case TYPE_S32:                                               \
        name##_s32(t->dst, t->a, t->b, (int32_t)t->scalar, t->n);  \
        break;                                                     \
      case TYPE_S16:                                               \
        name##_s16(t->dst, t->a, t->b, (int16_t)t->scalar, t->n);  \
        break;                                                     \
      case TYPE_U32:                                               \
        name##_u32(t->dst, t->a, t->b, t->scalar, t->n);           \
        break;                                                     \
      default:                                                     \
        name##_u16(t->dst, t->a, t->b, (uint16_t)t->scalar, t->n); \
    }                                                              \
  }
SHIFT(shl, U(x) << s)
SHIFT(shr, x >> s)

// Rounded once, to the type.
#define FUSED(name, one, two, three)                                                                       \
  LOOP(name##_f32, float, float, fmaf(one, two, three))                                                    \
  static void name##_f16(uint16_t *dst, const uint16_t *a, const uint16_t *b, uint16_t scalar, size_t n) { \
    const float s = num_fp16_to_f32(scalar);                                                               \
    (void)b;                                                                                               \
    (void)s;                                                                                               \
    for (size_t i = 0; i < n; ++i) {                                                                       \
      const float x = num_fp16_to_f32(a[i]), y = num_fp16_to_f32(b[i]), z = num_fp16_to_f32(dst[i]);       \
      (void)y;                                                                                             \
      dst[i] = num_fp16_fma(one, two, three);                                                              \
    }                                                                                                      \
  }                                                                                                        \
  void core_vi_##name(const core_lanes_t *t) {                                                             \
    if (t->type == TYPE_F16) {                                                                             \
      name##_f16(t->dst, t->a, t->b, (uint16_t)t->scalar, t->n);                                           \
    } else {                                                                                               \
      name##_f32(t->dst, t->a, t->b, num_f32_from_bits(t->scalar), t->n);                                  \
    }                                                                                                      \
  }
FUSED(mul_add_dst, x, y, z)
FUSED(fused_mul_add, x, z, y)
FUSED(axpy, x, s, z)

// Products of FP16 are exact in FP32.
#define WIDENED(name, other)                                    \
  void core_vi_##name(const core_lanes_t *t) {                  \
    const uint16_t *a = t->a, *b = t->b;                        \
    const uint16_t scalar = (uint16_t)t->scalar;                \
    float *dst = t->dst;                                        \
    (void)b;                                                    \
    (void)scalar;                                               \
    for (size_t i = 0; i < t->n; ++i) {                         \
      dst[i] += num_fp16_to_f32(a[i]) * num_fp16_to_f32(other); \
    }                                                           \
  }
WIDENED(mul_add_dst_wide, b[i])
WIDENED(axpy_wide, scalar)
