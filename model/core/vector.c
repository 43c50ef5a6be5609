// The vector pipe.  Every operation works on rows; dst may be a or b itself (same address, same
// pitch), which the loops tell the compiler: an element depends on nothing but its own operands.
// Operands that overlap dst in any other way give unspecified results.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/size.h"
#include "core_internal.h"
#include "num/num_exp.h"
#include "num/num_format.h"
#include "num/num_isa.h"

// Elements handled through buffers on the stack at a time.
enum { CHUNK = 64, CAST_CHUNK = 256 };

// Rows that are summed side by side: each sum is one chain of additions, of which the host can keep
// several going.
enum { SUM_ROWS = 8 };

NUM_INLINE float combine(unsigned op, float x, float y, float z) {
  switch (op) {
    case VOP_ADD:
      return x + y;
    case VOP_SUB:
      return x - y;
    case VOP_MUL:
      return x * y;
    case VOP_DIV:
      return x / y;
    case VOP_MAX:
      return x > y ? x : y;
    case VOP_MIN:
      return x < y ? x : y;
    default:
      return fmaf(x, y, z);
  }
}

// op and tile are constants wherever this is inlined.  Without a tile b points to one value.
NUM_INLINE void combine_loop(unsigned op, bool tile, float *dst, const float *a, const float *b, const float *c,
                             size_t n) {
  const float y = *b;
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i) {
    dst[i] = combine(op, a[i], tile ? b[i] : y, op == VOP_FMA ? c[i] : 0.0f);
  }
}

NUM_INLINE void combine_any(unsigned op, bool tile, float *dst, const float *a, const float *b, const float *c,
                            size_t n) {
  switch (op) {
    case VOP_ADD:
      combine_loop(VOP_ADD, tile, dst, a, b, c, n);
      break;
    case VOP_SUB:
      combine_loop(VOP_SUB, tile, dst, a, b, c, n);
      break;
    case VOP_MUL:
      combine_loop(VOP_MUL, tile, dst, a, b, c, n);
      break;
    case VOP_DIV:
      combine_loop(VOP_DIV, tile, dst, a, b, c, n);
      break;
    case VOP_MAX:
      combine_loop(VOP_MAX, tile, dst, a, b, c, n);
      break;
    case VOP_MIN:
      combine_loop(VOP_MIN, tile, dst, a, b, c, n);
      break;
    default:
      combine_loop(VOP_FMA, tile, dst, a, b, c, n);
      break;
  }
}

NUM_CLONES
static void combine_row(unsigned op, bool tile, float *dst, const float *a, const float *b, const float *c, size_t n) {
  if (tile) {
    combine_any(op, true, dst, a, b, c, n);
  } else {
    combine_any(op, false, dst, a, b, c, n);
  }
}

// The next n elements of b: those of a tile, or its one value repeated.
NUM_INLINE const float *chunk_of_b(bool tile, const float *b, size_t i, const float *repeated) {
  return tile ? b + i : repeated;
}

// Eight bytes of 0 or 1 to the bits of one byte, the first lowest: byte i meets the factor's byte
// 7-i, which puts it at bit 56+i.
NUM_INLINE uint8_t pack_bits(const uint8_t flags[8]) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) {
    word |= (uint64_t)flags[i] << (8 * i);
  }
  return (uint8_t)((word * 0x0102040810204080u) >> 56);
}

NUM_CLONES
static void compare_row(bool equal, bool tile, uint8_t *dst, const float *a, const float *b, size_t n) {
  float repeated[CHUNK];
  for (size_t j = 0; j < CHUNK; ++j) {
    repeated[j] = *b;
  }
  for (size_t i = 0; i < n; i += CHUNK) {
    const size_t count = smaller(n - i, CHUNK);
    const float *y = chunk_of_b(tile, b, i, repeated);
    uint8_t flags[CHUNK] = {0};
    if (equal) {
      for (size_t j = 0; j < count; ++j) {
        flags[j] = a[i + j] == y[j];
      }
    } else {
      for (size_t j = 0; j < count; ++j) {
        flags[j] = a[i + j] > y[j];
      }
    }
    for (size_t j = 0; j < count; j += 8) {
      dst[(i + j) / 8] = pack_bits(flags + j);
    }
  }
}

