// SPDX-License-Identifier: Apache-2.0
#include "llm/walk/walk.h"

#include <stdlib.h>
#include <string.h>

#include "llm/walk/walk_internal.h"

// --- opening ----------------------------------------------------------------------------------

// Room for the values of a piece, but for logits, which go to who wants them.
static bool make_values(walk_t *walk) {
  const llm_graph_t *graph = &walk->graph;
  bool good = true;
  for (size_t i = 0; good && i < graph->values; ++i) {
    const llm_value_t *value = &graph->value[i];
    const size_t rows = WALK_PIECE * (value->rows == LLM_SLOTS ? walk->config->num_experts_per_tok : 1);
    if (value->rows != LLM_WANTED && value->columns > 0) {
      walk->value[i] = calloc(rows * value->parts * value->columns, sizeof **walk->value);
      good = walk->value[i] != NULL;
    }
  }
  return good;
}

static bool make_mixture(walk_t *walk) {
  const size_t slots = WALK_PIECE * walk->config->num_experts_per_tok;
  walk->chosen = calloc(slots + 1, sizeof *walk->chosen);
  walk->weight_of = calloc(slots + 1, sizeof *walk->weight_of);
  walk->token_of = calloc(slots + 1, sizeof *walk->token_of);
  walk->begin = calloc(walk->config->n_routed_experts + 1, sizeof *walk->begin);
  return walk->chosen != NULL && walk->weight_of != NULL && walk->token_of != NULL && walk->begin != NULL;
}

static bool make_cache(walk_t *walk) {
  walk->cache = calloc(walk->config->num_hidden_layers, sizeof *walk->cache);
  return walk->cache != NULL && (walk->config->kv_lora_rank > 0 ? walk_latents_make(walk) : walk_heads_make(walk));
}

static void free_cache(walk_t *walk) {
  for (size_t layer = 0; walk->cache != NULL && layer < walk->config->num_hidden_layers; ++layer) {
    free(walk->cache[layer].keys);
    free(walk->cache[layer].values);
    free(walk->cache[layer].latents);
  }
  free(walk->cache);
}

walk_t *walk_open(const checkpoint_t *checkpoint, size_t context, size_t threads, base_error_t *error) {
  walk_t *walk = calloc(1, sizeof *walk);
  if (walk != NULL) {
    *walk = (walk_t){
        .checkpoint = checkpoint, .config = checkpoint_config(checkpoint), .context = context, .threads = threads};
  }
  if (walk == NULL || !llm_graph_make(&walk->graph, walk->config) || !make_values(walk) || !make_mixture(walk) ||
      !make_cache(walk)) {
    base_fail(error, "out of memory for a walk of %zu tokens", context);
    walk_close(walk);
    return NULL;
  }
  return walk;
}

void walk_close(walk_t *walk) {
  if (walk == NULL) {
    return;
  }
  free_cache(walk);
  for (size_t i = 0; i < LLM_MOST_VALUES; ++i) {
    free(walk->value[i]);
  }
  free(walk->chosen);
  free(walk->weight_of);
  free(walk->token_of);
  free(walk->begin);
  llm_graph_free(&walk->graph);
  free(walk);
}

void walk_observe(walk_t *walk, walk_observe_t *observe, void *observer) {
  walk->observe = observe;
  walk->observer = observer;
}

size_t walk_position(const walk_t *walk) { return walk->position; }

static bool begin_latents(walk_t *walk, size_t layer, size_t count, const double *cached, base_error_t *error) {
  bool good = true;
  memcpy(walk->cache[layer].latents, cached, count * walk->graph.attention.dk * sizeof *cached);
  for (size_t first = 0; good && first < count; first += WALK_PIECE) {
    good = walk_expand(walk, layer, first, count - first < WALK_PIECE ? count - first : WALK_PIECE, error);
  }
  return good;
}

bool walk_begin(walk_t *walk, size_t count, const double *cache, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const size_t of_layer = count * llm_cached(&walk->graph);
  bool good = count <= walk->context || base_fail(error, "%zu tokens; expected at most %zu", count, walk->context);
  walk->position = 0;
  for (size_t layer = 0; good && count > 0 && layer < c->num_hidden_layers; ++layer) {
    if (c->kv_lora_rank > 0) {
      good = begin_latents(walk, layer, count, cache + layer * of_layer, error);
    } else {
      walk_heads_begin(walk, layer, count, cache + layer * of_layer);
    }
  }
  walk->position = good ? count : 0;
  return good;
}

// --- walking ----------------------------------------------------------------------------------

static bool walk_op(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  switch (op->kind) {
#define LLM_OP(NAME, name, who, text) LLM_IN_STEP_##who(case LLM_##NAME : return walk_##name(walk, op, error);)
#include "llm/family/ops.def"
#undef LLM_OP
    default:
      return base_fail(error, "%s: a walk has no such operation", op->name);
  }
}

static bool walk_piece(walk_t *walk, const uint32_t *tokens, size_t n, size_t wanted, double *logits,
                       base_error_t *error) {
  bool good = true;
  walk->tokens = tokens;
  walk->n = n;
  walk->wanted = wanted;
  walk->logits = logits;
  for (size_t i = 0; good && i < walk->graph.ops; ++i) {
    good = walk_op(walk, &walk->graph.op[i], error);
  }
  walk->position += good ? n : 0;
  return good;
}

static bool check_tokens(const walk_t *walk, const uint32_t *tokens, size_t n, base_error_t *error) {
  if (n > walk->context - walk->position) {
    return base_fail(error, "%zu tokens after %zu; expected at most %zu", n, walk->position, walk->context);
  }
  for (size_t i = 0; i < n; ++i) {
    if (tokens[i] >= walk->config->vocab_size) {
      return base_fail(error, "token %lu; expected one below %zu", (unsigned long)tokens[i], walk->config->vocab_size);
    }
  }
  return true;
}

bool walk_forward(walk_t *walk, const uint32_t *tokens, size_t n, double *logits, bool only_last, base_error_t *error) {
  bool good = check_tokens(walk, tokens, n, error);
  for (size_t first = 0; good && first < n; first += WALK_PIECE) {
    const size_t count = n - first < WALK_PIECE ? n - first : WALK_PIECE;
    const size_t rows = logits == NULL ? 0 : !only_last ? count : first + count == n ? 1 : 0;
    good = walk_piece(walk, tokens + first, count, rows,
                      rows == 0 || only_last ? logits : logits + first * walk->config->vocab_size, error);
  }
  return good;
}
