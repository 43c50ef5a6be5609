// What the files of a walk share.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_WALK_WALK_INTERNAL_H
#define AMALGAM_LLM_WALK_WALK_INTERNAL_H

#include "llm/walk/walk.h"

enum { WALK_PIECE = 128 };  // tokens walked at a time

// A layer's past. Keys lie along tokens, for scores of many tokens at a time.
typedef struct walk_cache {
  double *keys;     // [heads * qk_nope_head_dim + qk_rope_head_dim, context]
  double *values;   // [context, heads, v_head_dim]
  double *latents;  // [context, kv_lora_rank + qk_rope_head_dim]
} walk_cache_t;

// Rows of a piece: [WALK_PIECE, ...]
typedef struct walk_rows {
  double *x;                          // hidden_size: the residual stream
  double *normed, *delta;             // hidden_size
  double *q_latent, *q;               // q_lora_rank; heads * (qk_nope_head_dim + qk_rope_head_dim)
  double *kv;                         // heads * (qk_nope_head_dim + v_head_dim)
  double *heads;                      // heads * v_head_dim
  double *absorbed;                   // heads * kv_lora_rank, if there is an observer
  double *router, *chosen, *weights;  // n_routed_experts, num_experts_per_tok
  double *gathered, *out;             // hidden_size: of the tokens of one expert
  double *gate, *up;                  // the widest feed-forward
} walk_rows_t;

struct walk {
  const checkpoint_t *checkpoint;
  const checkpoint_config_t *config;
  size_t context, threads, position;
  walk_cache_t *cache;  // [num_hidden_layers]
  walk_rows_t rows;
  walk_observe_t *observe;
  void *observer;
};

static inline const checkpoint_tensor_t *walk_tensor(const walk_t *walk, checkpoint_role_t role, size_t layer) {
  return checkpoint_find(walk->checkpoint, role, layer, 0);
}

static inline void walk_tell(const walk_t *walk, walk_stage_t stage, size_t layer, size_t rows, size_t columns,
                             const double *values) {
  if (walk->observe != NULL) {
    walk->observe(walk->observer, &(walk_event_t){.stage = stage,
                                                  .layer = layer,
                                                  .first = walk->position,
                                                  .rows = rows,
                                                  .columns = columns,
                                                  .values = values});
  }
}

// Keys and values of tokens `first` .. first + n - 1, from what is in cache.latents of them; n at most WALK_PIECE.
__attribute__((warn_unused_result)) bool walk_expand(walk_t *walk, size_t layer, size_t first, size_t n,
                                                     base_error_t *error);

// Of n new tokens: rows.delta from rows.normed.
__attribute__((warn_unused_result)) bool walk_attention(walk_t *walk, size_t layer, size_t n, base_error_t *error);
__attribute__((warn_unused_result)) bool walk_ffn(walk_t *walk, size_t layer, size_t n, base_error_t *error);

#endif
