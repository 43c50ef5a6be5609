// Random instructions of the vector pipe against plain loops: a lane at a time, each with its address from the rule of
// hal/vector_instructions.def, in double precision or integers.
//
//   test_core_vinst                      a few thousand, as the fast tests do
//   COUNT=1000000 SEED=7 test_core_vinst a million of each instruction and type
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <time.h>

#include "instruction_random.h"

enum { UB = 16 << 10, LANES = 128 };

static uint64_t number_of(const char *variable, uint64_t otherwise) {
  const char *text = getenv(variable);
  return text != NULL ? strtoull(text, NULL, 0) : otherwise;
}

// --- FP16, by numbers: multiples of 2^-24 -----------------------------------------------------------

__extension__ typedef __int128 wide_t;

static double half_value(uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  const double size = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                      : exponent == 0 ? ldexp(fraction, -24)
                                      : ldexp(1024 + fraction, exponent - 25);
  return (h & 0x8000) != 0 ? -size : size;
}

// To nearest even, of |x| = n * 2^scale, n exact.
static uint16_t half_of_integer(wide_t n, int scale, bool negative) {
  const uint16_t sign = negative ? 0x8000 : 0;
  int bits = 0;
  while (n >> bits != 0) {
    ++bits;
  }
  // Places below the last of 11 bits, or below 2^-24.
  const int cut = bits - 11 > -24 - scale ? bits - 11 : -24 - scale;
  if (cut <= 0) {
    n <<= -cut;
  } else if (cut > 126) {
    n = 0;
  } else {
    const wide_t half = (wide_t)1 << (cut - 1), low = n & (((wide_t)1 << cut) - 1);
    n >>= cut;
    n += low > half || (low == half && (n & 1) != 0);
  }
  const int exponent = scale + cut + 24;  // n * 2^(exponent - 24), n up to 2048
  if (n == 0) {
    return sign;
  }
  const long size = n < 1024 ? (long)n : ((long)exponent << 10) + (long)n;
  return (uint16_t)(sign | (size >= 0x7c00 ? 0x7c00 : size));
}

// Of a double, whose 53 bits are exact.
static uint16_t half_of(double x) {
  if (isnan(x)) {
    return 0x7e00;
  }
  if (isinf(x) || fabs(x) >= 0x1p20) {
    return signbit(x) ? 0xfc00 : 0x7c00;
  }
  int exponent;
  const double fraction = frexp(fabs(x), &exponent);
  return half_of_integer((wide_t)ldexp(fraction, 53), exponent - 53, signbit(x) != 0);
}

// a * b + c, exactly, and rounded: finite FP16s have integers of 2^-24, their products of 2^-48.
static uint16_t half_fused(double a, double b, double c) {
  if (!isfinite(a) || !isfinite(b) || !isfinite(c)) {
    return half_of(a * b + c);
  }
  const wide_t sum = (wide_t)ldexp(a, 24) * (wide_t)ldexp(b, 24) + (wide_t)ldexp(c, 24) * (1 << 24);
  if (sum == 0) {
    return half_of(a * b + c);  // the sign of a zero: both are exact
  }
  return half_of_integer(sum < 0 ? -sum : sum, -48, sum < 0);
}

// --- a lane -------------------------------------------------------------------------------------------

static double float_value(uint32_t op, double a, double b, double c) {
  switch (op) {
    case VI_ADD:
    case VI_ADDS:
      return a + b;
    case VI_SUB:
      return a - b;
    case VI_MUL:
    case VI_MULS:
      return a * b;
    case VI_DIV:
      return a / b;
    case VI_MAX:
    case VI_MAXS:
      return a > b ? a : b;
    case VI_MIN:
    case VI_MINS:
      return a < b ? a : b;
    case VI_LEAKY_RELU:
      return a > 0 ? a : a * b;
    case VI_EXP:
      return exp(a);
    case VI_LN:
      return log(a);
    case VI_SQRT:
      return sqrt(a);
    case VI_RSQRT:
      return 1 / sqrt(a);
    case VI_RECIP:
      return 1 / a;
    case VI_ABS:
      return fabs(a);
    case VI_NEG:
      return -a;
    case VI_RELU:
      return a > 0 ? a : 0;
    case VI_MUL_ADD_DST:
    case VI_MUL_ADD_DST_WIDE:
    case VI_AXPY:
    case VI_AXPY_WIDE:
      return fma(a, b, c);
    case VI_FUSED_MUL_ADD:
      return fma(a, c, b);
    default:
      fail_msg("no value of %s", core_operation_name(OP_VINST, op));
      return NAN;
  }
}

