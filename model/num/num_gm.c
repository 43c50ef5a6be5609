// SPDX-License-Identifier: Apache-2.0
#include "num/num_gm.h"

#include <stdbool.h>

#include "num/num_format.h"
#include "num/num_isa.h"

static const uint32_t SIGN = 0x80000000u;
static const uint32_t CANONICAL_NAN = 0x7fc00000u;
static const int32_t MIN_NORMAL = 0x00800000;
static const int32_t INFINITE = 0x7f800000;

// All ones or none.
NUM_INLINE uint32_t ones_if(bool condition) { return condition ? 0xffffffffu : 0u; }

NUM_INLINE uint32_t choose(uint32_t mask, uint32_t yes, uint32_t no) { return (mask & yes) | (~mask & no); }

// Masks instead of branches, so that the array forms vectorise. The contract asks for a sum in 33
// bits; here the thresholds are moved to N's side instead, where 32 suffice because magnitudes are
// below 2^31.
NUM_INLINE uint32_t guarded_add(uint32_t u, uint32_t operand, uint32_t *guards) {
  const int32_t n = (int32_t)operand;
  const uint32_t sign = u & SIGN;
  const int32_t magnitude = (int32_t)(u & ~SIGN);
  const uint32_t adds = ones_if(n != 0);
  const uint32_t zero = adds & ones_if(magnitude < MIN_NORMAL);
  const uint32_t special = adds & ones_if(magnitude >= INFINITE);
  const uint32_t normal = adds & ~zero & ~special;
  const uint32_t underflow = normal & ones_if(n < MIN_NORMAL - magnitude);
  const uint32_t overflow = normal & ones_if(n >= INFINITE - magnitude);
  *guards |= (zero & NUM_GM_GUARD_ZERO) | (special & NUM_GM_GUARD_SPECIAL) | (underflow & NUM_GM_GUARD_UNDERFLOW) |
             (overflow & NUM_GM_GUARD_OVERFLOW);
  const uint32_t sum = sign | ((uint32_t)magnitude + operand);
  const uint32_t small = choose(zero | underflow, sign, sum);
  const uint32_t large = choose(overflow, sign | (uint32_t)INFINITE, small);
  return choose(special, u, large);
}

NUM_INLINE uint32_t f32_add(uint32_t a, uint32_t b) {
  const float sum = num_f32_from_bits(a) + num_f32_from_bits(b);
  return sum == sum ? num_f32_bits(sum) : CANONICAL_NAN;
}

// --- adds, maxima and minima of an element ------------------------------------------------------

// A sum of two numbers of 11 bits or fewer, rounded to 24 and then to theirs, is as if rounded once.
NUM_INLINE uint32_t f16_add(uint32_t m, uint32_t x) {
  const float sum = num_fp16_to_f32((num_fp16_t)m) + num_fp16_to_f32((num_fp16_t)x);
  return sum == sum ? num_fp16_from_f32(sum) : 0x7e00u;
}

NUM_INLINE uint32_t bf16_add(uint32_t m, uint32_t x) {
  const float sum = num_bf16_to_f32((num_bf16_t)m) + num_bf16_to_f32((num_bf16_t)x);
  return sum == sum ? num_bf16_from_f32(sum) : 0x7fc0u;
}

NUM_INLINE uint32_t wrapping_add(uint32_t m, uint32_t x) { return m + x; }

#define VALUE_F32(x) num_f32_from_bits(x)
#define VALUE_F16(x) num_fp16_to_f32((num_fp16_t)(x))
#define VALUE_BF16(x) num_bf16_to_f32((num_bf16_t)(x))
#define VALUE_S32(x) (int32_t)(x)
#define VALUE_S16(x) (int16_t)(x)
#define VALUE_S8(x) (int8_t)(x)
#define CHOICES(type, name)                                                                                    \
  NUM_INLINE uint32_t name##_max(uint32_t m, uint32_t x) { return VALUE_##type(m) > VALUE_##type(x) ? m : x; } \
  NUM_INLINE uint32_t name##_min(uint32_t m, uint32_t x) { return VALUE_##type(m) < VALUE_##type(x) ? m : x; }
CHOICES(F32, f32)
CHOICES(F16, f16)
CHOICES(BF16, bf16)
CHOICES(S32, s32)
CHOICES(S16, s16)
CHOICES(S8, s8)

// --- likewise of the elements of a word -----------------------------------------------------------

