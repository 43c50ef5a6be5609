// SPDX-License-Identifier: Apache-2.0
#include "num/engine/num_fa2.h"

#include "num/num_isa.h"

// No branches: the loop over elements becomes vector code.

NUM_INLINE num_element_t from_bf16(num_bf16_t x) { return ((x & 0x8000u) ? NUM_ELEMENT_SIGN : 0u) | (x & 0x7fffu); }

NUM_INLINE num_bf16_t to_bf16(num_element_t x) {
  return (num_bf16_t)(((x & NUM_ELEMENT_SIGN) ? 0x8000u : 0u) | (x & 0x7fffu));
}

// x * e_x + y * e_y
NUM_INLINE num_bf16_t blend(num_bf16_t x, num_bf16_t e_x, num_bf16_t y, num_bf16_t e_y) {
  return num_bf16_add(num_bf16_mul(x, e_x), num_bf16_mul(y, e_y));
}

void num_fa2_clear(size_t d, num_triplet_t *triplet) {
  triplet->m = NUM_BF16_NEG_INF;
  triplet->poison = false;
  for (size_t e = 0; e <= d; ++e) {
    triplet->o[e] = 0;
  }
}

NUM_CLONES
static void add_key(size_t d, num_bf16_t score, const num_bf16_t *v, num_triplet_t *triplet) {
  const num_bf16_t m = num_bf16_max(triplet->m, score);
  const num_bf16_t e_old = num_bf16_exp(num_bf16_diff(triplet->m, m));
  const num_bf16_t e_new = num_bf16_exp(num_bf16_diff(score, m));
  num_element_t *o = triplet->o;
  o[0] = from_bf16(blend(to_bf16(o[0]), e_old, NUM_BF16_ONE, e_new));
  for (size_t c = 0; c < d; ++c) {
    o[c + 1] = from_bf16(blend(to_bf16(o[c + 1]), e_old, v[c], e_new));
  }
  triplet->m = m;
}

void num_fa2_fau(size_t d, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v, const uint8_t *valid,
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

void num_fa2_acc(size_t d, num_triplet_t *a, const num_triplet_t *b) {
  const num_bf16_t m = num_bf16_max(a->m, b->m);
  const num_bf16_t e_a = num_bf16_exp(num_bf16_diff(a->m, m));
  const num_bf16_t e_b = num_bf16_exp(num_bf16_diff(b->m, m));
  for (size_t e = 0; e <= d; ++e) {
    a->o[e] = from_bf16(blend(to_bf16(a->o[e]), e_a, to_bf16(b->o[e]), e_b));
  }
  a->m = m;
  a->poison |= b->poison;
}

void num_fa2_divider(size_t d, const num_triplet_t *triplet, num_bf16_t *out) {
  const num_bf16_t l = to_bf16(triplet->o[0]);
  for (size_t c = 0; c < d; ++c) {
    const num_bf16_t ratio = (l & 0x7f80u) ? num_bf16_div(to_bf16(triplet->o[c + 1]), l) : 0;
    out[c] = triplet->poison ? NUM_BF16_NAN : ratio;
  }
}