static uint32_t float_lane(uint32_t op, uint32_t a, uint32_t b, uint32_t c) {
  const float x = num_f32_from_bits(a), y = num_f32_from_bits(b), z = num_f32_from_bits(c);
  if (op == VI_MUL_ADD_DST || op == VI_AXPY) {
    return num_f32_bits(fmaf(x, y, z));
  }
  if (op == VI_FUSED_MUL_ADD) {
    return num_f32_bits(fmaf(x, z, y));
  }
  return num_f32_bits((float)float_value(op, x, y, z));
}

static uint32_t half_lane(uint32_t op, uint32_t a, uint32_t b, uint32_t c) {
  const double x = half_value((uint16_t)a), y = half_value((uint16_t)b), z = half_value((uint16_t)c);
  if (op == VI_MUL_ADD_DST || op == VI_AXPY) {
    return half_fused(x, y, z);
  }
  if (op == VI_FUSED_MUL_ADD) {
    return half_fused(x, z, y);
  }
  const bool in_f32 = op == VI_EXP || op == VI_LN || op == VI_RSQRT;  // rounded to FP32 first
  const double value = float_value(op, x, y, z);
  return half_of(in_f32 ? (double)(float)value : value);
}

// Of integers of so many bits.
static uint32_t integer_lane(uint32_t op, uint32_t type, uint32_t a, uint32_t b) {
  const bool narrow = type == TYPE_S16 || type == TYPE_U16, is_signed = type == TYPE_S16 || type == TYPE_S32;
  const int64_t x = !is_signed ? (int64_t)a : narrow ? (int16_t)a : (int32_t)a;
  const int64_t y = !is_signed ? (int64_t)b : narrow ? (int16_t)b : (int32_t)b;
  switch (op) {
    case VI_ADD:
    case VI_ADDS:
      return (uint32_t)(x + y);
    case VI_SUB:
      return (uint32_t)(x - y);
    case VI_MUL:
    case VI_MULS:
      return (uint32_t)(x * y);
    case VI_MAX:
    case VI_MAXS:
      return (uint32_t)(x > y ? x : y);
    case VI_MIN:
    case VI_MINS:
      return (uint32_t)(x < y ? x : y);
    case VI_AND:
      return a & b;
    case VI_OR:
      return a | b;
    case VI_NOT:
      return ~a;
    case VI_NEG:
      return (uint32_t)-x;
    case VI_RELU:
      return (uint32_t)(x > 0 ? x : 0);
    case VI_SHL:
      return a << b;
    case VI_SHR:
      // Towards minus infinity.
      return (uint32_t)(x >= 0 ? x / (1ll << b) : -((-x + (1ll << b) - 1) / (1ll << b)));
    default:
      fail_msg("no value of %s", core_operation_name(OP_VINST, op));
      return 0;
  }
}

static uint32_t lane_of(uint32_t op, uint32_t type, uint32_t a, uint32_t b, uint32_t c) {
  if (op == VI_MUL_ADD_DST_WIDE || op == VI_AXPY_WIDE) {
    return num_f32_bits(fmaf((float)half_value((uint16_t)a), (float)half_value((uint16_t)b), num_f32_from_bits(c)));
  }
  return type == TYPE_F32   ? float_lane(op, a, b, c)
         : type == TYPE_F16 ? half_lane(op, a, b, c)
                            : integer_lane(op, type, a, b);
}

// --- an instruction -----------------------------------------------------------------------------------

