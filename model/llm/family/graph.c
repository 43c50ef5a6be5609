// SPDX-License-Identifier: Apache-2.0
#include "llm/family/graph.h"

#include <stdlib.h>

enum { MOST_OPS = 64 };  // of a layer

const char *walk_stage_name(walk_stage_t stage) {
  static const char *const names[] = {
#define WALK_STAGE(name, text) text,
#include "llm/family/stages.def"
#undef WALK_STAGE
  };
  return names[stage];
}

bool llm_graph_make(llm_graph_t *graph, const checkpoint_config_t *config) {
  static llm_family_t *const families[] = {
#define CONFIG_FAMILY(NAME, name, table, parts, traits) table,
#include "llm/checkpoint/checkpoint_families.def"
#undef CONFIG_FAMILY
  };
  llm_family_t *family = families[config->family];
  *graph = (llm_graph_t){.config = config, .op = calloc(config->num_hidden_layers + 2, MOST_OPS * sizeof *graph->op)};
  if (graph->op == NULL) {
    return false;
  }
  family(graph, config, LLM_VALUES, 0);
  family(graph, config, LLM_FIRST, LLM_NO_LAYER);
  for (size_t layer = 0; layer < config->num_hidden_layers; ++layer) {
    family(graph, config, LLM_LAYER, layer);
  }
  family(graph, config, LLM_LAST, LLM_NO_LAYER);
  return true;
}

void llm_graph_free(llm_graph_t *graph) {
  free(graph->op);
  graph->op = NULL;
}
