// A model in FP64, operation by operation as its family's table (llm/family) says: what a decode step on the chip is
// compared with.
//
// Its computation shares nothing with the kernels: there are no tiles, no absorbed products and no rounding, and each
// head has its keys and values in full. There is a cache: tokens may come all at once or one by one. Weights are read
// from the checkpoint as they are needed.
//
// Sources: those of the family's table, and appendix C of the DeepSeek-V2 report (arXiv 2405.04434).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_WALK_WALK_H
#define AMALGAM_LLM_WALK_WALK_H

#include <stdint.h>

#include "llm/family/graph.h"

// Rows of one stage, told in the order of operations. Many tokens are walked in pieces, each through all layers.
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
// llm_cached of the graph], normalised and rotated, one layer after the other. False: context is exceeded, or the file
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