static bool has_scalar(uint32_t op) {
  return op == VI_ADDS || op == VI_MULS || op == VI_MAXS || op == VI_MINS || op == VI_SHL || op == VI_SHR ||
         op == VI_LEAKY_RELU || op == VI_AXPY || op == VI_AXPY_WIDE;
}

static uint8_t *at(uint8_t *ub, uint32_t base, uint32_t step, uint32_t repeat, uint32_t byte) {
  return ub + base + 32 * (repeat * (step >> 16) + byte / 32 * (step & 0xffff)) + byte % 32;
}

static uint32_t get(const uint8_t *from, uint32_t bytes) {
  uint32_t x = 0;
  memcpy(&x, from, bytes);
  return x;
}

// --- instructions that are not lane by lane ------------------------------------------------------------

static bool is_float_type(uint32_t type) { return type == TYPE_F32 || type == TYPE_F16 || type == TYPE_BF16; }

// A value that a long double has exactly: 64 bits of significance.
static long double value_of(uint32_t type, uint64_t bits) {
  switch (type) {
    case TYPE_F32:
      return num_f32_from_bits((uint32_t)bits);
    case TYPE_BF16:
      return num_f32_from_bits((uint32_t)bits << 16);
    case TYPE_F16:
      return half_value((uint16_t)bits);
    case TYPE_S64:
      return (int64_t)bits;
    case TYPE_S32:
      return (int32_t)(uint32_t)bits;
    case TYPE_S16:
      return (int16_t)(uint16_t)bits;
    case TYPE_S8:
      return (int8_t)(uint8_t)bits;
    default:
      return bits;
  }
}

static long double whole_of(long double x, uint32_t mode) {
  switch (mode) {
    case VECTOR_RINT:
      return rintl(x);
    case VECTOR_FLOOR:
      return floorl(x);
    case VECTOR_CEIL:
      return ceill(x);
    case VECTOR_ROUND:
      return roundl(x);
    case VECTOR_TRUNC:
      return truncl(x);
    default: {  // to odd
      const long double cut = truncl(x);
      return cut == x || fmodl(cut, 2) != 0 ? cut : cut + (signbit(x) ? -1 : 1);
    }
  }
}

static uint64_t integer_of(uint32_t type, long double x, uint32_t mode) {
  const unsigned bits = core_type_bits(type);
  const bool is_signed = type == TYPE_S64 || type == TYPE_S32 || type == TYPE_S16 || type == TYPE_S8;
  const long double end = ldexpl(1, (int)bits - is_signed), low = is_signed ? -end : 0;
  const long double whole = isnan(x) ? 0 : whole_of(x, mode);
  if (whole >= end) {
    return is_signed ? (1ull << (bits - 1)) - 1 : (1ull << bits) - 1;
  }
  return (uint64_t)(int64_t)(whole < low ? low : whole);
}

// Of a format with so many bits of significance and exponents.
static uint64_t float_of(uint32_t type, long double x, uint32_t mode) {
  const int precision = type == TYPE_F32 ? 24 : type == TYPE_F16 ? 11 : 8;
  const int top = type == TYPE_F16 ? 15 : 127, least = 1 - top - (precision - 1);  // of its last place
  const uint64_t sign = signbit(x) ? 1ull << (type == TYPE_F32 ? 31 : 15) : 0;
  const uint64_t infinity = type == TYPE_F32 ? 0x7f800000u : type == TYPE_F16 ? 0x7c00 : 0x7f80;
  if (isnan(x)) {
    return infinity + 1;
  }
  if (isinf(x) || x == 0) {
    return sign | (x == 0 ? 0 : infinity);
  }
  const int exponent = ilogbl(x) - (precision - 1), place = exponent > least ? exponent : least;
  const long double size = fabsl(whole_of(ldexpl(x, -place), mode));  // 2^precision at most
  if (ldexpl(size, place) >= ldexpl(1, top + 1)) {
    const bool up = mode == VECTOR_RINT || mode == VECTOR_ROUND || mode == (sign ? VECTOR_FLOOR : VECTOR_CEIL);
    return sign | (up ? infinity : infinity - 1);
  }
  return sign | (((uint64_t)(place - least) << (precision - 1)) + (uint64_t)size);
}