NUM_CLONES
static void select_row(bool tile, uint32_t *dst, const uint32_t *a, const uint32_t *b, const uint8_t *mask, size_t n) {
  const uint32_t repeated = *b;
  for (size_t i = 0; i < n; i += CHUNK) {
    const size_t count = smaller(n - i, CHUNK);
    uint32_t take_a[CHUNK];  // all ones or zero
    for (size_t j = 0; j < count; j += 8) {
      const uint32_t bits = mask[(i + j) / 8];
      for (unsigned bit = 0; bit < 8; ++bit) {
        take_a[j + bit] = 0u - ((bits >> bit) & 1u);
      }
    }
    if (tile) {
#pragma GCC ivdep
      for (size_t j = 0; j < count; ++j) {
        dst[i + j] = (a[i + j] & take_a[j]) | (b[i + j] & ~take_a[j]);
      }
    } else {
#pragma GCC ivdep
      for (size_t j = 0; j < count; ++j) {
        dst[i + j] = (a[i + j] & take_a[j]) | (repeated & ~take_a[j]);
      }
    }
  }
}

NUM_CLONES
static void fill_row(uint32_t *dst, uint32_t value, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    dst[i] = value;
  }
}

// The fold max = x > max ? x : max, from the first element.  A NaN is greater than nothing and
// nothing is greater than it, so it stays if it is first and is passed over elsewhere; then the
// order of the others matters only for which of two zeros is met first.
NUM_CLONES
static float max_of_row(const float *x, size_t n) {
  float lane[CHUNK];
  for (size_t j = 0; j < CHUNK; ++j) {
    lane[j] = x[0];
  }
  size_t i = 0;
  for (; n - i >= CHUNK; i += CHUNK) {
    for (size_t j = 0; j < CHUNK; ++j) {
      lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
    }
  }
  for (size_t j = 0; j < n - i; ++j) {
    lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
  }
  for (size_t half = CHUNK / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) {
      lane[j] = lane[j + half] > lane[j] ? lane[j + half] : lane[j];
    }
  }
  if (lane[0] == 0.0f) {
    for (i = 0; x[i] != 0.0f; ++i) {
    }
    return x[i];
  }
  return lane[0];
}

// Left folds of rows rows, each from its first element on.
NUM_INLINE void sum_rows(const uint8_t *x, size_t pitch, size_t rows, size_t n, float *sum) {
  const float *row[SUM_ROWS];
  float acc[SUM_ROWS];
  for (size_t r = 0; r < rows; ++r) {
    row[r] = (const float *)(const void *)(x + r * pitch);
    acc[r] = row[r][0];
  }
  for (size_t i = 1; i < n; ++i) {
    for (size_t r = 0; r < rows; ++r) {
      acc[r] += row[r][i];
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    sum[r] = acc[r];
  }
}

static void row_sums(const uint8_t *x, size_t pitch, size_t rows, size_t n, float *sum) {
  size_t r = 0;
  for (; rows - r >= SUM_ROWS; r += SUM_ROWS) {
    sum_rows(x + r * pitch, pitch, SUM_ROWS, n, sum + r);
  }
  for (; r < rows; ++r) {
    sum_rows(x + r * pitch, pitch, 1, n, sum + r);
  }
}

// The fold of a row to CHUNK lanes, then halves onto halves.
NUM_CLONES
static float tree_of_row(const float *x, size_t n) {
  float lane[CHUNK];
  size_t lanes = smaller(n, CHUNK);
  memcpy(lane, x, lanes * sizeof *lane);
  for (size_t i = CHUNK; i < n; i += CHUNK) {
    const size_t count = smaller(n - i, CHUNK);
    for (size_t j = 0; j < count; ++j) {
      lane[j] += x[i + j];
    }
  }
  for (size_t half = CHUNK / 2; half > 0; half /= 2) {
    for (size_t j = 0; j + half < lanes; ++j) {
      lane[j] += lane[j + half];
    }
    lanes = smaller(lanes, half);
  }
  return lane[0];
}

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

// Of an integer: a number's bits, or a two's complement.
NUM_CLONES
static void integer_row(bool add, bool tile, uint32_t *dst, const uint32_t *a, const uint32_t *b, size_t n) {
  const uint32_t repeated = *b;
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i) {
    const uint32_t y = tile ? b[i] : repeated;
    dst[i] = add ? a[i] + y : a[i] & y;
  }
}

