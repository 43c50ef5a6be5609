// A DeepSeek-V2 or V3 model in FP64, step by step as its definition says: what a decode step on the chip is compared
// with.
//
// It shares nothing with the kernels: no tiles, no absorbed products, no rounding, keys and values of all heads in
// full. With a cache: tokens may come all at once or one by one. Weights are read from the checkpoint as they are
// needed.
//
// Sources: the DeepSeek-V2 report (arXiv 2405.04434, section 2.1 and appendix C) and DeepSeek-V3's (arXiv 2412.19437,
// section 2.1); for what these leave open, transformers' modeling_deepseek_v2.py and modeling_deepseek_v3.py.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_WALK_WALK_H
#define AMALGAM_LLM_WALK_WALK_H

#include <stdint.h>

#include "llm/checkpoint/checkpoint.h"

typedef enum walk_stage {
#define WALK_STAGE(name, text) WALK_##name,
#include "llm/walk/walk_stages.def"
#undef WALK_STAGE
  WALK_STAGES
} walk_stage_t;

const char *walk_stage_name(walk_stage_t stage);

// Rows of one stage. Many tokens are walked in pieces, each through all layers.
typedef struct walk_event {
  walk_stage_t stage;
  size_t layer, expert;  // 0 where a stage has none
  size_t first;          // position of the piece's first token
  size_t rows, columns;
  const double *values;  // [rows,columns], during the call alone
  const size_t *tokens;  // of each row, its position - first; NULL: 0, 1, 2, ...
} walk_event_t;

typedef void walk_observe_t(void *context, const walk_event_t *event);

typedef struct walk walk_t;

// context: tokens it can hold. threads: at a time, at most. NULL: error says why. The checkpoint stays open as long.
walk_t *walk_open(const checkpoint_t *checkpoint, size_t context, size_t threads, base_error_t *error);
void walk_close(walk_t *walk);  // may be NULL

// From here on `observe` is told each stage; NULL: nobody is.
void walk_observe(walk_t *walk, walk_observe_t *observe, void *observer);

// Forgets all tokens, and begins anew after `count` that are known by their cache alone: for each layer [count,
// kv_lora_rank
// + qk_rope_head_dim], normalised and rotated, one layer after the other. False: context is exceeded, or the file
// could not be read.
__attribute__((warn_unused_result)) bool walk_begin(walk_t *walk, size_t count, const double *cache,
                                                    base_error_t *error);

// Tokens so far.
size_t walk_position(const walk_t *walk);

// Continues by n tokens, each below vocab_size. logits [n,vocab_size]; only_last: [vocab_size], of the last token;
// NULL: they are not computed. False: context is exceeded, a token is none, or the file could not be read; begin anew
// then.
__attribute__((warn_unused_result)) bool walk_forward(walk_t *walk, const uint32_t *tokens, size_t n, double *logits,
                                                      bool only_last, base_error_t *error);

#endif
