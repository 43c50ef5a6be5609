// Text by a language model, always the most likely byte.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_LM_LM_GENERATE_H
#define AMALGAM_LLM_LM_LM_GENERATE_H

#include "llm/lm/lm.h"

typedef struct lm_generation {
  const uint8_t *prompt;                     // [prompt_bytes]
  size_t prompt_bytes;                       // at least 1
  size_t tokens;                             // to generate
  void (*put)(void *context, uint8_t byte);  // told each byte as it comes; may be NULL
  void *put_context;
  uint8_t *text;  // [tokens], to be written
  double *gaps;   // [tokens], the choices', to be written; may be NULL
  double gap;     // smallest of the choices, written
  size_t gap_at;  // at this byte of text
} lm_generation_t;

// From a fresh start: the prompt at once, then byte by byte; prompt and text must fit into the
// context. False: the backend gave up, a byte is unknown to the model, or out of memory.
bool lm_generate(lm_t *lm, const lm_backend_t *backend, lm_generation_t *generation);

#endif