// A NaN keeps its sign and what fits of its upper bits; narrowing makes it quiet, and so does rounding in F32.
static uint64_t nan_of(uint32_t from, uint32_t to, uint64_t a) {
  const uint64_t sign = a >> (core_type_bits(from) - 1) & 1;
  const uint64_t payload = from == TYPE_F32 ? a & 0x7fffff : from == TYPE_F16 ? (a & 0x3ff) << 13 : (a & 0x7f) << 16;
  return to == TYPE_F32   ? sign << 31 | 0x7f800000 | payload | (from == TYPE_F32 ? 0x400000 : 0)
         : to == TYPE_F16 ? sign << 15 | 0x7e00 | payload >> 13
                          : sign << 15 | 0x7fc0 | payload >> 16;
}

static uint64_t cast_lane(const cmd_vinst_t *c, uint64_t a) {
  const long double x = value_of(c->type, a);
  if (!is_float_type(c->to)) {
    return integer_of(c->to, x, c->mode);
  }
  if (isnan(x)) {
    return nan_of(c->type, c->to, a);
  }
  return c->to == c->type ? float_of(c->to, isinf(x) ? x : copysignl(whole_of(x, c->mode), x), VECTOR_RINT)
                          : float_of(c->to, x, c->mode);
}

static bool related(uint32_t op, uint32_t type, uint32_t a, uint32_t b) {
  const long double x = value_of(type, a), y = value_of(type, b);
  switch (op) {
    case VI_CMP_LT:
    case VI_CMPS_LT:
      return x < y;
    case VI_CMP_GT:
    case VI_CMPS_GT:
      return x > y;
    case VI_CMP_GE:
    case VI_CMPS_GE:
      return x >= y;
    case VI_CMP_LE:
    case VI_CMPS_LE:
      return x <= y;
    case VI_CMP_EQ:
    case VI_CMPS_EQ:
      return x == y;
    default:
      return x != y;
  }
}

static uint32_t sum_of_two(uint32_t type, uint32_t a, uint32_t b) {
  return type == TYPE_F32 ? num_f32_bits(num_f32_from_bits(a) + num_f32_from_bits(b))
                          : half_of(half_value((uint16_t)a) + half_value((uint16_t)b));
}

// Neighbours first: of the lanes from first on that take part, size of them, by halves. False: there is none.
static bool tree(uint32_t type, const uint32_t *x, const bool *there, uint32_t first, uint32_t size, uint32_t *sum) {
  uint32_t right;
  if (size == 1) {
    *sum = x[first];
    return there[first];
  }
  const bool l = tree(type, x, there, first, size / 2, sum);
  const bool r = tree(type, x, there, first + size / 2, size / 2, &right);
  *sum = l && r ? sum_of_two(type, *sum, right) : l ? *sum : right;
  return l || r;
}

static bool choose(uint32_t type, const uint32_t *x, const bool *there, uint32_t first, uint32_t size, bool largest,
                   uint32_t *index) {
  bool found = false;
  for (uint32_t i = first; i < first + size; ++i) {
    const long double have = found ? value_of(type, x[*index]) : 0, more = value_of(type, x[i]);
    if (there[i] && (!found || (largest ? more > have : more < have))) {
      *index = i;
      found = true;
    }
  }
  return found;
}

