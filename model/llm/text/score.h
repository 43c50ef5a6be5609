// The loss of logits, and the token that they choose.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_TEXT_SCORE_H
#define AMALGAM_LLM_TEXT_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -ln softmax(logits)[target] in nats, computed in double.
double llm_loss(const float *logits, size_t vocab, uint32_t target);

typedef struct llm_choice {
  uint32_t best;  // the first of equals
  double gap;     // from the best logit to the second best; infinite if there is only one
} llm_choice_t;

bool llm_is_finite(const float *logits, size_t vocab);

llm_choice_t llm_choose(const float *logits, size_t vocab);

// x = cap tanh(x / cap); cap 0: they stay as they are.
void llm_softcap(float *logits, size_t vocab, double cap);

#endif
