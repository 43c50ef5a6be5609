// The language model's attention by the C model of an attention engine.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_LM_LM_ENGINE_H
#define AMALGAM_LLM_LM_LM_ENGINE_H

#include "llm/lm/lm.h"
#include "num/engine/num_engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lm_engine {
  num_engine_t engine;  // engine.d must be the model's head_dim
  size_t threads;       // how many compute; 0 counts as 1. The bits do not depend on it.
} lm_engine_t;

// An lm_attend_t; context is a const lm_engine_t. Queries, keys and values are rounded to BF16, the
// queries then scaled; results are BF16 widened. The engine holds all first+n keys for every query,
// so blocks are cut from all of them, and token i's mask leaves the first first+i+1.
bool lm_attend_engine(void *context, const lm_attention_t *attention);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_LLM_LM_LM_ENGINE_H
