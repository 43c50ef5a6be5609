// SPDX-License-Identifier: Apache-2.0
#include "num/engine/num_hfa.h"

#include <math.h>

#include "num/num_isa.h"

enum {
  LOG_ONE = 1 << NUM_HFA_FRACTION_BITS,
  LOG_BIAS = 127 << NUM_HFA_FRACTION_BITS,  // BF16's exponent bias
  QUANT_MAX = 15 * LOG_ONE,                 // e^-15 and less are as good as nothing
  LOG2E_Q8 = 369,                           // 1 + 1/2 - 1/16 + 1/256
  REACH = 9 * LOG_ONE,                      // x + y is x where y is that far below
};

// A lane of the loop over keys has no branches, so that the loop becomes vector code.

NUM_INLINE int log_of(num_element_t x) { return (int16_t)(x & 0xffffu); }

NUM_INLINE num_element_t sign_of(num_element_t x) { return x & NUM_ELEMENT_SIGN; }

NUM_INLINE num_element_t element(num_element_t sign, int log) {
  const int low = log < INT16_MIN ? INT16_MIN : log;
  const int saturated = low > INT16_MAX ? INT16_MAX : low;
  return sign | ((uint32_t)saturated & 0xffffu);
}

NUM_INLINE num_element_t log2_of(num_bf16_t v) {
  const int mag = v & 0x7fff;
  return element((v & 0x8000u) << 1, mag < 0x0080 ? NUM_HFA_ZERO : mag - LOG_BIAS);
}

NUM_INLINE num_element_t scale(num_element_t x, int t) {
  return element(sign_of(x), log_of(x) == NUM_HFA_ZERO ? NUM_HFA_ZERO : log_of(x) - t);
}

uint16_t num_hfa_quant(num_bf16_t a, num_bf16_t b) {
  const float distance = -num_bf16_to_f32(num_bf16_diff(a, b));
  const float limited = distance < 16.0f ? distance : 16.0f;
  const int rounded = (int)floorf(limited * (float)LOG_ONE + 0.5f);
  const int n = rounded < QUANT_MAX ? rounded : QUANT_MAX;
  return (uint16_t)((n * LOG2E_Q8 + 128) >> 8);
}

num_element_t num_hfa_log2(num_bf16_t v) { return log2_of(v); }

num_element_t num_hfa_scale(num_element_t x, uint16_t t) { return scale(x, t); }

const num_hfa_piece_t num_hfa_pieces[8] = {{4096, 21}, {3752, 19}, {3444, 18}, {3155, 16},
                                           {2895, 15}, {2657, 14}, {2438, 13}, {2236, 12}};

uint16_t num_hfa_pow2(uint32_t d) {
  const uint32_t whole = d >> NUM_HFA_FRACTION_BITS;
  const uint32_t p = whole < 31 ? whole : 31;
  const uint32_t f = d & (LOG_ONE - 1);
  const num_hfa_piece_t piece = num_hfa_pieces[f >> 4];
  const uint32_t y = (piece.value - piece.fall * (f & 15u)) >> p;
  return (uint16_t)((y + 16) >> 5);
}

num_element_t num_hfa_add(const num_hfa_t *hfa, num_element_t x, num_element_t y) {
  const int a = log_of(x);
  const int b = log_of(y);
  const bool subtract = sign_of(x) != sign_of(y);
  const int larger = a > b ? a : b;
  const num_element_t sign = sign_of(a > b ? x : y);
  const uint32_t d = (uint32_t)(a > b ? a - b : b - a);
  const bool cancels = subtract && d == 0 && (hfa->corrected || hfa->zero_exact);
  if (larger == NUM_HFA_ZERO || cancels) {
    return element(sign, NUM_HFA_ZERO);
  }
  const int t = hfa->corrected ? num_hfa_correct(d, subtract) : num_hfa_pow2(d);
  return element(sign, subtract ? larger - t : larger + t);
}

// num_hfa_add() tabulated: what it adds to the larger of two logarithms, by their distance, for
// equal signs and, from REACH + 1 on, for different ones.
typedef struct adder {
  int32_t step[2 * (REACH + 1)];
} adder_t;

static adder_t mitchell;
static adder_t mitchell_zero_exact;
static adder_t corrected;

static void tabulate(const num_hfa_t *hfa, adder_t *adder) {
  const num_element_t one = element(0, 0);
  for (int d = 0; d <= REACH; ++d) {
    const int sum = log_of(num_hfa_add(hfa, one, element(0, -d)));
    const int difference = log_of(num_hfa_add(hfa, one, element(NUM_ELEMENT_SIGN, -d)));
    adder->step[d] = sum;
    // Zero has to be reached from any logarithm.
    adder->step[REACH + 1 + d] = difference == NUM_HFA_ZERO ? 2 * NUM_HFA_ZERO : difference;
  }
}

