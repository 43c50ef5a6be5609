// How well logits predict a text, and what they choose.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_TEXT_SCORE_H
#define AMALGAM_LLM_TEXT_SCORE_H

#include <stddef.h>
#include <stdint.h>

// A text is predicted in windows of `context` tokens and the one after them; window w begins at token w * (context +
// 1), and each of its tokens but the first is predicted from those before it in the window. The last window may be
// shorter, but predicts a token at least.
size_t llm_windows(size_t tokens, size_t context);
size_t llm_window_predictions(size_t tokens, size_t context, size_t window);

// -ln softmax(logits)[target] in nats, computed in double.
double llm_loss(const float *logits, size_t vocab, uint32_t target);

typedef struct llm_choice {
  uint32_t best;  // the first of equals
  double gap;     // from the best logit to the second best; infinite if there is only one
} llm_choice_t;

llm_choice_t llm_choose(const float *logits, size_t vocab);

#endif
