// Shared by the files of a walk, which have a function for each kind of operation (llm/family/ops.def).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_WALK_WALK_INTERNAL_H
#define AMALGAM_LLM_WALK_WALK_INTERNAL_H

#include "llm/walk/walk.h"

enum { WALK_PIECE = 128, WALK_EXPERTS = 1 << 12 };  // tokens walked at a time; experts, as checkpoint_config.def has it

// A layer's past. With latents keys lie along tokens, for scores of many tokens at a time.
typedef struct walk_cache {
  double *keys;     // [heads * the part that is not rotated + the rotated part, context]; or [context, kv_heads, dk]
  double *values;   // [context, heads, v_head_dim]; or [context, kv_heads, dv]
  double *latents;  // [context, dk]; or NULL
} walk_cache_t;

struct walk {
  const checkpoint_t *checkpoint;
  const checkpoint_config_t *config;
  llm_graph_t graph;
  size_t context, threads, position;
  walk_cache_t *cache;             // [num_hidden_layers]
  double *value[LLM_MOST_VALUES];  // [parts][rows of a piece][columns]; NULL: there is none
  walk_observe_t *observe;
  void *observer;
  // The piece under way:
  size_t n;                // its tokens,
  const uint32_t *tokens;  // their numbers,
  double *logits;          // those that are wanted of the last `wanted` tokens,
  size_t wanted;
  double *chosen;         // [WALK_PIECE, num_experts_per_tok]: a mixture's experts, best first,
  const double *weights;  // likewise: their weights,
  size_t *token_of;       // [WALK_PIECE * num_experts_per_tok]: of each slot its token,
  double *weight_of;      // likewise: its weight,
  size_t *begin;          // [n_routed_experts + 1]: expert e has slots begin[e] .. begin[e + 1] - 1
};

#define LLM_OP(NAME, name, who, text) \
  LLM_IN_STEP_##who(                  \
      __attribute__((warn_unused_result)) bool walk_##name(walk_t *walk, const llm_op_t *op, base_error_t *error);)
#include "llm/family/ops.def"
#undef LLM_OP

// The tensor of an operation's weight, of its second one, or of an expert; NULL: there is none.
static inline const checkpoint_tensor_t *walk_tensor(const walk_t *walk, const llm_op_t *op, bool second,
                                                     size_t expert) {
  const llm_weight_t *weight = &walk->graph.weight[op->weight];
  const checkpoint_role_t role = second ? weight->second : weight->first;
  return role == CHECKPOINT_NONE
             ? NULL
             : checkpoint_find(walk->checkpoint, role, op->layer == LLM_NO_LAYER ? 0 : op->layer, expert);
}

// Elements of a row of a value.
static inline size_t walk_width(const walk_t *walk, int value) {
  return walk->graph.value[value].parts * walk->graph.value[value].columns;
}

// Tells an observer rows of the piece's tokens, or those of each expert that has some.
void walk_tell(const walk_t *walk, const llm_op_t *op, walk_stage_t stage, size_t columns, const double *values);

// The first element of a part of a value, whose rows follow those of the part before.
double *walk_part(const walk_t *walk, int value, size_t part);

// Caches of keys and values (walk_heads.c), and of latents (walk_mla.c). False: out of memory.
bool walk_heads_make(walk_t *walk);
bool walk_latents_make(walk_t *walk);

// Takes a layer's keys and values of the first `count` tokens, as walk_begin has them.
void walk_heads_begin(walk_t *walk, size_t layer, size_t count, const double *cached);

// Keys and values of tokens `first` .. first + n - 1, from what is in cache.latents of them; n at most WALK_PIECE.
__attribute__((warn_unused_result)) bool walk_expand(walk_t *walk, size_t layer, size_t first, size_t n,
                                                     base_error_t *error);

#endif
