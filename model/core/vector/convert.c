// Conversions of the instruction form: any type to any other, rounded as asked for.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core/vector/instruction.h"
#include "num/num_format.h"

// m * 2^e, or infinite.
typedef struct number {
  bool negative, infinite, nan;
  uint64_t m;
  int e;
} number_t;

// m / 2^cut as a whole number.
static uint64_t cut_off(uint64_t m, int cut, uint32_t mode, bool negative) {
  const bool beyond = cut > 64;  // less than half of one
  const uint64_t q = cut >= 64 ? 0 : m >> cut;
  const uint64_t low = cut >= 64 ? m : m & ((1ull << cut) - 1);
  const uint64_t half = beyond ? UINT64_MAX : 1ull << (cut - 1);
  switch (mode) {
    case VECTOR_RINT:
      return q + (!beyond && (low > half || (low == half && (q & 1) != 0)));
    case VECTOR_ROUND:
      return q + (!beyond && low >= half);
    case VECTOR_FLOOR:
      return q + (negative && low != 0);
    case VECTOR_CEIL:
      return q + (!negative && low != 0);
    case VECTOR_ODD:
      return q | (low != 0);
    default:
      return q;
  }
}

// --- from -----------------------------------------------------------------------------------------

static number_t of_float(float x) {
  const uint32_t bits = num_f32_bits(x), exponent = bits >> 23 & 255, fraction = bits & 0x7fffffu;
  return (number_t){.negative = bits >> 31 != 0,
                    .infinite = exponent == 255 && fraction == 0,
                    .nan = exponent == 255 && fraction != 0,
                    .m = exponent == 0 ? fraction : fraction | 0x800000u,
                    .e = exponent == 0 ? -149 : (int)exponent - 150};
}

static number_t of_integer(int64_t x) {
  return (number_t){.negative = x < 0, .m = x < 0 ? 0 - (uint64_t)x : (uint64_t)x};
}

static bool is_float(uint32_t type) { return type == TYPE_F32 || type == TYPE_F16 || type == TYPE_BF16; }

static float float_at(uint32_t type, const uint8_t *from) {
  uint32_t bits = 0;
  memcpy(&bits, from, core_type_bits(type) / 8);
  return type == TYPE_F32   ? num_f32_from_bits(bits)
         : type == TYPE_F16 ? num_fp16_to_f32((uint16_t)bits)
                            : num_bf16_to_f32((uint16_t)bits);
}

static int64_t integer_at(uint32_t type, const uint8_t *from) {
  uint64_t bits = 0;
  memcpy(&bits, from, core_type_bits(type) / 8);
  switch (type) {
    case TYPE_S32:
      return (int32_t)(uint32_t)bits;
    case TYPE_S16:
      return (int16_t)(uint16_t)bits;
    case TYPE_S8:
      return (int8_t)(uint8_t)bits;
    default:
      return (int64_t)bits;
  }
}

// --- to -------------------------------------------------------------------------------------------

// For a format with so many bits of significance, the last place of whose smallest numbers is 2^least.
static uint32_t to_format(number_t x, uint32_t mode, int precision, int least, uint32_t sign, uint32_t infinity) {
  const uint32_t s = x.negative ? sign : 0;
  if (x.infinite) {
    return s | infinity;
  }
  if (x.m == 0) {
    return s;
  }
  const int bits = 64 - __builtin_clzll(x.m);
  const int cut = bits - precision > least - x.e ? bits - precision : least - x.e;
  const uint64_t q = cut > 0 ? cut_off(x.m, cut, mode, x.negative) : x.m << -cut;
  const uint64_t size = ((uint64_t)(x.e + cut - least) << (precision - 1)) + q;
  if (size < infinity) {
    return s | (uint32_t)size;
  }
  const bool up = mode == VECTOR_RINT || mode == VECTOR_ROUND || (mode == VECTOR_FLOOR && x.negative) ||
                  (mode == VECTOR_CEIL && !x.negative);
  return s | (up ? infinity : infinity - 1);
}

