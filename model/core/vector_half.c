// The vector pipe's narrow formats: nibbles, arithmetic in FP16, and an FMA that is rounded to it.  A
// row at a time; dst may be a.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/size.h"
#include "core_internal.h"
#include "num/num_format.h"
#include "num/num_isa.h"

enum { CHUNK = 256 };  // elements handled through buffers on the stack at a time

NUM_CLONES
static void from_int4(bool is_signed, const uint8_t *x, float *y, size_t n) {
  const int sign = is_signed ? 8 : 0;
  for (size_t i = 0; i < n; ++i) {
    const int nibble = x[i / 2] >> (i % 2 * 4) & 15;
    y[i] = (float)((nibble ^ sign) - sign);
  }
}

// From the end, as cast_row does: nibbles only grow.
void core_cast_int4_row(const cmd_vec_t *c, uint8_t *dst, const uint8_t *a, size_t n) {
  for (size_t chunk = (n + CHUNK - 1) / CHUNK; chunk-- > 0;) {
    const size_t i = chunk * CHUNK;
    const size_t count = smaller(n - i, CHUNK);
    uint8_t x[CHUNK / 2];
    float y[CHUNK];
    uint16_t half[CHUNK];
    memcpy(x, a + i / 2, count / 2);
    from_int4(c->from == TYPE_S4, x, y, count);
    if (c->to == TYPE_F16) {
      num_fp16_from_f32_n(y, half, count);
      memcpy(dst + 2 * i, half, 2 * count);
    } else {
      memcpy(dst + 4 * i, y, 4 * count);
    }
  }
}

NUM_CLONES
static void combine(unsigned op, float *x, const float *y, size_t n) {
  if (op == VOP_ADD) {
    for (size_t i = 0; i < n; ++i) {
      x[i] += y[i];
    }
  } else if (op == VOP_SUB) {
    for (size_t i = 0; i < n; ++i) {
      x[i] -= y[i];
    }
  } else {
    for (size_t i = 0; i < n; ++i) {
      x[i] *= y[i];
    }
  }
}

// The FP32 result of two FP16 operands has more than twice the bits of an FP16 and two: rounding it
// again gives what rounding once would (Figueroa, "When is double rounding innocuous?", 1995).
void core_combine_half_row(unsigned op, uint8_t *dst, const uint8_t *a, const uint8_t *b, size_t n) {
  for (size_t i = 0; i < n; i += CHUNK) {
    const size_t count = smaller(n - i, CHUNK);
    uint16_t in[CHUNK];
    float x[CHUNK];
    float y[CHUNK];
    memcpy(in, a + 2 * i, 2 * count);
    num_fp16_to_f32_n(in, x, count);
    memcpy(in, b + 2 * i, 2 * count);
    num_fp16_to_f32_n(in, y, count);
    combine(op, x, y, count);
    num_fp16_from_f32_n(x, in, count);
    memcpy(dst + 2 * i, in, 2 * count);
  }
}

// fma(a, b, c) rounded to FP16 alone.
void core_fma_half_row(bool tile, uint8_t *dst, const float *a, const float *b, const float *c, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const uint16_t half = num_fp16_fma(a[i], tile ? b[i] : *b, c[i]);
    memcpy(dst + 2 * i, &half, sizeof half);
  }
}