NUM_CLONES
static void roots(const float *x, float *y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = sqrtf(x[i]);
  }
}

NUM_CLONES
static void reciprocals(const float *x, float *y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = 1.0f / x[i];
  }
}

// Of the bits, so that a NaN loses its sign, too.
NUM_CLONES
static void magnitudes(const uint32_t *x, uint32_t *y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = x[i] & 0x7fffffffu;
  }
}

static void swap_pairs(const uint32_t *x, uint32_t *y, size_t n) {
  for (size_t i = 0; i < n; i += 2) {
    const uint32_t first = x[i];
    y[i] = x[i + 1];
    y[i + 1] = first;
  }
}

static void number_columns(float *y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = (float)i;
  }
}

// One factor for each VEC_SCALE_COLS elements.
NUM_CLONES
static void scale_row(float *dst, const float *a, const float *factors, size_t n) {
  for (size_t i = 0; i < n; i += VEC_SCALE_COLS) {
    combine_loop(VOP_MUL, false, dst + i, a + i, factors + i / VEC_SCALE_COLS, NULL, smaller(n - i, VEC_SCALE_COLS));
  }
}

typedef union cast_chunk {
  uint8_t byte[CAST_CHUNK];
  uint16_t half[CAST_CHUNK];
  float f32[CAST_CHUNK];
  int32_t s32[CAST_CHUNK];
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
  const size_t chunks = (n + CAST_CHUNK - 1) / CAST_CHUNK;
  for (size_t k = 0; k < chunks; ++k) {
    const size_t i = (to > from ? chunks - 1 - k : k) * CAST_CHUNK;
    const size_t count = smaller(n - i, CAST_CHUNK);
    cast_chunk_t x;
    cast_chunk_t y;
    memcpy(&x, a + i * from, count * from);
    cast_elements(c, &x, &y, count);
    memcpy(dst + i * to, &y, count * to);
  }
}

