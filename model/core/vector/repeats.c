// Instructions of the vector pipe whose result is not a lane for each lane: comparisons and reductions.
// SPDX-License-Identifier: Apache-2.0
#include "core/vector/instruction.h"
#include "num/num_format.h"

// The lanes in FP32, which has all values of FP16.
static const float *floats_of(uint32_t type, const void *lanes, size_t n, float *buffer) {
  if (type != TYPE_F16) {
    return lanes;
  }
  num_fp16_to_f32_n(lanes, buffer, n);
  return buffer;
}

// --- comparisons ----------------------------------------------------------------------------------

typedef enum relation { LT, GT, GE, LE, EQ, NE } relation_t;

NUM_INLINE bool holds(relation_t relation, float a, float b) {
  switch (relation) {
    case LT:
      return a < b;
    case GT:
      return a > b;
    case GE:
      return a >= b;
    case LE:
      return a <= b;
    case EQ:
      return a == b;
    case NE:
      break;
  }
  return a != b;
}

// Eight bytes of 0 or 1 to the bits of one byte, the first lowest (as masks.c does).
static uint8_t pack_bits(const uint8_t flags[8]) {
  uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) {
    word |= (uint64_t)flags[i] << (8 * i);
  }
  return (uint8_t)((word * 0x0102040810204080u) >> 56);
}

NUM_INLINE void compare(const core_lanes_t *t, relation_t relation, const void *b, size_t step) {
  float x[CORE_LANES_MOST], y[CORE_LANES_MOST];
  uint8_t flags[CORE_LANES_MOST] = {0}, *bits = t->dst;
  if (t->type == TYPE_S32) {
    for (size_t i = 0; i < t->n; ++i) {
      flags[i] = ((const uint32_t *)t->a)[i] == ((const uint32_t *)b)[i * step];
    }
  } else {
    const float *a = floats_of(t->type, t->a, t->n, x), *other = floats_of(t->type, b, step == 0 ? 1 : t->n, y);
    for (size_t i = 0; i < t->n; ++i) {
      flags[i] = holds(relation, a[i], other[i * step]);
    }
  }
  for (unsigned i = 0; i < CORE_LANES_MOST / 8; ++i) {
    bits[i] = pack_bits(flags + 8 * i) & (uint8_t)(t->mask->bits[i / 8] >> i % 8 * 8);
  }
}

// A scalar's lowest bits are a value of 16 or 32 bits, and come first on the hosts that there are.
#define COMPARE(name, relation)                                                     \
  void core_vi_cmp_##name(const core_lanes_t *t) { compare(t, relation, t->b, 1); } \
  void core_vi_cmps_##name(const core_lanes_t *t) { compare(t, relation, &t->scalar, 0); }
COMPARE(lt, LT)
COMPARE(gt, GT)
COMPARE(ge, GE)
COMPARE(le, LE)
COMPARE(eq, EQ)
COMPARE(ne, NE)

// --- reductions -----------------------------------------------------------------------------------

static float rounded(uint32_t type, float x) { return type == TYPE_F16 ? num_fp16_to_f32(num_fp16_from_f32(x)) : x; }

static void put(const core_lanes_t *t, size_t i, float x) {
  if (t->type == TYPE_F16) {
    ((uint16_t *)t->dst)[i] = num_fp16_from_f32(x);
  } else {
    ((float *)t->dst)[i] = x;
  }
}

// Neighbours, then neighbours of their sums: over size lanes from the first, a power of two.
static float sum_of(const core_lanes_t *t, const float *x, uint32_t first, uint32_t size) {
  float sum[CORE_LANES_MOST] = {0};
  bool there[CORE_LANES_MOST];
  for (uint32_t i = 0; i < size; ++i) {
    there[i] = first + i < t->n && core_lane(t->mask, first + i);
    sum[i] = there[i] ? x[first + i] : 0;
  }
  for (; size > 1; size /= 2) {
    for (uint32_t i = 0; i < size / 2; ++i) {
      const float left = sum[2 * i], right = sum[2 * i + 1];
      const bool both = there[2 * i] && there[2 * i + 1];
      sum[i] = both ? rounded(t->type, left + right) : there[2 * i] ? left : right;
      there[i] = there[2 * i] || there[2 * i + 1];
    }
  }
  return sum[0];
}

// The first of the largest lanes, or of the smallest.
static uint32_t choice_of(const core_lanes_t *t, const float *x, uint32_t first, uint32_t size, bool largest) {
  uint32_t best = UINT32_MAX;
  for (uint32_t i = first; i < first + size && i < t->n; ++i) {
    if (core_lane(t->mask, i) && (best == UINT32_MAX || (largest ? x[i] > x[best] : x[i] < x[best]))) {
      best = i;
    }
  }
  return best;
}

static uint32_t lanes_of(const core_lanes_t *t) { return t->type == TYPE_F16 ? 128 : 64; }

// All lanes of all groups take part.
static void full_sums(const core_lanes_t *t, const float *x, uint32_t group) {
  float sum[CORE_LANES_MOST];
  size_t n = t->n;
  memcpy(sum, x, n * sizeof *sum);
  for (; n > t->n / group; n /= 2) {
    for (size_t i = 0; i < n / 2; ++i) {
      sum[i] = rounded(t->type, sum[2 * i] + sum[2 * i + 1]);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    put(t, i, sum[i]);
  }
}

static void sums(const core_lanes_t *t, uint32_t group) {
  float buffer[CORE_LANES_MOST];
  const float *x = floats_of(t->type, t->a, t->n, buffer);
  if (t->n % group == 0 && core_is_prefix(t->mask)) {
    full_sums(t, x, group);
    return;
  }
  for (uint32_t i = 0; i * group < t->n; ++i) {
    put(t, i, sum_of(t, x, i * group, group));
  }
}

static void choices(const core_lanes_t *t, uint32_t group, bool largest) {
  float buffer[CORE_LANES_MOST];
  const float *x = floats_of(t->type, t->a, t->n, buffer);
  for (uint32_t i = 0; i * group < t->n; ++i) {
    const uint32_t best = choice_of(t, x, i * group, group, largest);
    if (best != UINT32_MAX) {
      put(t, i, x[best]);
    }
  }
}

static void whole_choice(const core_lanes_t *t, bool largest) {
  float buffer[CORE_LANES_MOST];
  const float *x = floats_of(t->type, t->a, t->n, buffer);
  const uint32_t index = choice_of(t, x, 0, lanes_of(t), largest);
  const size_t bytes = t->type == TYPE_F16 ? 2 : 4;
  const uint8_t *value = (const uint8_t *)t->a + index * bytes;
  uint8_t *dst = t->dst;
  const bool index_first = t->mode == CHOICE_INDEX_VALUE || t->mode == CHOICE_INDEX;
  memcpy(dst, index_first ? (const uint8_t *)&index : value, bytes);
  memcpy(dst + bytes, index_first ? value : (const uint8_t *)&index, bytes);
}

void core_vi_whole_sum(const core_lanes_t *t) { sums(t, lanes_of(t)); }
void core_vi_whole_max(const core_lanes_t *t) { whole_choice(t, true); }
void core_vi_whole_min(const core_lanes_t *t) { whole_choice(t, false); }
void core_vi_block_sum(const core_lanes_t *t) { sums(t, lanes_of(t) / 8); }
void core_vi_block_max(const core_lanes_t *t) { choices(t, lanes_of(t) / 8, true); }
void core_vi_block_min(const core_lanes_t *t) { choices(t, lanes_of(t) / 8, false); }
void core_vi_pair_sum(const core_lanes_t *t) { sums(t, 2); }
