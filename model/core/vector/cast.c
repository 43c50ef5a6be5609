// Conversions.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core/vector/vector.h"
#include "num/num_format.h"

enum { CHUNK = 256 };  // elements handled through buffers on the stack at a time

NUM_CLONES
static void to_s32(const float *x, int32_t *y, size_t n, bool nearest) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = nearest ? num_f32_to_s32_rne(x[i]) : num_f32_to_s32_trunc(x[i]);
  }
}

NUM_CLONES
static void from_s32(const int32_t *x, float *y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = (float)x[i];
  }
}

NUM_CLONES
static void to_integer(const float *x, float *y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = rintf(x[i]);
  }
}

typedef union cast_chunk {
  uint8_t byte[CHUNK];
  uint16_t half[CHUNK];
  float f32[CHUNK];
  int32_t s32[CHUNK];
} cast_chunk_t;

static void widen_elements(uint32_t from, const cast_chunk_t *x, float *y, size_t n) {
  switch (from) {
    case TYPE_BF16:
      num_bf16_to_f32_n(x->half, y, n);
      break;
    case TYPE_F16:
      num_fp16_to_f32_n(x->half, y, n);
      break;
    case TYPE_S32:
      from_s32(x->s32, y, n);
      break;
    case TYPE_E4M3:
      num_e4m3_to_f32_n(x->byte, y, n);
      break;
    default:
      break;
  }
}

static void cast_elements(const cmd_vec_t *c, const cast_chunk_t *x, cast_chunk_t *y, size_t n) {
  if (c->from != TYPE_F32) {
    widen_elements(c->from, x, y->f32, n);
    return;
  }
  switch (c->to) {
    case TYPE_BF16:
      num_bf16_from_f32_n(x->f32, y->half, n);
      break;
    case TYPE_F16:
      num_fp16_from_f32_n(x->f32, y->half, n);
      break;
    case TYPE_E4M3:
      num_e4m3_from_f32_n(x->f32, y->byte, n);
      break;
    case TYPE_S32:
      to_s32(x->f32, y->s32, n, c->round == ROUND_NEAREST);
      break;
    default:
      to_integer(x->f32, y->f32, n);
      break;
  }
}

// Through buffers, and from the end of the row if the elements grow: then dst may start where a
// does, whatever the two sizes.
static void cast_row(const cmd_vec_t *c, uint8_t *dst, const uint8_t *a, size_t n) {
  const size_t from = core_type_bytes(c->from);
  const size_t to = core_type_bytes(c->to);
  const size_t chunks = (n + CHUNK - 1) / CHUNK;
  for (size_t k = 0; k < chunks; ++k) {
    const size_t i = (to > from ? chunks - 1 - k : k) * CHUNK;
    const size_t count = smaller(n - i, CHUNK);
    cast_chunk_t x;
    cast_chunk_t y;
    memcpy(&x, a + i * from, count * from);
    cast_elements(c, &x, &y, count);
    memcpy(dst + i * to, &y, count * to);
  }
}

NUM_CLONES
static void from_int4(bool is_signed, const uint8_t *x, float *y, size_t n) {
  const int sign = is_signed ? 8 : 0;
  for (size_t i = 0; i < n; ++i) {
    const int nibble = x[i / 2] >> (i % 2 * 4) & 15;
    y[i] = (float)((nibble ^ sign) - sign);
  }
}

// From the end, as cast_row does: nibbles only grow.
static void cast_int4_row(const cmd_vec_t *c, uint8_t *dst, const uint8_t *a, size_t n) {
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

void core_vec_cast(const core_vec_tile_t *t) {
  const bool int4 = core_type_is_int4(t->command->from);
  EACH_ROW(t, row) {
    if (int4) {
      cast_int4_row(t->command, row.dst, row.a, t->cols);
    } else {
      cast_row(t->command, row.dst, row.a, t->cols);
    }
  }
}
