// Tokens drawn from logits, as transformers' generate() and serving stacks do it: divided by the temperature, of these
// the top_k largest, of these the most likely ones whose probabilities together reach top_p, and one of these.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_TEXT_SAMPLE_H
#define AMALGAM_LLM_TEXT_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct llm_sampling {
  double temperature;  // 0: the best token is taken
  size_t top_k;        // 0: of all tokens
  double top_p;        // 1: of all that top_k leaves
} llm_sampling_t;

typedef struct llm_candidate {
  uint32_t token;
  double probability;
} llm_candidate_t;

// The candidates, most likely first, of equal ones the lower number; their probabilities add up to 1. room has [vocab].
// Logits that are no numbers are the least likely. Returns how many there are: 1 or more. temperature above 0.
size_t llm_candidates(const llm_sampling_t *sampling, const float *logits, size_t vocab, llm_candidate_t *room);

// The candidate at `uniform`, of [0, 1), of the sum of probabilities.
uint32_t llm_draw(const llm_candidate_t *candidates, size_t count, double uniform);

#endif
