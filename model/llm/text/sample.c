// SPDX-License-Identifier: Apache-2.0
#include "llm/text/sample.h"

#include <math.h>
#include <stdlib.h>

static int most_likely_first(const void *a, const void *b) {
  const llm_candidate_t *x = a, *y = b;
  return x->probability != y->probability ? (x->probability < y->probability ? 1 : -1)
                                          : (x->token > y->token) - (x->token < y->token);
}

// Logits, as sorted, to probabilities.
static void softmax(double temperature, llm_candidate_t *candidates, size_t count) {
  const double largest = candidates[0].probability;
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) {
    candidates[i].probability = i == 0 ? 1.0 : exp((candidates[i].probability - largest) / temperature);
    sum += candidates[i].probability;
  }
  for (size_t i = 0; i < count; ++i) {
    candidates[i].probability /= sum;
  }
}

// The first ones that reach `share` of the probability, of which they have all from here on.
static size_t nucleus(double share, llm_candidate_t *candidates, size_t count) {
  size_t kept = 0;
  double sum = 0.0;
  while (kept < count && (kept == 0 || sum < share)) {
    sum += candidates[kept++].probability;
  }
  for (size_t i = 0; i < kept; ++i) {
    candidates[i].probability /= sum;
  }
  return kept;
}

size_t llm_candidates(const llm_sampling_t *sampling, const float *logits, size_t vocab, llm_candidate_t *room) {
  for (size_t i = 0; i < vocab; ++i) {
    room[i] = (llm_candidate_t){(uint32_t)i, isnan(logits[i]) ? -INFINITY : (double)logits[i]};
  }
  qsort(room, vocab, sizeof *room, most_likely_first);
  const size_t count = sampling->top_k > 0 && sampling->top_k < vocab ? sampling->top_k : vocab;
  softmax(sampling->temperature, room, count);
  return sampling->top_p < 1.0 ? nucleus(sampling->top_p, room, count) : count;
}

uint32_t llm_draw(const llm_candidate_t *candidates, size_t count, double uniform) {
  size_t i = 0;
  double sum = candidates[0].probability;
  while (i + 1 < count && sum <= uniform) {
    sum += candidates[++i].probability;
  }
  return candidates[i].token;
}