static void reduce(const cmd_vinst_t *c, uint32_t bytes, const uint32_t *x, const bool *there, uint8_t *dst) {
  const uint32_t lanes = 256 / bytes;
  const uint32_t group = c->op == VI_PAIR_SUM ? 2 : c->op >= VI_BLOCK_SUM ? 32 / bytes : lanes;
  const bool largest = c->op == VI_WHOLE_MAX || c->op == VI_BLOCK_MAX;
  for (uint32_t g = 0; g < lanes / group; ++g, dst += bytes) {
    uint32_t result[2] = {0, 0}, index = 0;
    if (c->op == VI_WHOLE_SUM || c->op == VI_BLOCK_SUM || c->op == VI_PAIR_SUM) {
      if (tree(c->type, x, there, g * group, group, result)) {
        memcpy(dst, result, bytes);
      }
    } else if (choose(c->type, x, there, g * group, group, largest, &index)) {
      const bool first = c->mode == CHOICE_INDEX || c->mode == CHOICE_INDEX_VALUE;
      memcpy(dst, first ? &index : &x[index], bytes);
      if (c->mode == CHOICE_VALUE_INDEX || c->mode == CHOICE_INDEX_VALUE) {
        memcpy(dst + bytes, first ? &x[index] : &index, bytes);
      }
    }
  }
}

// Where a reduction's repeat begins.
static uint8_t *reduced_at(uint8_t *ub, const cmd_vinst_t *c, uint32_t bytes, uint32_t repeat) {
  const uint32_t unit = c->op == VI_PAIR_SUM                                             ? 128
                        : c->op >= VI_BLOCK_SUM                                          ? 8 * bytes
                        : c->mode == CHOICE_VALUE_INDEX || c->mode == CHOICE_INDEX_VALUE ? 2 * bytes
                                                                                         : bytes;
  return ub + c->dst + repeat * (c->dst_step >> 16) * unit;
}

typedef struct repeat {
  uint32_t number, lanes;
  bool there[LANES];
} repeat_t;

static void plain_reduction(uint8_t *ub, const cmd_vinst_t *c, const repeat_t *r) {
  const uint32_t bytes = core_type_bits(c->type) / 8;
  uint32_t x[LANES] = {0};
  for (uint32_t i = 0; i < r->lanes; ++i) {
    x[i] = r->there[i] ? get(at(ub, c->a, c->a_step, r->number, i * bytes), bytes) : 0;
  }
  reduce(c, bytes, x, r->there, reduced_at(ub, c, bytes, r->number));
}

static void plain_comparison(uint8_t *ub, const cmd_vinst_t *c, const repeat_t *r) {
  const uint32_t bytes = core_type_bits(c->type) / 8;
  uint8_t bits[LANES / 8] = {0};
  for (uint32_t i = 0; i < r->lanes; ++i) {
    if (r->there[i]) {
      const uint32_t a = get(at(ub, c->a, c->a_step, r->number, i * bytes), bytes);
      const uint32_t b = c->op >= VI_CMPS_LT ? c->scalar : get(at(ub, c->b, c->b_step, r->number, i * bytes), bytes);
      bits[i / 8] |= (uint8_t)(related(c->op, c->type, a, bytes == 2 ? b & 0xffff : b) << i % 8);
    }
  }
  memcpy(ub + c->dst + r->number * r->lanes / 8, bits, r->lanes / 8);
}

