// SPDX-License-Identifier: Apache-2.0
#include "num/engine/num_hfa_sources.h"

#include <math.h>

#include "num/engine/num_hfa.h"

enum { UNITS = 1 << NUM_HFA_FRACTION_BITS };  // of a logarithm in one power of two

// Range of a quantised logarithm; the lowest value stands for log2(0).
static const double log_min = (double)NUM_HFA_ZERO / UNITS;
static const double log_max = (double)INT16_MAX / UNITS;

static const double log2_e = 1.4426950408889634;

// One partial result: m and d + 1 logarithms.
typedef struct part {
  num_bf16_t m;
  num_hfa_log_t *o;
} part_t;

static double zero(const num_hfa_sources_t *sources) { return sources->quantised ? log_min : -INFINITY; }

// To the nearest of the format's values, if there is a format.
static double rounded(const num_hfa_sources_t *sources, double x) {
  return sources->quantised ? floor(x * UNITS + 0.5) / UNITS : x;
}

static double limited(const num_hfa_sources_t *sources, double log) {
  return sources->quantised ? fmin(fmax(log, log_min), log_max) : log;
}

// Distance of the score a below b, in powers of two.
static double distance(const num_hfa_sources_t *sources, num_bf16_t a, num_bf16_t b) {
  return sources->quantised ? (double)num_hfa_quant(a, b) / UNITS
                            : -(double)num_bf16_to_f32(num_bf16_diff(a, b)) * log2_e;
}

static num_hfa_log_t log_of(const num_hfa_sources_t *sources, num_bf16_t v) {
  const int bits = v & 0x7fff;
  const double magnitude = (double)num_bf16_to_f32((num_bf16_t)bits);
  const double log = bits < 0x0080           ? zero(sources)
                     : sources->mitchell_log ? (double)bits / UNITS - 127
                                             : rounded(sources, log2(magnitude));
  return (num_hfa_log_t){log, (v & 0x8000u) != 0};
}

static num_hfa_log_t scaled(const num_hfa_sources_t *sources, num_hfa_log_t x, double t) {
  if (x.log > zero(sources)) {
    x.log = limited(sources, x.log - t);
  }
  return x;
}

// 2^-d on num_hfa_pieces for the fraction of d; of their fraction bits a shift by the whole part of
// d cuts some off if there is a format.
static double power_by_pieces(const num_hfa_sources_t *sources, double d) {
  const double whole = floor(d);
  const double f = d - whole;
  const int i = (int)(f * 8);
  const num_hfa_piece_t piece = num_hfa_pieces[i];
  const double y = (piece.value - piece.fall * (f - i / 8.0) * UNITS) * exp2(-whole);
  return (sources->quantised ? floor(y) : y) / 4096;
}

// log2(1 +- x) without its sign.
static double log_one_plus(const num_hfa_sources_t *sources, double x, bool subtract) {
  return sources->mitchell_add ? x : fabs(log1p(subtract ? -x : x)) * log2_e;
}

static num_hfa_log_t add(const num_hfa_sources_t *sources, num_hfa_log_t x, num_hfa_log_t y) {
  const bool subtract = x.negative != y.negative;
  num_hfa_log_t sum = x.log > y.log ? x : y;
  const double smaller = fmin(x.log, y.log);
  if (smaller == -INFINITY || sum.log == log_min) {
    return sum;
  }
  const double d = sum.log - smaller;
  if (sources->seen != NULL && smaller > zero(sources)) {
    sources->seen(sources->context, exp2(-d), subtract);
  }
  const double power = sources->pwl ? power_by_pieces(sources, d) : exp2(-d);
  const double term = rounded(sources, log_one_plus(sources, power, subtract));
  // An infinite term is an exact cancellation.
  sum.log = term == INFINITY ? zero(sources) : limited(sources, subtract ? sum.log - term : sum.log + term);
  return sum;
}

static void clear(const num_hfa_sources_t *sources, size_t d, part_t *part) {
  part->m = NUM_BF16_NEG_INF;
  for (size_t e = 0; e <= d; ++e) {
    part->o[e] = (num_hfa_log_t){zero(sources), false};
  }
}

static void add_key(const num_hfa_sources_t *sources, size_t d, num_bf16_t score, const num_bf16_t *v, part_t *part) {
  const num_bf16_t m = num_bf16_max(part->m, score);
  const double t_old = distance(sources, part->m, m);
  const double t_new = distance(sources, score, m);
  for (size_t e = 0; e <= d; ++e) {
    const num_hfa_log_t value = log_of(sources, e == 0 ? NUM_BF16_ONE : v[e - 1]);
    part->o[e] = add(sources, scaled(sources, part->o[e], t_old), scaled(sources, value, t_new));
  }
  part->m = m;
}

static void merge(const num_hfa_sources_t *sources, size_t d, part_t *a, const part_t *b) {
  const num_bf16_t m = num_bf16_max(a->m, b->m);
  const double t_a = distance(sources, a->m, m);
  const double t_b = distance(sources, b->m, m);
  for (size_t e = 0; e <= d; ++e) {
    a->o[e] = add(sources, scaled(sources, a->o[e], t_a), scaled(sources, b->o[e], t_b));
  }
  a->m = m;
}

static num_bf16_t quotient(const num_hfa_sources_t *sources, num_hfa_log_t o, num_hfa_log_t l) {
  const double largest = (double)num_bf16_to_f32(0x7f7f);
  const double log = o.log - l.log;
  if (o.log == zero(sources) || log < -126) {
    return 0;
  }
  const double whole = floor(log);
  const double value = sources->mitchell_out ? (1 + log - whole) * exp2(whole) : exp2(log);
  const num_bf16_t magnitude = num_bf16_from_f32((float)fmin(value, largest));
  return o.negative != l.negative ? (num_bf16_t)(magnitude | 0x8000u) : magnitude;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

void num_hfa_sources_attention(const num_hfa_sources_t *sources, size_t d, size_t blocks, const num_bf16_t *q,
                               const num_bf16_t *k, const num_bf16_t *v, const uint8_t *valid, size_t n,
                               num_bf16_t *out, num_hfa_log_t *scratch) {
  const size_t run = (n + blocks - 1) / blocks;
  part_t whole = {.o = scratch};
  part_t part = {.o = scratch + d + 1};
  clear(sources, d, &whole);
  for (size_t b = 0; b < blocks; ++b) {
    part_t *now = b == 0 ? &whole : &part;
    clear(sources, d, now);
    for (size_t i = least(b * run, n); i < least((b + 1) * run, n); ++i) {
      if (valid == NULL || valid[i]) {
        add_key(sources, d, num_bf16_dot(q, k + i * d, d), v + i * d, now);
      }
    }
    if (b > 0) {
      merge(sources, d, &whole, &part);
    }
  }
  for (size_t c = 0; c < d; ++c) {
    out[c] = quotient(sources, whole.o[c + 1], whole.o[0]);
  }
}
