// Multi-head latent attention, each head with keys and values of its own.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llm/walk/walk_internal.h"
#include "llm/walk/walk_ops.h"
#include "host/parallel.h"
#include "num/num_isa.h"

static size_t head_dim(const checkpoint_config_t *c) { return c->qk_nope_head_dim + c->qk_rope_head_dim; }
static size_t latent_dim(const checkpoint_config_t *c) { return c->kv_lora_rank + c->qk_rope_head_dim; }

// --- queries ----------------------------------------------------------------------------------

static bool project_queries(walk_t *walk, size_t layer, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const walk_rows_t *rows = &walk->rows;
  if (c->q_lora_rank == 0) {
    return walk_product(walk_tensor(walk, CHECKPOINT_Q, layer), rows->normed, n, rows->q, walk->threads, error);
  }
  if (!walk_product(walk_tensor(walk, CHECKPOINT_Q_A, layer), rows->normed, n, rows->q_latent, walk->threads, error)) {
    return false;
  }
  walk_tell(walk, WALK_Q_LATENT, layer, n, c->q_lora_rank, rows->q_latent);
  if (!walk_rmsnorm(walk_tensor(walk, CHECKPOINT_Q_A_NORM, layer), CHECKPOINT_LATENT_EPS, rows->q_latent, n,
                    c->q_lora_rank, rows->q_latent, error)) {
    return false;
  }
  walk_tell(walk, WALK_Q_LATENT_NORM, layer, n, c->q_lora_rank, rows->q_latent);
  return walk_product(walk_tensor(walk, CHECKPOINT_Q_B, layer), rows->q_latent, n, rows->q, walk->threads, error);
}

static bool queries(walk_t *walk, size_t layer, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const size_t width = c->num_attention_heads * head_dim(c);
  if (!project_queries(walk, layer, n, error)) {
    return false;
  }
  walk_tell(walk, WALK_Q, layer, n, width, walk->rows.q);
  for (size_t i = 0; i < n * c->num_attention_heads; ++i) {
    walk_rope(walk->rows.q + i * head_dim(c) + c->qk_nope_head_dim, c->qk_rope_head_dim, c->rope_theta,
              walk->position + i / c->num_attention_heads);
  }
  walk_tell(walk, WALK_Q_ROTATED, layer, n, width, walk->rows.q);
  return true;
}

// --- keys and values --------------------------------------------------------------------------

static bool latents(walk_t *walk, size_t layer, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  double *new_ones = walk->cache[layer].latents + walk->position * latent_dim(c);
  if (!walk_product(walk_tensor(walk, CHECKPOINT_KV_A, layer), walk->rows.normed, n, new_ones, walk->threads, error)) {
    return false;
  }
  walk_tell(walk, WALK_KV_LATENT, layer, n, latent_dim(c), new_ones);
  for (size_t t = 0; t < n; ++t) {
    walk_rope(new_ones + t * latent_dim(c) + c->kv_lora_rank, c->qk_rope_head_dim, c->rope_theta, walk->position + t);
  }
  if (!walk_rmsnorm(walk_tensor(walk, CHECKPOINT_KV_A_NORM, layer), CHECKPOINT_LATENT_EPS, new_ones, n, latent_dim(c),
                    new_ones, error)) {
    return false;
  }
  walk_tell(walk, WALK_CACHE, layer, n, latent_dim(c), new_ones);
  return true;
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
        cache->latents[token * latent_dim(c) + c->kv_lora_rank + d];
  }
}

bool walk_expand(walk_t *walk, size_t layer, size_t first, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  walk_cache_t *cache = &walk->cache[layer];
  const size_t width = c->num_attention_heads * (c->qk_nope_head_dim + c->v_head_dim);
  double *packed = calloc(n * c->kv_lora_rank, sizeof *packed);  // without the rotated parts
  bool good = packed != NULL || base_fail(error, "out of memory");
  for (size_t t = 0; good && t < n; ++t) {
    memcpy(packed + t * c->kv_lora_rank, cache->latents + (first + t) * latent_dim(c),
           c->kv_lora_rank * sizeof *packed);
  }
  good =
      good && walk_product(walk_tensor(walk, CHECKPOINT_KV_B, layer), packed, n, walk->rows.kv, walk->threads, error);
  for (size_t t = 0; good && t < n; ++t) {
    store_token(walk, cache, first + t, walk->rows.kv + t * width);
  }
  free(packed);
  return good;
}

