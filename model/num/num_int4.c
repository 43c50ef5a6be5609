// SPDX-License-Identifier: Apache-2.0
#include "num/num_int4.h"

#include <math.h>

enum { NIBBLES = 16, PER_WORD = 8 };

void num_int4_unpack(num_nibbles_t nibbles, const uint32_t *words, int8_t *values, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const int value = num_int4_get(words[i / PER_WORD], i % PER_WORD);
    values[i] = (int8_t)(nibbles == NUM_NIBBLES_UNSIGNED ? value & 0xf : value);
  }
}

void num_int4_pack(const int8_t *values, uint32_t *words, size_t n) {
  for (size_t i = 0; i < n; i += PER_WORD) {
    uint32_t word = 0;
    for (unsigned j = 0; j < PER_WORD; ++j) {
      word = num_int4_put(word, j, values[i + j]);
    }
    words[i / PER_WORD] = word;
  }
}

// --- the quantiser ----------------------------------------------------------------------------

// One group of a column: rows `n` elements apart.
typedef struct group {
  const float *w;
  int8_t *values;
  size_t rows, n;
  float min, max;  // of the weights and 0
} group_t;

static void find_range(group_t *group) {
  group->min = group->max = 0.0f;
  for (size_t i = 0; i < group->rows; ++i) {
    group->min = fminf(group->min, group->w[i * group->n]);
    group->max = fmaxf(group->max, group->w[i * group->n]);
  }
}

static num_fp16_t scale_of(float range, float steps) {
  const num_fp16_t scale = num_fp16_from_f32(range / steps);
  return range == 0.0f ? num_fp16_from_f32(1.0f) : scale == 0 ? 1 : scale;
}

static float clamp(float x, int least) { return fminf(fmaxf(x, (float)least), (float)(least + NIBBLES - 1)); }

static void round_values(const group_t *group, float scale, float zero, int least) {
  for (size_t i = 0; i < group->rows; ++i) {
    const float steps = rintf(group->w[i * group->n] / scale);
    group->values[i * group->n] = (int8_t)clamp(steps + zero, least);
  }
}

// Returns the scale; the zero goes to *zero unless that is NULL.
static num_fp16_t quantise(num_nibbles_t nibbles, group_t *group, num_fp16_t *zero) {
  const int least = num_int4_least(nibbles);
  find_range(group);
  if (zero == NULL) {
    const num_fp16_t scale = scale_of(fmaxf(group->max, -group->min), 7.0f);
    round_values(group, num_fp16_to_f32(scale), 0.0f, least);
    return scale;
  }
  const num_fp16_t scale = scale_of(group->max - group->min, 15.0f);
  const float s = num_fp16_to_f32(scale);
  const float z = clamp(rintf(-group->min / s) + (float)least, least);
  *zero = num_fp16_from_f32(z);
  round_values(group, s, z, least);
  return scale;
}

bool num_int4_quantise(num_nibbles_t nibbles, const float *w, size_t k, size_t n, size_t group, int8_t *values,
                       num_fp16_t *scale, num_fp16_t *zero, size_t *bad) {
  for (size_t g = 0; g < k / group; ++g) {
    for (size_t column = 0; column < n; ++column) {
      const size_t i = g * n + column;
      const size_t first = g * group * n + column;
      group_t one = {.w = w + first, .values = values + first, .rows = group, .n = n};
      scale[i] = quantise(nibbles, &one, zero == NULL ? NULL : zero + i);
      if (scale[i] >= 0x7c00u) {
        *bad = i;
        return false;
      }
    }
  }
  return true;
}