// Before main() runs, so that no thread can see half a table.
__attribute__((constructor)) static void tabulate_all(void) {
  tabulate(&(num_hfa_t){.corrected = false}, &mitchell);
  tabulate(&(num_hfa_t){.zero_exact = true}, &mitchell_zero_exact);
  tabulate(&(num_hfa_t){.corrected = true}, &corrected);
}

static const adder_t *adder_of(const num_hfa_t *hfa) {
  return hfa->corrected ? &corrected : hfa->zero_exact ? &mitchell_zero_exact : &mitchell;
}

// If both are zeros, the larger is a zero as well, to which nothing is added.
NUM_INLINE num_element_t add(const adder_t *adder, num_element_t x, num_element_t y) {
  const int a = log_of(x);
  const int b = log_of(y);
  const int larger = a > b ? a : b;
  const int d = a > b ? a - b : b - a;
  const int near = d < REACH && larger != NUM_HFA_ZERO ? d : REACH;
  const int subtract = sign_of(x) != sign_of(y) ? REACH + 1 : 0;
  return element(sign_of(a > b ? x : y), larger + adder->step[subtract + near]);
}

void num_hfa_clear(size_t d, num_triplet_t *triplet) {
  triplet->m = NUM_BF16_NEG_INF;
  triplet->poison = false;
  for (size_t e = 0; e <= d; ++e) {
    triplet->o[e] = element(0, NUM_HFA_ZERO);
  }
}

// o [d+1] * 2^-t_old + (1, v [d]) * 2^-t_new
NUM_CLONES
static void accumulate(const adder_t *adder, size_t d, num_element_t *restrict o, int t_old, const num_bf16_t *v,
                       int t_new) {
  o[0] = add(adder, scale(o[0], t_old), scale(log2_of(NUM_BF16_ONE), t_new));
  for (size_t c = 0; c < d; ++c) {
    o[c + 1] = add(adder, scale(o[c + 1], t_old), scale(log2_of(v[c]), t_new));
  }
}

static void add_key(const num_hfa_t *hfa, size_t d, num_bf16_t score, const num_bf16_t *v, num_triplet_t *triplet) {
  const num_bf16_t m = num_bf16_max(triplet->m, score);
  accumulate(adder_of(hfa), d, triplet->o, num_hfa_quant(triplet->m, m), v, num_hfa_quant(score, m));
  triplet->m = m;
}

void num_hfa_fau(const num_hfa_t *hfa, size_t d, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v,
                 const uint8_t *valid, size_t n, num_triplet_t *triplet) {
  triplet->poison |= num_bf16_any_special(q, d);
  for (size_t i = 0; i < n; ++i) {
    if (valid != NULL && !valid[i]) {
      continue;
    }
    triplet->poison |= num_bf16_any_special(k + i * d, d) || num_bf16_any_special(v + i * d, d);
    add_key(hfa, d, num_bf16_dot(q, k + i * d, d), v + i * d, triplet);
  }
}

void num_hfa_acc(const num_hfa_t *hfa, size_t d, num_triplet_t *a, const num_triplet_t *b) {
  const num_bf16_t m = num_bf16_max(a->m, b->m);
  const uint16_t t_a = num_hfa_quant(a->m, m);
  const uint16_t t_b = num_hfa_quant(b->m, m);
  for (size_t e = 0; e <= d; ++e) {
    a->o[e] = num_hfa_add(hfa, num_hfa_scale(a->o[e], t_a), num_hfa_scale(b->o[e], t_b));
  }
  a->m = m;
  a->poison |= b->poison;
}

num_bf16_t num_hfa_logdiv_element(num_element_t o, num_element_t l) {
  const int ratio = log_of(o) - log_of(l) + LOG_BIAS;
  if (log_of(o) == NUM_HFA_ZERO || ratio < LOG_ONE) {
    return 0;
  }
  const unsigned mag = ratio < 0x7f7f ? (unsigned)ratio : 0x7f7fu;
  return (num_bf16_t)((sign_of(o) != sign_of(l) ? 0x8000u : 0u) | mag);
}

void num_hfa_logdiv(size_t d, const num_triplet_t *triplet, num_bf16_t *out) {
  for (size_t c = 0; c < d; ++c) {
    out[c] = triplet->poison ? NUM_BF16_NAN : num_hfa_logdiv_element(triplet->o[c + 1], triplet->o[0]);
  }
}