// One row of any operation but the reductions.  tile: b has an element for each of a's.
static void vec_row(const cmd_vec_t *command, bool tile, uint8_t *dst_bytes, const uint8_t *a_bytes,
                    const uint8_t *b_bytes, const uint8_t *c_bytes, size_t n) {
  void *dst = dst_bytes;
  const void *a = a_bytes;
  const void *b = b_bytes;
  switch (command->op) {
    case VOP_EXP:
      num_exp32_n(a, dst, n);
      break;
    case VOP_LN:
      num_ln32_n(a, dst, n);
      break;
    case VOP_SCALE:
      scale_row(dst, a, b, n);
      break;
    case VOP_COLUMN:
      number_columns(dst, n);
      break;
    case VOP_CAST:
      if (core_type_is_int4(command->from)) {
        core_cast_int4_row(command, dst_bytes, a_bytes, n);
      } else {
        cast_row(command, dst_bytes, a_bytes, n);
      }
      break;
    case VOP_SQRT:
      roots(a, dst, n);
      break;
    case VOP_RSQRT:
      num_rsqrt32_n(a, dst, n);
      break;
    case VOP_RECIP:
      reciprocals(a, dst, n);
      break;
    case VOP_ABS:
      magnitudes(a, dst, n);
      break;
    case VOP_AND:
    case VOP_ADD_S32:
      integer_row(command->op == VOP_ADD_S32, tile, dst, a, b, n);
      break;
    case VOP_SWAP:
      swap_pairs(a, dst, n);
      break;
    case VOP_BROADCAST:
      fill_row(dst, *(const uint32_t *)b, n);
      break;
    case VOP_CMP_GT:
      compare_row(false, tile, dst_bytes, a, b, n);
      break;
    case VOP_CMP_EQ:
      compare_row(true, tile, dst_bytes, a, b, n);
      break;
    case VOP_SELECT:
      select_row(tile, dst, a, b, c_bytes, n);
      break;
    default:
      if (core_vec_from(command) == TYPE_F16) {
        core_combine_half_row(command->op, dst_bytes, a_bytes, b_bytes, n);
      } else if (core_vec_to(command) == TYPE_F16) {
        core_fma_half_row(tile, dst_bytes, a, b, (const void *)c_bytes, n);
      } else {
        combine_row(command->op, tile, dst, a, b, (const void *)c_bytes, n);
      }
      break;
  }
}

static void vec_max(const cmd_vec_t *c, float *dst, const uint8_t *a) {
  for (size_t r = 0; r < c->rows; ++r) {
    dst[r] = max_of_row((const float *)(const void *)(a + r * c->a_pitch), c->cols);
  }
}

static void vec_tree(float *dst, const uint8_t *a, const cmd_vec_t *c) {
  for (size_t r = 0; r < c->rows; ++r) {
    dst[r] = tree_of_row((const float *)(const void *)(a + r * c->a_pitch), c->cols);
  }
}

void core_vec(const core_memory_t *memory, const cmd_vec_t *c) {
  uint8_t *ub = memory->base[SPACE_UB];
  uint8_t *dst = ub + c->dst;
  if (c->op == VOP_ROW_MAX) {
    vec_max(c, (float *)(void *)dst, ub + c->a);
    return;
  }
  if (c->op == VOP_ROW_SUM) {
    row_sums(ub + c->a, c->a_pitch, c->rows, c->cols, (float *)(void *)dst);
    return;
  }
  if (c->op == VOP_ROW_TREE) {
    vec_tree((float *)(void *)dst, ub + c->a, c);
    return;
  }
  const core_vec_form_t form = core_vec_forms[c->op];
  const bool packed = core_vec_is_packed(c);
  const size_t rows = packed ? 1 : c->rows;
  const size_t cols = packed ? (size_t)c->rows * c->cols : c->cols;
  const bool tile = c->b_kind == OPERAND_TILE;
  // Fields that an operation does not use may hold anything, so no pointer is made of them.
  const uint8_t *a = ub;
  const uint8_t *b = ub;
  const uint8_t *third = ub;
  size_t a_pitch = 0;
  size_t b_pitch = 0;
  size_t third_pitch = 0;
  if (form.a) {
    a = ub + c->a;
    a_pitch = c->a_pitch;
  }
  if (form.b_groups) {
    b = ub + c->b;
    b_pitch = c->b_pitch;
  } else if (form.b && c->b_kind == OPERAND_SCALAR) {
    b = (const uint8_t *)&c->scalar;
  } else if (form.b) {
    b = ub + c->b;
    b_pitch = tile ? c->b_pitch : 4;
  }
  if (form.c || form.mask) {
    third = ub + c->c;
    third_pitch = c->c_pitch;
  }
  for (size_t r = 0; r < rows; ++r) {
    vec_row(c, tile, dst + r * c->dst_pitch, a + r * a_pitch, b + r * b_pitch, third + r * third_pitch, cols);
  }
}
