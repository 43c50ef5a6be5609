// Texts by the language model, and how well it predicts others.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_LM_LM_TEXT_H
#define AMALGAM_LLM_LM_LM_TEXT_H

#include "llm/lm/lm.h"
#include "llm/text/tokens.h"

static inline llm_vocab_t lm_vocab(const checkpoint_config_t *shape) {
  return (llm_vocab_t){.size = shape->vocab_size, .bytes = true, .unit = "byte"};
}

// The worth of a window's predictions.
typedef struct lm_score {
  size_t predictions;
  double loss;   // nats a byte, mean over the predictions
  size_t agree;  // predictions whose best byte is the reference's
  size_t lost;   // predictions whose logits are not all finite
} lm_score_t;

// The model's logits [predictions,vocab] of a window, from a fresh start. False: the backend gave up.
bool lm_window_logits(lm_t *lm, const llm_text_t *text, size_t window, const lm_backend_t *backend, float *logits);

// Logits [predictions,vocab] against the text, and against those of a reference (which may be the
// same array).
lm_score_t lm_window_score(const llm_text_t *text, size_t window, size_t vocab, const float *logits,
                           const float *reference);

// Over both: means are over predictions.
void lm_score_add(lm_score_t *sum, const lm_score_t *score);

// Text that follows a prompt, always the most likely byte.
typedef struct lm_generation {
  llm_tokens_t prompt;                         // owned; at least 1
  size_t tokens;                               // to generate
  void (*put)(void *context, uint32_t token);  // told each byte as it comes; may be NULL
  void *put_context;
  uint32_t *text;  // [tokens], to be written
  double *gaps;    // [tokens], the choices', to be written; may be NULL
  double gap;      // smallest of the choices, written
  size_t gap_at;   // at this byte of text
  size_t lost;     // bytes whose logits are not all finite, written; the first of them
  size_t lost_at;
} lm_generation_t;

// From a fresh start: the prompt at once, then byte by byte; prompt and text must fit into the
// context. False: the backend gave up, a byte is unknown to the model, or out of memory.
bool lm_generate(lm_t *lm, const lm_backend_t *backend, lm_generation_t *generation);

#endif