static void plain_lanes(uint8_t *ub, const cmd_vinst_t *c, const repeat_t *r) {
  const uint32_t bytes = core_type_bits(c->type) / 8, to = core_type_bits(instruction_to(c)) / 8;
  const uint32_t scalar = bytes == 4 ? c->scalar : c->scalar & 0xffff;
  uint64_t result[LANES];
  for (uint32_t i = 0; i < r->lanes; ++i) {
    if (!r->there[i]) {
      continue;
    }
    uint64_t a = 0;
    const uint8_t *bit = ub + c->c + (c->mode == SELECT_SAME ? 0 : r->number * r->lanes / 8) + i / 8;
    if (c->op == VI_BRCB) {
      memcpy(&a, ub + c->a + r->number * 8 * bytes + i * bytes / 32 * bytes, bytes);
    } else if (c->op != VI_DUPLICATE && c->op != VI_GATHER) {
      memcpy(&a, at(ub, c->a, c->a_step, r->number, i * bytes), bytes);
    }
    if (c->op == VI_GATHER) {
      const uint32_t offset = get(ub + c->a + (r->number * r->lanes + i) * 4, 4);
      result[i] = offset < c->scalar && bytes <= c->scalar - offset ? get(ub + c->b + offset, bytes) : 0;
    } else if (c->op == VI_BRCB || c->op == VI_COPY) {
      result[i] = a;
    } else if (c->op == VI_DUPLICATE) {
      result[i] = scalar;
    } else if (c->op == VI_CAST) {
      result[i] = cast_lane(c, a);
    } else if (c->op == VI_SELECT || c->op == VI_SELECTS) {
      const uint32_t b = c->op == VI_SELECTS ? scalar : get(at(ub, c->b, c->b_step, r->number, i * bytes), bytes);
      result[i] = (*bit >> i % 8 & 1) != 0 ? a : b;
    } else {
      const uint32_t b = has_scalar(c->op)              ? scalar
                         : c->op <= VI_MUL_ADD_DST_WIDE ? get(at(ub, c->b, c->b_step, r->number, i * bytes), bytes)
                                                        : 0;
      result[i] = lane_of(c->op, c->type, (uint32_t)a, b, get(at(ub, c->dst, c->dst_step, r->number, i * to), to));
    }
  }
  for (uint32_t i = 0; i < r->lanes; ++i) {
    if (r->there[i]) {
      memcpy(at(ub, c->dst, c->dst_step, r->number, i * to), &result[i], to);
    }
  }
}

static double score_of(uint32_t type, uint32_t score) {
  const bool half = type == TYPE_F16;
  const uint32_t size = score & (half ? 0x7fffu : 0x7fffffffu);
  return (score >> (half ? 15 : 31) & 1) != 0 ? -0.5 - size : size;  // -0 is below +0
}

// The largest that is left, 32 times.
static void plain_sort(uint8_t *ub, const cmd_vinst_t *c, uint32_t repeat) {
  const uint32_t bytes = core_type_bits(c->type) / 8;
  uint32_t pairs[64];
  bool taken[32] = {false};
  for (uint32_t n = 0; n < 32; ++n) {
    uint32_t best = 32;
    for (uint32_t i = 0; i < 32; ++i) {
      const uint32_t score = get(ub + c->a + (repeat * 32 + i) * bytes, bytes);
      if (!taken[i] && (best == 32 || score_of(c->type, score) > score_of(c->type, pairs[2 * n]))) {
        best = i;
        pairs[2 * n] = score;
      }
    }
    taken[best] = true;
    pairs[2 * n + 1] = get(ub + c->b + (repeat * 32 + best) * 4, 4);
  }
  memcpy(ub + c->dst + repeat * 256, pairs, sizeof pairs);
}

static void plain_turn(uint8_t *ub, const cmd_vinst_t *c, uint32_t repeat) {
  const uint32_t bytes = core_type_bits(c->type) / 8, n = 32 / bytes;
  uint32_t x[16][16];
  for (uint32_t i = 0; i < n * n; ++i) {
    x[i / n][i % n] = get(at(ub, c->a, c->a_step, repeat, i / n * 32 + i % n * bytes), bytes);
  }
  for (uint32_t i = 0; i < n * n; ++i) {
    memcpy(at(ub, c->dst, c->dst_step, repeat, i / n * 32 + i % n * bytes), &x[i % n][i / n], bytes);
  }
}

static bool is_taken(const uint8_t *bits, const cmd_vinst_t *c, uint32_t i, uint32_t lanes) {
  switch (c->mode) {
    case GATHER_BITS:
      return (bits[i / 8] & 1 << i % 8) != 0;
    case GATHER_SAME:
      return (bits[i % lanes / 8] & 1 << i % 8) != 0;
    case GATHER_EVEN:
    case GATHER_ODD:
      return i % 2 == c->mode - GATHER_EVEN;
    case GATHER_ALL:
      return true;
    default:
      return i % 4 == c->mode - GATHER_FIRST_OF_4;
  }
}

