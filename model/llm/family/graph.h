// A step of a model as data: the values that it computes, the weights it takes, and its operations, in order. The list
// for the firmware (kernel/decode), the walk in FP64 (llm/walk) and the byte-level model (llm/lm) are made of the same
// graph; which operations a family of models has is a table, FAMILY.def, of these rows:
//
//   LLM_ATTENTION(heads, kv_heads, dk, dv, head_dim, rotated, text, as printf takes it)
//   LLM_VALUE(NAME, name, type, rows, place, parts, columns)
//   LLM_WEIGHT(NAME, form, first tensor, second tensor)
//   LLM_HEAD_WEIGHT(NAME, form, tensor, skip, rows)
//   LLM_ONES(NAME of a value, if)         in global memory its rows end with a 1 and 15 zeros,
//   LLM_BIAS(NAME of a weight, first tensor, second tensor)   which biases, a row more of the matrix, are multiplied by
//   LLM_STEP(where, name, KIND, if, in, with, weight, out, stage, second stage)
//
// whose columns are the members of the structures below. where: FIRST, LAYER or LAST: before, in each of, or after the
// layers. Expressions are of `c`, the configuration, and `layer`. Values and weights lie in global memory in the order
// of their rows. llm_FAMILY() fills in a graph from such a table; families.def has their names.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_FAMILY_GRAPH_H
#define AMALGAM_LLM_FAMILY_GRAPH_H

#include "hal/command.h"
#include "llm/checkpoint/checkpoint.h"

typedef enum walk_stage {
#define WALK_STAGE(name, text) WALK_##name,
#include "llm/family/stages.def"
#undef WALK_STAGE
  WALK_STAGES,
  WALK_NONE = WALK_STAGES
} walk_stage_t;

const char *walk_stage_name(walk_stage_t stage);

typedef enum llm_kind {
#define LLM_OP(NAME, name, who, text) LLM_##NAME,
#include "llm/family/ops.def"
#undef LLM_OP
  LLM_KINDS
} llm_kind_t;

// Text for one column `who` of ops.def alone.
#define LLM_IN_STEP_ALL(...) __VA_ARGS__
#define LLM_IN_STEP_STEP(...) __VA_ARGS__
#define LLM_IN_STEP_LM(...)
#define LLM_IN_LM_ALL(...) __VA_ARGS__
#define LLM_IN_LM_STEP(...)
#define LLM_IN_LM_LM(...) __VA_ARGS__

// Attention as it is computed: what each head sees of a token.
typedef struct llm_attention {
  size_t heads, kv_heads;
  size_t dk, dv;  // columns of a key and of a value; of latents, which are both, a value is the key's first dv
  size_t head_dim;
  size_t rotated;  // columns that RoPE turns
  double scale;    // what scores are multiplied by
  char text[64];   // for people: "16 heads over latents of 512 + 64"
} llm_attention_t;

// The number of rows of a value.
typedef enum llm_rows {
  LLM_TOKENS,  // one for each new token
  LLM_SLOTS,   // one for each expert of each new token, in order of expert
  LLM_SHARED,  // one for each new token, of the expert that all share
  LLM_WANTED,  // one for each token whose logits are wanted
  LLM_PLACES   // one for each token so far, of each layer
} llm_rows_t;

enum { LLM_NOTHING = -1, LLM_MOST_VALUES = 40, LLM_MOST_WEIGHTS = 32 };

typedef struct llm_value {
  const char *name;
  unsigned type;  // in global memory: TYPE_* of hal/command.h
  llm_rows_t rows;
  int place;              // the value in whose array it lies: its own number, or that of one not needed meanwhile
  size_t parts, columns;  // of a row: heads, or what two tensors give; columns 0: this model has no such value
  size_t ones;            // further columns in global memory: 0, or STRIP of them, 1 and then zeros
} llm_value_t;

typedef enum llm_form {
  LLM_PLAIN,      // 16 bits whatever --weights says
  LLM_WEIGHTS,    // as --weights says
  LLM_EXPERTS,    // the same, one for each expert
  LLM_HEAD_ROWS,  // one for each head, y = x B: rows of B, in FP16, are `rows` rows of the head's share of the tensor
  LLM_HEAD_COLUMNS,  // likewise columns of B, in BF16
  LLM_VECTOR,        // FP32
  LLM_TABLE          // the embedding, in 16 bits as in the checkpoint
} llm_form_t;

typedef struct llm_weight {
  llm_form_t form;
  checkpoint_role_t first, second;  // columns of a second tensor follow those of the first; CHECKPOINT_NONE: none
  size_t skip, rows;                // of the two forms by head, the first row of a head's share, and how many
  checkpoint_role_t bias[2];        // of what the two tensors give; CHECKPOINT_NONE: none
} llm_weight_t;

#define LLM_NO_LAYER SIZE_MAX

typedef struct llm_op {
  const char *name;
  llm_kind_t kind;
  size_t layer;               // LLM_NO_LAYER: of none
  int in, with, weight, out;  // numbers of values and of a weight; LLM_NOTHING: none
  walk_stage_t stage[2];      // of `out`, or of its two parts; WALK_NONE: none
} llm_op_t;

typedef struct llm_graph {
  const checkpoint_config_t *config;
  llm_attention_t attention;
  llm_value_t value[LLM_MOST_VALUES];
  llm_weight_t weight[LLM_MOST_WEIGHTS];
  size_t values, weights;
  llm_op_t *op;  // owned
  size_t ops;
  int x, logits, best;  // values that each family has: the residual stream, and what a step leaves
} llm_graph_t;

// Columns that strips of 16 take.
#define LLM_STRIPS(columns) (((columns) + STRIP - 1) / STRIP * STRIP)

// Elements that a cache holds of a token: a latent, or keys of all heads, then values.
static inline size_t llm_cached(const llm_graph_t *graph) {
  const llm_attention_t *a = &graph->attention;
  return graph->config->kv_lora_rank > 0 ? a->dk : a->kv_heads * (a->dk + a->dv);
}

// Makes the graph of a configuration, which must outlive it. False: out of memory.
bool llm_graph_make(llm_graph_t *graph, const checkpoint_config_t *config);
void llm_graph_free(llm_graph_t *graph);

// A family's table, for graph.c: it fills in everything but operations (LLM_VALUES), or appends the operations of a
// place.
typedef enum llm_where { LLM_VALUES, LLM_FIRST, LLM_LAYER, LLM_LAST } llm_where_t;
typedef void llm_family_t(llm_graph_t *graph, const checkpoint_config_t *c, llm_where_t where, size_t layer);
llm_family_t llm_deepseek, llm_decoder, llm_llama;

#endif