// Columns: operation, bits of an element, what is done to it.
#define WORD_OPS(WORD)                \
  WORD(ADD_F32, 32, f32_add)          \
  WORD(ADD_S32_RAW, 32, wrapping_add) \
  WORD(ADD_F16, 16, f16_add)          \
  WORD(ADD_BF16, 16, bf16_add)        \
  WORD(ADD_S16, 16, wrapping_add)     \
  WORD(ADD_S8, 8, wrapping_add)       \
  WORD(MAX_F32, 32, f32_max)          \
  WORD(MAX_F16, 16, f16_max)          \
  WORD(MAX_BF16, 16, bf16_max)        \
  WORD(MAX_S32, 32, s32_max)          \
  WORD(MAX_S16, 16, s16_max)          \
  WORD(MAX_S8, 8, s8_max)             \
  WORD(MIN_F32, 32, f32_min)          \
  WORD(MIN_F16, 16, f16_min)          \
  WORD(MIN_BF16, 16, bf16_min)        \
  WORD(MIN_S32, 32, s32_min)          \
  WORD(MIN_S16, 16, s16_min)          \
  WORD(MIN_S8, 8, s8_min)

#define WORD(NAME, bits, element)                                                                \
  NUM_INLINE uint32_t word_##NAME(uint32_t m, uint32_t x) {                                      \
    const uint32_t mask = UINT32_MAX >> (32 - (bits));                                           \
    uint32_t word = 0;                                                                           \
    for (uint32_t at = 0; at < 32; at += (bits)) {                                               \
      word |= (element(m >> at & mask, x >> at & mask) & mask) << at;                            \
    }                                                                                            \
    return word;                                                                                 \
  }                                                                                              \
  NUM_CLONES                                                                                     \
  static void words_##NAME(uint32_t *restrict mem, const uint32_t *restrict operand, size_t n) { \
    for (size_t i = 0; i < n; ++i) {                                                             \
      mem[i] = word_##NAME(mem[i], operand[i]);                                                  \
    }                                                                                            \
  }
WORD_OPS(WORD)
#undef WORD

uint32_t num_f32_add_bits(uint32_t a, uint32_t b) { return f32_add(a, b); }

uint32_t num_gm_apply(enum num_gm_op op, uint32_t mem, uint32_t operand, uint32_t *guards) {
  uint32_t met = 0;
  uint32_t word = mem;
  switch (op) {
    case NUM_GM_STORE:
      word = operand;
      break;
    case NUM_GM_ADD_S32:
    case NUM_GM_RESCALE:
      word = guarded_add(mem, operand, &met);
      break;
#define WORD(NAME, bits, element)     \
  case NUM_GM_##NAME:                 \
    word = word_##NAME(mem, operand); \
    break;
      WORD_OPS(WORD)
#undef WORD
    default:
      break;
  }
  if (guards != NULL) {
    *guards |= met;
  }
  return word;
}

NUM_CLONES
static void store_n(uint32_t *restrict mem, const uint32_t *restrict operand, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    mem[i] = operand[i];
  }
}

NUM_CLONES
static uint32_t guarded_add_n(uint32_t *restrict mem, const uint32_t *restrict operand, size_t n) {
  uint32_t met = 0;
  for (size_t i = 0; i < n; ++i) {
    mem[i] = guarded_add(mem[i], operand[i], &met);
  }
  return met;
}

NUM_CLONES
static uint32_t rescale_n(uint32_t *restrict mem, uint32_t operand, size_t n) {
  uint32_t met = 0;
  for (size_t i = 0; i < n; ++i) {
    mem[i] = guarded_add(mem[i], operand, &met);
  }
  return met;
}

void num_gm_apply_n(enum num_gm_op op, uint32_t *mem, const uint32_t *operand, size_t n, uint32_t *guards) {
  uint32_t met = 0;
  if (n == 0) {
    return;
  }
  switch (op) {
    case NUM_GM_STORE:
      store_n(mem, operand, n);
      break;
    case NUM_GM_ADD_S32:
      met = guarded_add_n(mem, operand, n);
      break;
    case NUM_GM_RESCALE:
      met = rescale_n(mem, operand[0], n);
      break;
#define WORD(NAME, bits, element)  \
  case NUM_GM_##NAME:              \
    words_##NAME(mem, operand, n); \
    break;
      WORD_OPS(WORD)
#undef WORD
    default:
      break;
  }
  if (guards != NULL) {
    *guards |= met;
  }
}