static void plain_pick(uint8_t *ub, const cmd_vinst_t *c, uint32_t lanes) {
  static uint8_t before[UB];
  const uint32_t bytes = core_type_bits(c->type) / 8;
  uint8_t *to = ub + c->dst;
  memcpy(before, ub, UB);
  for (uint32_t i = 0; i < c->count; ++i) {
    if (is_taken(before + c->b, c, i, lanes)) {
      memcpy(to, at(before, c->a, c->a_step & 0xffff, 0, i * bytes), bytes);
      to += bytes;
    }
  }
}

static void plain_merge(uint8_t *ub, const cmd_vinst_t *c) {
  static uint8_t before[UB];
  uint32_t place[4] = {c->a, c->b, c->c, c->scalar}, at_end = 0, length = 0, to = c->dst;
  memcpy(before, ub, UB);
  for (uint32_t r = 0; r < c->repeats; ++r) {
    uint32_t end[4];
    for (unsigned i = 0; i < 4; ++i) {
      length = c->mask >> 16 * i & 0xffff;
      place[i] = c->repeats > 1 ? c->a + (4 * r + i) * length * 8 : place[i];
      end[i] = place[i] + 8 * length;
    }
    for (at_end = 0; !(at_end && c->mode == MERGE_TO_END);) {
      int best = -1;
      for (int i = 3; i >= 0; --i) {
        if (place[i] < end[i] && (best < 0 || score_of(c->type, get(before + place[i], 4)) >=
                                                  score_of(c->type, get(before + place[best], 4)))) {
          best = i;
        }
      }
      if (best < 0) {
        break;
      }
      memcpy(ub + to, before + place[best], 8);
      to += 8;
      place[best] += 8;
      at_end = place[best] == end[best];
    }
  }
}

static void plain(uint8_t *ub, const cmd_vinst_t *c) {
  const uint32_t lanes = instruction_lanes(c);
  if (c->op == VI_GATHER_MASK) {
    plain_pick(ub, c, lanes);
    return;
  }
  if (c->op == VI_MRG_SORT4) {
    plain_merge(ub, c);
    return;
  }
  const uint32_t repeats = c->count > 0 ? (c->count + lanes - 1) / lanes : c->repeats;
  for (uint32_t n = 0; n < repeats; ++n) {
    repeat_t r = {.number = n, .lanes = lanes};
    for (uint32_t i = 0; i < lanes; ++i) {
      r.there[i] = c->op == VI_BRCB || (c->count > 0 ? n * lanes + i < c->count
                                                     : ((i < 64 ? c->mask >> i : c->mask_high >> (i - 64)) & 1) != 0);
    }
    if (c->op == VI_SORT32) {
      plain_sort(ub, c, n);
    } else if (c->op == VI_TRANSPOSE) {
      plain_turn(ub, c, n);
    } else if (c->op >= VI_WHOLE_SUM && c->op <= VI_PAIR_SUM) {
      plain_reduction(ub, c, &r);
    } else if (c->op >= VI_CMP_LT && c->op <= VI_CMPS_NE) {
      plain_comparison(ub, c, &r);
    } else {
      plain_lanes(ub, c, &r);
    }
  }
}

// Any NaN is one; everything else has its bits.
static bool same_lanes(const uint8_t *got, const uint8_t *expected, uint32_t type) {
  if (memcmp(got, expected, UB) == 0) {
    return true;
  }
  const uint32_t bytes = type == TYPE_F32 ? 4 : 2;
  for (uint32_t i = 0; i < UB; i += bytes) {
    const uint32_t x = get(got + i, bytes), y = get(expected + i, bytes);
    const bool nan = type == TYPE_F32    ? isnan(num_f32_from_bits(x)) && isnan(num_f32_from_bits(y))
                     : type == TYPE_F16  ? isnan(half_value((uint16_t)x)) && isnan(half_value((uint16_t)y))
                     : type == TYPE_BF16 ? isnan(num_f32_from_bits(x << 16)) && isnan(num_f32_from_bits(y << 16))
                                         : false;
    if (x != y && !nan) {
      return false;
    }
  }
  return true;
}

