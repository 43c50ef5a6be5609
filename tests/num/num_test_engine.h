// Shared by the tests of the attention engine: made-up problems, attention in FP64, and how far the
// engine is from it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_NUM_NUM_TEST_ENGINE_H
#define AMALGAM_TESTS_NUM_NUM_TEST_ENGINE_H

#include <math.h>

#include "num/engine/num_engine.h"
#include "num_test.h"

#define HFA \
  { .corrected = false, .zero_exact = false }
#define HFA_CORRECTED \
  { .corrected = true, .zero_exact = false }

// Some queries over the same keys; q holds them as given, scaled as the engine takes them.
typedef struct {
  size_t queries, s, d;
  num_bf16_t *q, *scaled, *k, *v;
  num_bf16_t *out;         // [queries, d]
  num_element_t *scratch;  // of num_engine_attention()
} problem_t;

static inline void problem_fill(problem_t *p, double width, uint64_t seed) {
  const float scale = (float)(1.0 / sqrt((double)p->d));
  num_rng_normal_bf16(seed, 0, 0, p->queries * p->d, width, p->q);
  num_rng_normal_bf16(seed, 1, 0, p->s * p->d, 1.0, p->k);
  num_rng_normal_bf16(seed, 2, 0, p->s * p->d, 1.0, p->v);
  for (size_t i = 0; i < p->queries * p->d; ++i) {
    p->scaled[i] = num_bf16_scale(p->q[i], scale);
  }
}

// Gaussian; the queries `width` times as wide as keys and values.
static inline problem_t problem_new(size_t queries, size_t s, size_t d, double width, uint64_t seed) {
  problem_t p = {.queries = queries, .s = s, .d = d};
  p.q = allocate(queries * d, sizeof *p.q);
  p.scaled = allocate(queries * d, sizeof *p.scaled);
  p.out = allocate(queries * d, sizeof *p.out);
  p.k = allocate(s * d, sizeof *p.k);
  p.v = allocate(s * d, sizeof *p.v);
  p.scratch = allocate(2 * (d + 1), sizeof *p.scratch);
  problem_fill(&p, width, seed);
  return p;
}

static inline void problem_free(problem_t *p) {
  free(p->q);
  free(p->scaled);
  free(p->out);
  free(p->k);
  free(p->v);
  free(p->scratch);
}

// Every query through the engine, to p->out.
static inline void problem_run(problem_t *p, const num_engine_t *engine, const uint8_t *valid) {
  for (size_t i = 0; i < p->queries; ++i) {
    num_engine_attention(engine, p->scaled + i * p->d, p->k, p->v, valid, p->s, p->out + i * p->d, p->scratch);
  }
}

// Attention as the textbook has it, one query over the keys with valid[j], or all.
static inline void attention_fp64(const problem_t *p, size_t query, const uint8_t *valid, double *out) {
  double *score = allocate(p->s, sizeof *score);
  double highest = -INFINITY;
  double l = 0.0;
  for (size_t j = 0; j < p->s; ++j) {
    for (size_t c = 0; c < p->d; ++c) {
      score[j] += (double)num_bf16_to_f32(p->q[query * p->d + c]) * (double)num_bf16_to_f32(p->k[j * p->d + c]);
    }
    score[j] /= sqrt((double)p->d);
    highest = valid == NULL || valid[j] ? fmax(highest, score[j]) : highest;
  }
  memset(out, 0, p->d * sizeof *out);
  for (size_t j = 0; j < p->s; ++j) {
    const double weight = valid == NULL || valid[j] ? exp(score[j] - highest) : 0.0;
    l += weight;
    for (size_t c = 0; c < p->d && weight > 0.0; ++c) {
      out[c] += weight * (double)num_bf16_to_f32(p->v[j * p->d + c]);
    }
  }
  for (size_t c = 0; c < p->d; ++c) {
    out[c] /= l;
  }
  free(score);
}

// ||out - exact|| / ||exact||, the mean over all queries.
static inline double problem_error(const problem_t *p, const uint8_t *valid) {
  double *exact = allocate(p->d, sizeof *exact);
  double mean = 0.0;
  for (size_t i = 0; i < p->queries; ++i) {
    double off = 0.0;
    double size = 0.0;
    attention_fp64(p, i, valid, exact);
    for (size_t c = 0; c < p->d; ++c) {
      off += pow((double)num_bf16_to_f32(p->out[i * p->d + c]) - exact[c], 2.0);
      size += exact[c] * exact[c];
    }
    mean += sqrt(off / size) / (double)p->queries;
  }
  free(exact);
  return mean;
}

#endif  // AMALGAM_TESTS_NUM_NUM_TEST_ENGINE_H