// --- attention --------------------------------------------------------------------------------

typedef struct attention {
  const walk_t *walk;
  const walk_cache_t *cache;
  size_t n;
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

// p = softmax(q k / sqrt(head_dim)) of one head over keys 0 .. count - 1
static void probabilities(const attention_t *a, size_t head, const double *q, size_t count, double *p) {
  const checkpoint_config_t *c = a->walk->config;
  const size_t nope = c->qk_nope_head_dim;
  const double scale = 1.0 / sqrt((double)head_dim(c));
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
  const checkpoint_config_t *c = walk->config;
  const size_t heads = c->num_attention_heads, value = c->v_head_dim;
  double *p = calloc(walk->context, sizeof *p);
  for (size_t i = first; p != NULL && i < end; ++i) {
    const size_t head = i / a->n, t = i % a->n, count = walk->position + t + 1;
    probabilities(a, head, walk->rows.q + (t * heads + head) * head_dim(c), count, p);
    weighted_sum(p, count, a->cache->values + head * value, heads * value,
                 walk->rows.heads + (t * heads + head) * value, value);
    if (walk->observe != NULL) {
      weighted_sum(p, count, a->cache->latents, latent_dim(c),
                   walk->rows.absorbed + (t * heads + head) * c->kv_lora_rank, c->kv_lora_rank);
    }
  }
  free(p);
  return p != NULL;
}

// What the absorbed form makes of queries, for an observer: q_nope [qk_nope_head_dim] W_UK [qk_nope_head_dim,
// kv_lora_rank].
static bool absorb(walk_t *walk, size_t layer, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const size_t heads = c->num_attention_heads, nope = c->qk_nope_head_dim, rank = c->kv_lora_rank;
  double *w_uk = calloc(nope * rank, sizeof *w_uk);
  bool good = w_uk != NULL || base_fail(error, "out of memory");
  for (size_t h = 0; good && h < heads; ++h) {
    good = walk_read(walk_tensor(walk, CHECKPOINT_KV_B, layer), h * (nope + c->v_head_dim), nope, w_uk, error);
    for (size_t t = 0; good && t < n; ++t) {
      weighted_sum(walk->rows.q + (t * heads + h) * head_dim(c), nope, w_uk, rank,
                   walk->rows.absorbed + (t * heads + h) * rank, rank);
    }
  }
  free(w_uk);
  if (good) {
    walk_tell(walk, WALK_Q_ABSORBED, layer, n, heads * rank, walk->rows.absorbed);
  }
  return good;
}

bool walk_attention(walk_t *walk, size_t layer, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  attention_t attention = {walk, &walk->cache[layer], n};
  if (!queries(walk, layer, n, error) || !latents(walk, layer, n, error) ||
      !walk_expand(walk, layer, walk->position, n, error) ||
      (walk->observe != NULL && !absorb(walk, layer, n, error))) {
    return false;
  }
  if (!parallel_for(walk->threads, c->num_attention_heads * n, attend_some, &attention)) {
    return base_fail(error, "out of memory");
  }
  walk_tell(walk, WALK_ATTENTION_LATENT, layer, n, c->num_attention_heads * c->kv_lora_rank, walk->rows.absorbed);
  walk_tell(walk, WALK_ATTENTION, layer, n, c->num_attention_heads * c->v_head_dim, walk->rows.heads);
  return walk_product(walk_tensor(walk, CHECKPOINT_O, layer), walk->rows.heads, n, walk->rows.delta, walk->threads,
                      error);
}