// Bytes that are any numbers, or, of floating point, numbers near 1.
static void fill_ub(num_rng_t *rng, uint8_t *ub, uint32_t type) {
  const bool near = random_below(rng, 2) == 0;
  for (uint32_t i = 0; i < UB / 8; ++i) {
    uint64_t word = num_rng_u64(rng);
    word = near && type == TYPE_F32   ? (word & 0x83ffffff83ffffffu) | 0x3c0000003c000000u
           : near && type == TYPE_F16 ? (word & 0x8fff8fff8fff8fffu) | 0x3000300030003000u
                                      : word;
    memcpy(ub + 8 * i, &word, sizeof word);
  }
}

static void compare(num_rng_t *rng, uint32_t op, uint32_t type, uint64_t count) {
  static uint8_t before[UB], got[UB], expected[UB];
  const core_memory_t memory = {.base = {[SPACE_UB] = got}, .bytes = {[SPACE_UB] = UB}};
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 16 == 0) {
      fill_ub(rng, before, type);
    }
    const command_t c = random_instruction_of(rng, op, type, UB, random_below(rng, 4) == 0);
    for (uint32_t k = 0; c.vinst.op == VI_GATHER && k < 1024; ++k) {
      const uint32_t offset = random_below(rng, c.vinst.scalar + 8);
      memcpy(before + (c.vinst.a + 4 * k) % UB, &offset, 4);
    }
    memcpy(got, before, UB);
    memcpy(expected, before, UB);
    run(CORE_VECTOR, &memory, &c);
    plain(expected, &c.vinst);
    if (!same_lanes(got, expected, instruction_to(&c.vinst))) {
      char text[512];
      core_disassemble(&c, text, sizeof text);
      fail_msg("%s: another result than plain loops", text);
    }
  }
}

TEST(instructions_are_plain_loops) {
  const uint64_t count = number_of("COUNT", 60);
  num_rng_t rng;
  num_rng_seed(&rng, number_of("SEED", 2025));
  for (uint32_t op = 0; op < VI_COUNT; ++op) {
    for (uint32_t type = 0; type < TYPE_COUNT; ++type) {
      if ((instruction_rows[op].types >> type & 1) != 0) {
        compare(&rng, op, type, count);
      }
    }
  }
}

// 1000 ADDs of 64 repeats, each behind a barrier, in ticks of 50 MHz as measured at about 1.85 GHz: operands in
// different groups and the result in another bank; two operands in one group; the result in a bank of an operand.
TEST(banks_cost_what_was_measured) {
  static const struct {
    uint32_t b, dst;
    double ticks;
  } rows[] = {{0x4100, 0x10000, 2390}, {0x4000, 0x10000, 4167}, {0x4100, 0x8000, 3751}};
  const config_t config = {.vector = {.repeat_bytes = 256,
                                      .alu_cycles = 2.1,
                                      .alu_startup = 6,
                                      .drain = 16,
                                      .scalar_cycles = 1,
                                      .bank_conflicts = 1}};
  const config_t ideal = {.vector = {.repeat_bytes = 256, .alu_cycles = 2.1, .alu_startup = 6}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    const uint32_t step = VECTOR_STEP(1, 8);
    const command_t add = COMMAND_OF(VINST, vinst, V, .op = VI_ADD, .repeats = 64, .mask = UINT64_MAX, .b = rows[i].b,
                                     .dst = rows[i].dst, .dst_step = step, .a_step = step, .b_step = step);
    const double cycles = (double)core_cycles(&config, &add) + config.vector.drain;
    const double ticks = 1000 * cycles * 50 / 1850;
    CHECK(fabs(ticks / rows[i].ticks - 1) < 0.05, "row %zu: %.0f ticks, measured %.0f", i, ticks, rows[i].ticks);
    CHECK(core_cycles(&ideal, &add) == 6 + 68 &&
              core_cycles(&config, &add) == 6 + 68 + core_bank_conflicts(&config, &add),
          "row %zu: %llu cycles of conflicts", i, (unsigned long long)core_bank_conflicts(&config, &add));
  }
}
