// Multi-head latent attention, each head with keys and values of its own.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "llm/walk/rows.h"
#include "llm/walk/walk_internal.h"
#include "num/num_isa.h"

// --- the cache --------------------------------------------------------------------------------

bool walk_latents_make(walk_t *walk) {
  const checkpoint_config_t *c = walk->config;
  const size_t heads = c->num_attention_heads, n = walk->context;
  bool good = true;
  for (size_t layer = 0; good && layer < c->num_hidden_layers; ++layer) {
    walk_cache_t *cache = &walk->cache[layer];
    cache->keys = calloc((heads * c->qk_nope_head_dim + c->qk_rope_head_dim) * n, sizeof *cache->keys);
    cache->values = calloc(heads * c->v_head_dim * n, sizeof *cache->values);
    cache->latents = calloc(walk->graph.attention.dk * n, sizeof *cache->latents);
    good = cache->keys != NULL && cache->values != NULL && cache->latents != NULL;
  }
  return good;
}

// One token's, from its row of kv_b's product and its cached row.
static void store_token(walk_t *walk, walk_cache_t *cache, size_t token, const double *kv) {
  const checkpoint_config_t *c = walk->config;
  const size_t nope = c->qk_nope_head_dim, value = c->v_head_dim, heads = c->num_attention_heads;
  for (size_t h = 0; h < heads; ++h) {
    const double *head = kv + h * (nope + value);
    for (size_t d = 0; d < nope; ++d) {
      cache->keys[(h * nope + d) * walk->context + token] = head[d];
    }
    memcpy(cache->values + (token * heads + h) * value, head + nope, value * sizeof *head);
  }
  for (size_t d = 0; d < c->qk_rope_head_dim; ++d) {
    cache->keys[(heads * nope + d) * walk->context + token] =
        cache->latents[token * walk->graph.attention.dk + c->kv_lora_rank + d];
  }
}

bool walk_expand(walk_t *walk, size_t layer, size_t first, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  walk_cache_t *cache = &walk->cache[layer];
  const checkpoint_tensor_t *kv_b = checkpoint_find(walk->checkpoint, CHECKPOINT_KV_B, layer, 0);
  double *packed = calloc(n * c->kv_lora_rank, sizeof *packed);  // without the rotated parts
  double *kv = calloc(n * checkpoint_rows(kv_b), sizeof *kv);
  bool good = (packed != NULL && kv != NULL) || base_fail(error, "out of memory");
  for (size_t t = 0; good && t < n; ++t) {
    memcpy(packed + t * c->kv_lora_rank, cache->latents + (first + t) * walk->graph.attention.dk,
           c->kv_lora_rank * sizeof *packed);
  }
  good = good && rows_product(kv_b, packed, n, kv, walk->threads, error);
  for (size_t t = 0; good && t < n; ++t) {
    store_token(walk, cache, first + t, kv + t * checkpoint_rows(kv_b));
  }
  free(packed);
  free(kv);
  return good;
}

bool walk_latent_cache(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const size_t dk = walk->graph.attention.dk;
  double *latents = walk->cache[op->layer].latents + walk->position * dk;
  memcpy(latents, walk->value[op->in], walk->n * dk * sizeof *latents);
  for (size_t t = 0; t < walk->n; ++t) {
    rows_rope(latents + t * dk + c->kv_lora_rank, c->qk_rope_head_dim, &c->rope, walk->position + t, walk->context);
  }
  if (!rows_rmsnorm(walk_tensor(walk, op, false, 0), CHECKPOINT_LATENT_EPS, latents, walk->n, dk, latents, error)) {
    return false;
  }
  walk_tell(walk, op, op->stage[0], dk, latents);
  return walk_expand(walk, op->layer, walk->position, walk->n, error);
}

// --- queries ----------------------------------------------------------------------------------

bool walk_latent_norm(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t width = walk_width(walk, op->in);
  double *y = walk->value[op->out];
  const bool good = rows_rmsnorm(walk_tensor(walk, op, false, 0), CHECKPOINT_LATENT_EPS, walk->value[op->in], walk->n,
                                 width, y, error);
  if (good) {
    walk_tell(walk, op, op->stage[0], width, y);
  }
  return good;
}

bool walk_rotate_q(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  double *q = walk->value[op->in];
  (void)error;
  for (size_t i = 0; i < walk->n * c->num_attention_heads; ++i) {
    rows_rope(q + i * c->head_dim + c->qk_nope_head_dim, c->qk_rope_head_dim, &c->rope,
              walk->position + i / c->num_attention_heads, walk->context);
  }
  walk_tell(walk, op, op->stage[0], walk_width(walk, op->in), q);
  return true;
}

// --- attention --------------------------------------------------------------------------------

typedef struct attention {
  const walk_t *walk;
  const walk_cache_t *cache;
  const double *q;
  const double *rows;                       // what is summed: of each key and head
  size_t row_stride, head_stride, columns;  // of these
  double *out;                              // [n, heads, columns]
} attention_t;

