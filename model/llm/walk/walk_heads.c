// Attention with heads of keys and values, several of queries to one of these.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "llm/walk/rows.h"
#include "llm/walk/walk_internal.h"

bool walk_heads_make(walk_t *walk) {
  const llm_attention_t *a = &walk->graph.attention;
  bool good = true;
  for (size_t layer = 0; good && layer < walk->config->num_hidden_layers; ++layer) {
    walk_cache_t *cache = &walk->cache[layer];
    cache->keys = calloc(a->kv_heads * a->dk * walk->context, sizeof *cache->keys);
    cache->values = calloc(a->kv_heads * a->dv * walk->context, sizeof *cache->values);
    good = cache->keys != NULL && cache->values != NULL;
  }
  return good;
}

void walk_heads_begin(walk_t *walk, size_t layer, size_t count, const double *cached) {
  const llm_attention_t *a = &walk->graph.attention;
  const size_t keys = a->kv_heads * a->dk, values = a->kv_heads * a->dv;
  for (size_t t = 0; t < count; ++t) {
    memcpy(walk->cache[layer].keys + t * keys, cached + t * (keys + values), keys * sizeof *cached);
    memcpy(walk->cache[layer].values + t * values, cached + t * (keys + values) + keys, values * sizeof *cached);
  }
}

// --- queries, keys, values --------------------------------------------------------------------

// Heads of so many columns, of each token of the piece: normalised if there is a weight, then rotated.
static bool turn_heads(const walk_t *walk, const llm_op_t *op, size_t heads, double *x, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const checkpoint_tensor_t *weight = op->weight == LLM_NOTHING ? NULL : walk_tensor(walk, op, false, 0);
  if (weight != NULL && !rows_rmsnorm(weight, c->rms_norm_eps, x, walk->n * heads, c->head_dim, x, error)) {
    return false;
  }
  for (size_t i = 0; i < walk->n * heads; ++i) {
    rows_rope_halves(x + i * c->head_dim, c->rotated, checkpoint_rope_of(c, op->layer), walk->position + i / heads,
                     walk->context);
  }
  return true;
}

static bool turn_into(const walk_t *walk, const llm_op_t *op, size_t heads, double *to, base_error_t *error) {
  const size_t width = heads * walk->config->head_dim;
  memcpy(to, walk->value[op->in], walk->n * width * sizeof *to);
  const bool good = turn_heads(walk, op, heads, to, error);
  if (good) {
    walk_tell(walk, op, op->stage[0], width, to);
  }
  return good;
}

bool walk_queries(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  return turn_into(walk, op, walk->graph.attention.heads, walk->value[op->out], error);
}

bool walk_cache_keys(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t heads = walk->graph.attention.kv_heads;
  double *keys = walk->cache[op->layer].keys + walk->position * heads * walk->config->head_dim;
  return turn_into(walk, op, heads, keys, error);
}

bool walk_cache_values(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t width = walk->graph.attention.kv_heads * walk->graph.attention.dv;
  double *values = walk->cache[op->layer].values + walk->position * width;
  (void)error;
  memcpy(values, walk_part(walk, op->in, 1), walk->n * width * sizeof *values);
  walk_tell(walk, op, op->stage[0], width, values);
  return true;
}

// --- attention --------------------------------------------------------------------------------

typedef struct attention {
  const walk_t *walk;
  const llm_op_t *op;
  const double *sinks;  // by head; NULL: none
} attention_t;

static double score(const double *q, const double *k, size_t dim) {
  double sum = 0.0;
  for (size_t d = 0; d < dim; ++d) {
    sum += q[d] * k[d];
  }
  return sum;
}

// Scores of keys first .. end - 1 to exponentials, whose sum, with the sink's, is returned.
static double exponentials(const double *sink, size_t count, double *p) {
  double largest = sink == NULL ? -INFINITY : *sink, sum = 0.0;
  for (size_t j = 0; j < count; ++j) {
    largest = fmax(largest, p[j]);
  }
  for (size_t j = 0; j < count; ++j) {
    p[j] = exp(p[j] - largest);
    sum += p[j];
  }
  return sum + (sink == NULL ? 0.0 : exp(*sink - largest));
}

static void attend_head(const attention_t *at, size_t token, size_t head, double *p) {
  const walk_t *walk = at->walk;
  const llm_attention_t *a = &walk->graph.attention;
  const walk_cache_t *cache = &walk->cache[at->op->layer];
  const size_t kv = head / (a->heads / a->kv_heads), end = walk->position + token + 1;
  const size_t window = checkpoint_window(walk->config, at->op->layer);
  const size_t first = window == 0 || end < window ? 0 : end - window;
  const double *q = walk->value[at->op->in] + (token * a->heads + head) * a->dk;
  double *out = walk->value[at->op->out] + (token * a->heads + head) * a->dv;
  for (size_t j = first; j < end; ++j) {
    p[j - first] = a->scale * score(q, cache->keys + (j * a->kv_heads + kv) * a->dk, a->dk);
  }
  const double sum = exponentials(at->sinks == NULL ? NULL : at->sinks + head, end - first, p);
  memset(out, 0, a->dv * sizeof *out);
  for (size_t j = first; j < end; ++j) {
    const double *value = cache->values + (j * a->kv_heads + kv) * a->dv;
    for (size_t d = 0; d < a->dv; ++d) {
      out[d] += p[j - first] / sum * value[d];
    }
  }
}

static bool attend_some(void *context, size_t begin, size_t end) {
  const attention_t *at = context;
  const size_t heads = at->walk->graph.attention.heads;
  double *p = malloc((at->walk->position + at->walk->n) * sizeof *p);
  for (size_t i = begin; p != NULL && i < end; ++i) {
    attend_head(at, i / heads, i % heads, p);
  }
  free(p);
  return p != NULL;
}

bool walk_heads_attention(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const llm_attention_t *a = &walk->graph.attention;
  const checkpoint_tensor_t *weight = walk_tensor(walk, op, false, 0);
  double *sinks = weight == NULL ? NULL : calloc(a->heads, sizeof *sinks);
  const attention_t at = {walk, op, sinks};
  bool good = weight == NULL || (sinks != NULL && rows_read(weight, 0, 1, sinks, error));
  good = good && (parallel_for(walk->threads, a->heads * walk->n, attend_some, (void *)&at) ||
                  base_fail(error, "out of memory"));
  if (good) {
    walk_tell(walk, op, op->stage[0], a->heads * a->dv, walk->value[op->out]);
  }
  free(sinks);
  return good;
}

bool walk_heads(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  (void)error;
  memcpy(walk->value[op->out], walk->value[op->in], walk->n * walk_width(walk, op->in) * sizeof **walk->value);
  return true;
}
