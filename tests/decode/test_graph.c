// Tables of families (model/llm/family), for all shipped models: each operation takes what one before it has computed,
// and weights that the checkpoint has; values that share a place are not needed at the same time.
// SPDX-License-Identifier: Apache-2.0
#include "llm/family/graph.h"

#include <stdio.h>

#include "num_test.h"

static checkpoint_config_t read_config(const char *name) {
  char path[512];
  checkpoint_config_t config;
  base_error_t error;
  snprintf(path, sizeof path, "%s/%s", MODELS_DIR, name);
  CHECK(checkpoint_config_read(path, &config, &error), "%s", error.text);
  return config;
}

static bool has_tensor(const checkpoint_config_t *config, checkpoint_role_t role, size_t layer) {
  size_t rows, columns;
  return checkpoint_shape(config, role, layer == LLM_NO_LAYER ? 0 : layer, &rows, &columns);
}

// A gate may have no bias, heads no norms and no sinks.
static bool may_lack_weight(llm_kind_t kind) {
  return kind == LLM_GATE || kind == LLM_QUERIES || kind == LLM_CACHE_KEYS || kind == LLM_HEADS_ATTENTION;
}

// `whose` has of each place the value that was written to it last.
static void check_op(const llm_graph_t *graph, const llm_op_t *op, int whose[LLM_MOST_VALUES]) {
  const int read[] = {op->in, op->with, op->kind == LLM_ADD || op->kind == LLM_ROTATE_Q ? op->out : LLM_NOTHING};
  for (size_t i = 0; i < ARRAY_LEN(read); ++i) {
    if (read[i] == LLM_NOTHING) {
      continue;
    }
    const bool there = graph->value[read[i]].columns > 0;
    CHECK(!there || whose[graph->value[read[i]].place] == read[i], "%s reads %s, which nobody has computed", op->name,
          graph->value[read[i]].name);
    CHECK(there || read[i] == op->with, "%s reads %s, which the model does not have", op->name,
          graph->value[read[i]].name);
  }
  if (op->weight != LLM_NOTHING && !may_lack_weight(op->kind)) {
    CHECK(has_tensor(graph->config, graph->weight[op->weight].first, op->layer), "%s: no such tensor", op->name);
    const checkpoint_role_t second = graph->weight[op->weight].second;
    CHECK(second == CHECKPOINT_NONE || has_tensor(graph->config, second, op->layer), "%s: no second one", op->name);
  }
  if (op->out != LLM_NOTHING) {
    CHECK(graph->value[op->out].columns > 0, "%s writes %s, which the model does not have", op->name,
          graph->value[op->out].name);
    whose[graph->value[op->out].place] = op->out;
  }
}

static void check_graph(const char *name, const checkpoint_config_t *config) {
  llm_graph_t graph = {0};
  int whose[LLM_MOST_VALUES];
  bool used[LLM_MOST_VALUES] = {false};
  assert_true(llm_graph_make(&graph, config));
  for (size_t i = 0; i < LLM_MOST_VALUES; ++i) {
    whose[i] = LLM_NOTHING;
  }
  for (size_t i = 0; i < graph.ops; ++i) {
    check_op(&graph, &graph.op[i], whose);
    used[graph.op[i].out == LLM_NOTHING ? graph.op[i].in : graph.op[i].out] = true;
  }
  for (size_t i = 0; i < graph.values; ++i) {
    CHECK(graph.value[i].place <= (int)i, "%s: %s lies in a later value", name, graph.value[i].name);
    CHECK(used[i] || graph.value[i].columns == 0, "%s: nobody computes %s", name, graph.value[i].name);
  }
  printf("%s: %zu operations; %s\n", name, graph.ops, graph.attention.text);
  llm_graph_free(&graph);
}

static void tables_hold_together(void **state) {
  (void)state;
  static const char *const models[] = {
      "deepseek-v2-lite.json", "deepseek-v2.json",  "deepseek-v3.json", "gemma-3-12b.json", "gpt-oss-20b.json",
      "llama-3.1-8b.json",     "mixtral-8x7b.json", "qwen3-14b.json",   "qwen3-8b.json",    "qwen3-30b-a3b.json"};
  for (size_t i = 0; i < ARRAY_LEN(models); ++i) {
    const checkpoint_config_t config = read_config(models[i]);
    check_graph(models[i], &config);
  }
  checkpoint_config_t dense = read_config(models[0]);
  dense.n_routed_experts = 0;
  check_graph("a dense one", &dense);
  const checkpoint_config_t bytes = {.family = CHECKPOINT_BYTES,
                                     .vocab_size = 256,
                                     .hidden_size = 64,
                                     .intermediate_size = 96,
                                     .num_hidden_layers = 2,
                                     .num_attention_heads = 4,
                                     .num_key_value_heads = 2,
                                     .head_dim = 16,
                                     .v_head_dim = 16};
  check_graph("the byte-level one", &bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_hold_together)};
  return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
