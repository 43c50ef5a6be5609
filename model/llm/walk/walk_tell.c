// SPDX-License-Identifier: Apache-2.0
#include "llm/walk/walk_internal.h"

void walk_tell(const walk_t *walk, const llm_op_t *op, walk_stage_t stage, size_t columns, const double *values) {
  walk_event_t event = {.stage = stage,
                        .layer = op->layer == LLM_NO_LAYER ? 0 : op->layer,
                        .first = walk->position,
                        .rows = walk->n,
                        .columns = columns,
                        .values = values};
  const llm_rows_t rows = op->out == LLM_NOTHING ? LLM_TOKENS : walk->graph.value[op->out].rows;
  if (walk->observe == NULL || stage == WALK_NONE) {
    return;
  }
  if (rows != LLM_SLOTS) {
    event.expert = rows == LLM_SHARED ? walk->config->n_routed_experts : 0;
    event.rows = rows == LLM_WANTED ? walk->wanted : walk->n;
    walk->observe(walk->observer, &event);
    return;
  }
  for (size_t e = 0; e < walk->config->n_routed_experts; ++e) {  // those that have tokens
    event.expert = e;
    event.rows = walk->begin[e + 1] - walk->begin[e];
    event.values = values + walk->begin[e] * columns;
    event.tokens = walk->token_of + walk->begin[e];
    if (event.rows > 0) {
      walk->observe(walk->observer, &event);
    }
  }
}
