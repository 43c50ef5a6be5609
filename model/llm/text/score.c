// SPDX-License-Identifier: Apache-2.0
#include "llm/text/score.h"

#include <math.h>

double llm_loss(const float *logits, size_t vocab, uint32_t target) {
  double largest = -INFINITY;
  for (size_t i = 0; i < vocab; ++i) {
    largest = fmax(largest, (double)logits[i]);
  }
  double sum = 0.0;
  for (size_t i = 0; i < vocab; ++i) {
    sum += exp((double)logits[i] - largest);
  }
  // cppcheck-suppress invalidFunctionArg ; a vocabulary has words
  return largest + log(sum) - (double)logits[target];
}

bool llm_is_finite(const float *logits, size_t vocab) {
  bool finite = true;
  for (size_t i = 0; i < vocab; ++i) {
    finite = finite && isfinite(logits[i]);
  }
  return finite;
}

llm_choice_t llm_choose(const float *logits, size_t vocab) {
  llm_choice_t choice = {.best = 0, .gap = INFINITY};
  for (size_t i = 1; i < vocab; ++i) {
    const double ahead = (double)logits[i] - (double)logits[choice.best];
    if (ahead > 0) {
      choice = (llm_choice_t){.best = (uint32_t)i, .gap = ahead};
    } else {
      choice.gap = fmin(choice.gap, -ahead);
    }
  }
  return choice;
}

void llm_softcap(float *logits, size_t vocab, double cap) {
  for (size_t i = 0; cap > 0.0 && i < vocab; ++i) {
    logits[i] = (float)(cap * tanh((double)logits[i] / cap));
  }
}