// p [count] += q [dim] k [dim,count], rows of k `stride` apart
NUM_CLONES static void add_scores(const double *q, const double *k, size_t dim, size_t stride, size_t count,
                                  double *p) {
  for (size_t d = 0; d < dim; ++d) {
    for (size_t j = 0; j < count; ++j) {
      p[j] += q[d] * k[d * stride + j];
    }
  }
}

// p = softmax(q k scale) of one head over keys 0 .. count - 1
static void probabilities(const attention_t *a, size_t head, const double *q, size_t count, double *p) {
  const checkpoint_config_t *c = a->walk->config;
  const size_t nope = c->qk_nope_head_dim;
  const double scale = a->walk->graph.attention.scale;
  double largest = -INFINITY, sum = 0.0;
  memset(p, 0, count * sizeof *p);
  add_scores(q, a->cache->keys + head * nope * a->walk->context, nope, a->walk->context, count, p);
  add_scores(q + nope, a->cache->keys + c->num_attention_heads * nope * a->walk->context, c->qk_rope_head_dim,
             a->walk->context, count, p);
  for (size_t j = 0; j < count; ++j) {
    largest = fmax(largest, p[j]);
  }
  for (size_t j = 0; j < count; ++j) {
    p[j] = exp((p[j] - largest) * scale);
    sum += p[j];
  }
  for (size_t j = 0; j < count; ++j) {
    p[j] /= sum;
  }
}

// out [columns] = sum of p[j] * rows[j], rows `stride` apart
NUM_CLONES static void weighted_sum(const double *p, size_t count, const double *rows, size_t stride, double *out,
                                    size_t columns) {
  memset(out, 0, columns * sizeof *out);
  for (size_t j = 0; j < count; ++j) {
    for (size_t d = 0; d < columns; ++d) {
      out[d] += p[j] * rows[j * stride + d];
    }
  }
}

// Indices are those of head * n + token: of each head tokens with few keys and with many.
static bool attend_some(void *context, size_t first, size_t end) {
  const attention_t *a = context;
  const walk_t *walk = a->walk;
  const size_t heads = walk->config->num_attention_heads;
  double *p = calloc(walk->context, sizeof *p);
  for (size_t i = first; p != NULL && i < end; ++i) {
    const size_t head = i / walk->n, t = i % walk->n, count = walk->position + t + 1;
    probabilities(a, head, a->q + (t * heads + head) * walk->config->head_dim, count, p);
    weighted_sum(p, count, a->rows + head * a->head_stride, a->row_stride, a->out + (t * heads + head) * a->columns,
                 a->columns);
  }
  free(p);
  return p != NULL;
}

static bool attend(walk_t *walk, const llm_op_t *op, attention_t *a, base_error_t *error) {
  const size_t heads = walk->config->num_attention_heads;
  a->walk = walk;
  a->cache = &walk->cache[op->layer];
  a->q = walk->value[op->with];
  a->out = walk->value[op->out];
  if (!parallel_for(walk->threads, heads * walk->n, attend_some, a)) {
    return base_fail(error, "out of memory");
  }
  walk_tell(walk, op, op->stage[0], heads * a->columns, a->out);
  return true;
}

// Attention over latents is for an observer alone: what follows takes each head's own values.
bool walk_latent_attention(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  attention_t a = {.rows = walk->cache[op->layer].latents,
                   .row_stride = walk->graph.attention.dk,
                   .columns = walk->config->kv_lora_rank};
  return walk->observe == NULL || attend(walk, op, &a, error);
}

bool walk_absorb_o(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t value = walk->config->v_head_dim;
  attention_t a = {.rows = walk->cache[op->layer].values,
                   .row_stride = walk->config->num_attention_heads * value,
                   .head_stride = value,
                   .columns = value};
  return attend(walk, op, &a, error);
}

// Queries of the absorbed form, for an observer: q_nope [qk_nope_head_dim] W_UK [qk_nope_head_dim,
// kv_lora_rank].
bool walk_absorb_q(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const size_t heads = c->num_attention_heads, nope = c->qk_nope_head_dim, rank = c->kv_lora_rank;
  double *w_uk = walk->observe == NULL ? NULL : calloc(nope * rank, sizeof *w_uk), *out = walk->value[op->out];
  bool good = w_uk != NULL || walk->observe == NULL || base_fail(error, "out of memory");
  for (size_t h = 0; w_uk != NULL && good && h < heads; ++h) {
    good = rows_read(walk_tensor(walk, op, false, 0), h * (nope + c->v_head_dim), nope, w_uk, error);
    for (size_t t = 0; good && t < walk->n; ++t) {
      weighted_sum(walk->value[op->in] + (t * heads + h) * c->head_dim, nope, w_uk, rank, out + (t * heads + h) * rank,
                   rank);
    }
  }
  free(w_uk);
  if (good) {
    walk_tell(walk, op, op->stage[0], heads * rank, out);
  }
  return good;
}
