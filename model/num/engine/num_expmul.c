// SPDX-License-Identifier: Apache-2.0
#include "num/engine/num_expmul.h"

#include <math.h>

#include "num/num_isa.h"

enum {
  STEPS = 128,         // of a distance, in 1
  N_MAX = 15 * STEPS,  // e^-15 and less are as good as nothing
  LOG2E_Q4 = 23,       // 1 + 1/2 - 1/16
};

// No branches: the loop over elements becomes vector code.

NUM_INLINE num_element_t from_bf16(num_bf16_t x) { return ((x & 0x8000u) ? NUM_ELEMENT_SIGN : 0u) | (x & 0x7fffu); }

NUM_INLINE num_bf16_t to_bf16(num_element_t x) {
  return (num_bf16_t)(((x & NUM_ELEMENT_SIGN) ? 0x8000u : 0u) | (x & 0x7fffu));
}

NUM_INLINE num_bf16_t scale(num_bf16_t x, uint32_t k) {
  const uint32_t exponent = (x >> 7) & 0xffu;
  const uint32_t scaled = exponent == 0xffu ? x : x - (k << 7);
  return (num_bf16_t)(exponent > k ? scaled : x & 0x8000u);
}

uint8_t num_expmul_power(num_bf16_t a, num_bf16_t b) {
  const float distance = -num_bf16_to_f32(num_bf16_diff(a, b));
  const float limited = distance < 16.0f ? distance : 16.0f;
  const int rounded = (int)floorf(limited * (float)STEPS + 0.5f);
  const int n = rounded < N_MAX ? rounded : N_MAX;
  return (uint8_t)((n * LOG2E_Q4 + 8 * STEPS) / (16 * STEPS));
}

num_bf16_t num_expmul_scale(num_bf16_t x, uint8_t k) { return scale(x, k); }

// x * 2^-k_x + y * 2^-k_y
NUM_INLINE num_bf16_t blend(num_bf16_t x, uint32_t k_x, num_bf16_t y, uint32_t k_y) {
  return num_bf16_add(scale(x, k_x), scale(y, k_y));
}

NUM_CLONES
static void add_key(size_t d, num_bf16_t score, const num_bf16_t *v, num_triplet_t *triplet) {
  const num_bf16_t m = num_bf16_max(triplet->m, score);
  const uint32_t k_old = num_expmul_power(triplet->m, m);
  const uint32_t k_new = num_expmul_power(score, m);
  num_element_t *o = triplet->o;
  o[0] = from_bf16(blend(to_bf16(o[0]), k_old, NUM_BF16_ONE, k_new));
  for (size_t c = 0; c < d; ++c) {
    o[c + 1] = from_bf16(blend(to_bf16(o[c + 1]), k_old, v[c], k_new));
  }
  triplet->m = m;
}

void num_expmul_fau(size_t d, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v, const uint8_t *valid,
                    size_t n, num_triplet_t *triplet) {
  triplet->poison |= num_bf16_any_special(q, d);
  for (size_t i = 0; i < n; ++i) {
    if (valid != NULL && !valid[i]) {
      continue;
    }
    triplet->poison |= num_bf16_any_special(k + i * d, d) || num_bf16_any_special(v + i * d, d);
    add_key(d, num_bf16_dot(q, k + i * d, d), v + i * d, triplet);
  }
}

void num_expmul_acc(size_t d, num_triplet_t *a, const num_triplet_t *b) {
  const num_bf16_t m = num_bf16_max(a->m, b->m);
  const uint32_t k_a = num_expmul_power(a->m, m);
  const uint32_t k_b = num_expmul_power(b->m, m);
  for (size_t e = 0; e <= d; ++e) {
    a->o[e] = from_bf16(blend(to_bf16(a->o[e]), k_a, to_bf16(b->o[e]), k_b));
  }
  a->m = m;
  a->poison |= b->poison;
}
