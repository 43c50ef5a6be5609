// The parts of a language model: lm_file.c fills them in, lm.c runs them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_LM_LM_INTERNAL_H
#define AMALGAM_LLM_LM_LM_INTERNAL_H

#include "llm/family/graph.h"
#include "llm/lm/lm.h"

struct lm {
  checkpoint_config_t config;
  llm_graph_t graph;
  size_t position;
  float *turn;  // [context,head_dim]: see lm_rope_turn()
  // [layers,in,out], the transpose of the file's, so that x . W is num_matmul's product; a vector is [layers,columns]
  const float *weight[CHECKPOINT_ROLES];
  float *value[LLM_MOST_VALUES];  // [parts,context,columns] of two tensors, else [context,parts * columns]; of places
                                  // [parts,layers,context,columns]
  float *memory;                  // holds all of the above
};

// Elements of a value; logits go to who wants them.
static inline size_t lm_value_count(const lm_t *lm, size_t value) {
  const llm_value_t *v = &lm->graph.value[value];
  const size_t layers = v->rows == LLM_PLACES ? lm->config.num_hidden_layers : 1;
  return v->rows == LLM_WANTED ? 0 : v->parts * layers * lm->config.max_position_embeddings * v->columns;
}

#endif  // AMALGAM_LLM_LM_LM_INTERNAL_H