// The nearest that the type has.
static uint64_t to_integer(number_t x, uint32_t mode, unsigned bits, bool is_signed) {
  const uint64_t highest = is_signed ? (1ull << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
  const uint64_t lowest = is_signed ? highest + 1 : 0;  // its size
  const uint64_t limit = x.negative ? lowest : highest;
  if (x.nan) {
    return 0;
  }
  const bool large = x.infinite || (x.m != 0 && x.e > 0 && x.e > __builtin_clzll(x.m));
  const uint64_t size = large ? UINT64_MAX : x.e >= 0 ? x.m << x.e : cut_off(x.m, -x.e, mode, x.negative);
  const uint64_t value = size < limit ? size : limit;
  return x.negative ? 0 - value : value;
}

static uint64_t convert(uint32_t from, uint32_t to, uint32_t mode, const uint8_t *a) {
  const float f = is_float(from) ? float_at(from, a) : 0;
  const number_t x = is_float(from) ? of_float(f) : of_integer(integer_at(from, a));
  switch (to) {
    case TYPE_F32:
      return x.nan ? num_f32_bits(f) : to_format(x, mode, 24, -149, 0x80000000u, 0x7f800000u);
    case TYPE_F16:
      return x.nan ? num_fp16_from_f32(f) : to_format(x, mode, 11, -24, 0x8000u, 0x7c00u);
    case TYPE_BF16:
      return x.nan ? num_bf16_from_f32(f) : to_format(x, mode, 8, -133, 0x8000u, 0x7f80u);
    default:
      return to_integer(x, mode, core_type_bits(to), to != TYPE_U8 && to != TYPE_U16 && to != TYPE_U32);
  }
}

// --- loops ----------------------------------------------------------------------------------------

#define LOOP(name, from, to, result)                              \
  NUM_CLONES static void name(const from *a, to *dst, size_t n) { \
    for (size_t i = 0; i < n; ++i) {                              \
      const from x = a[i];                                        \
      dst[i] = (result);                                          \
    }                                                             \
  }
LOOP(s32_rint, float, int32_t, num_f32_to_s32_rne(x))
LOOP(s32_trunc, float, int32_t, num_f32_to_s32_trunc(x))
LOOP(s32_floor, float, int32_t, num_f32_to_s32_trunc(floorf(x)))
LOOP(s32_ceil, float, int32_t, num_f32_to_s32_trunc(ceilf(x)))
LOOP(s32_round, float, int32_t, num_f32_to_s32_trunc(roundf(x)))
LOOP(s32_to_f32, int32_t, float, (float)x)
LOOP(whole_rint, float, float, rintf(x))
LOOP(whole_floor, float, float, floorf(x))
LOOP(whole_ceil, float, float, ceilf(x))
LOOP(whole_round, float, float, roundf(x))
LOOP(whole_trunc, float, float, truncf(x))

static void to_whole(const core_lanes_t *t) {
  void (*const loops[])(const float *, float *, size_t) = {[VECTOR_RINT] = whole_rint,
                                                           [VECTOR_FLOOR] = whole_floor,
                                                           [VECTOR_CEIL] = whole_ceil,
                                                           [VECTOR_ROUND] = whole_round,
                                                           [VECTOR_TRUNC] = whole_trunc};
  loops[t->mode](t->a, t->dst, t->n);
}

static void to_s32(const core_lanes_t *t) {
  void (*const loops[])(const float *, int32_t *, size_t) = {[VECTOR_RINT] = s32_rint,
                                                             [VECTOR_FLOOR] = s32_floor,
                                                             [VECTOR_CEIL] = s32_ceil,
                                                             [VECTOR_ROUND] = s32_round,
                                                             [VECTOR_TRUNC] = s32_trunc};
  loops[t->mode](t->a, t->dst, t->n);
}

// The pairs that kernels use most.
static bool convert_fast(const core_lanes_t *t) {
  const uint32_t from = t->type, to = t->to;
  const bool nearest = t->mode == VECTOR_RINT;
  if (from == TYPE_F32 && to == TYPE_F32) {
    to_whole(t);
  } else if (from == TYPE_F16 && to == TYPE_F32) {
    num_fp16_to_f32_n(t->a, t->dst, t->n);
  } else if (from == TYPE_BF16 && to == TYPE_F32) {
    num_bf16_to_f32_n(t->a, t->dst, t->n);
  } else if (from == TYPE_F32 && to == TYPE_F16 && nearest) {
    num_fp16_from_f32_n(t->a, t->dst, t->n);
  } else if (from == TYPE_F32 && to == TYPE_BF16 && nearest) {
    num_bf16_from_f32_n(t->a, t->dst, t->n);
  } else if (from == TYPE_F32 && to == TYPE_S32) {
    to_s32(t);
  } else if (from == TYPE_S32 && to == TYPE_F32 && nearest) {
    s32_to_f32(t->a, t->dst, t->n);
  } else {
    return false;
  }
  return true;
}

void core_vi_cast(const core_lanes_t *t) {
  if (convert_fast(t)) {
    return;
  }
  const size_t from = core_type_bits(t->type) / 8, to = core_type_bits(t->to) / 8;
  for (size_t i = 0; i < t->n; ++i) {
    const uint64_t x = convert(t->type, t->to, t->mode, (const uint8_t *)t->a + i * from);
    memcpy((uint8_t *)t->dst + i * to, &x, to);
  }
}
