// SPDX-License-Identifier: Apache-2.0
#include "llm/walk/walk.h"

#include <stdlib.h>
#include <string.h>

#include "llm/walk/walk_internal.h"
#include "llm/walk/walk_ops.h"

const char *walk_stage_name(walk_stage_t stage) {
  static const char *const names[] = {
#define WALK_STAGE(name, text) text,
#include "llm/walk/walk_stages.def"
#undef WALK_STAGE
  };
  return names[stage];
}

// --- opening ----------------------------------------------------------------------------------

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

// Each row buffer and its width. Calls back for each; returns false once that does.
static bool each_buffer(walk_t *walk, bool (*visit)(double **at, size_t width)) {
  const checkpoint_config_t *c = walk->config;
  walk_rows_t *r = &walk->rows;
  const size_t heads = c->num_attention_heads;
  const size_t widest = larger(c->intermediate_size, larger(c->n_shared_experts, 1) * c->moe_intermediate_size);
  const struct {
    double **at;
    size_t width;
  } buffers[] = {
      {&r->x, c->hidden_size},
      {&r->normed, c->hidden_size},
      {&r->delta, c->hidden_size},
      {&r->q_latent, c->q_lora_rank},
      {&r->q, heads * (c->qk_nope_head_dim + c->qk_rope_head_dim)},
      {&r->kv, heads * (c->qk_nope_head_dim + c->v_head_dim)},
      {&r->heads, heads * c->v_head_dim},
      {&r->absorbed, heads * c->kv_lora_rank},
      {&r->router, c->n_routed_experts},
      {&r->chosen, c->num_experts_per_tok},
      {&r->weights, c->num_experts_per_tok},
      {&r->gathered, c->hidden_size},
      {&r->out, c->hidden_size},
      {&r->gate, widest},
      {&r->up, widest},
  };
  bool good = true;
  for (size_t i = 0; good && i < sizeof buffers / sizeof *buffers; ++i) {
    good = visit(buffers[i].at, buffers[i].width);
  }
  return good;
}

static bool allocate_buffer(double **at, size_t width) {
  *at = calloc(WALK_PIECE * width + 1, sizeof **at);
  return *at != NULL;
}

static bool free_buffer(double **at, size_t width) {
  (void)width;
  free(*at);
  return true;
}

static bool allocate_cache(const walk_t *walk, walk_cache_t *cache) {
  const checkpoint_config_t *c = walk->config;
  const size_t heads = c->num_attention_heads, n = walk->context;
  cache->keys = calloc((heads * c->qk_nope_head_dim + c->qk_rope_head_dim) * n, sizeof *cache->keys);
  cache->values = calloc(heads * c->v_head_dim * n, sizeof *cache->values);
  cache->latents = calloc((c->kv_lora_rank + c->qk_rope_head_dim) * n, sizeof *cache->latents);
  return cache->keys != NULL && cache->values != NULL && cache->latents != NULL;
}

static bool allocate_all(walk_t *walk) {
  const size_t layers = walk->config->num_hidden_layers;
  walk->cache = calloc(layers, sizeof *walk->cache);
  bool good = walk->cache != NULL && each_buffer(walk, allocate_buffer);
  for (size_t layer = 0; good && layer < layers; ++layer) {
    good = allocate_cache(walk, &walk->cache[layer]);
  }
  return good;
}

walk_t *walk_open(const checkpoint_t *checkpoint, size_t context, size_t threads, base_error_t *error) {
  walk_t *walk = calloc(1, sizeof *walk);
  if (walk != NULL) {
    *walk = (walk_t){
        .checkpoint = checkpoint, .config = checkpoint_config(checkpoint), .context = context, .threads = threads};
  }
  if (walk == NULL || !allocate_all(walk)) {
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
  for (size_t layer = 0; walk->cache != NULL && layer < walk->config->num_hidden_layers; ++layer) {
    free(walk->cache[layer].keys);
    free(walk->cache[layer].values);
    free(walk->cache[layer].latents);
  }
  each_buffer(walk, free_buffer);
  free(walk->cache);
  free(walk);
}

void walk_observe(walk_t *walk, walk_observe_t *observe, void *observer) {
  walk->observe = observe;
  walk->observer = observer;
}

size_t walk_position(const walk_t *walk) { return walk->position; }

bool walk_begin(walk_t *walk, size_t count, const double *cache, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const size_t of_layer = count * (c->kv_lora_rank + c->qk_rope_head_dim);
  bool good = count <= walk->context || base_fail(error, "%zu tokens; expected at most %zu", count, walk->context);
  walk->position = 0;
  for (size_t layer = 0; good && count > 0 && layer < c->num_hidden_layers; ++layer) {
    memcpy(walk->cache[layer].latents, cache + layer * of_layer, of_layer * sizeof *cache);
    for (size_t first = 0; good && first < count; first += WALK_PIECE) {
      good = walk_expand(walk, layer, first, count - first < WALK_PIECE ? count - first : WALK_PIECE, error);
    }
  }
  walk->position = good ? count : 0;
  return good;
}

// --- walking ----------------------------------------------------------------------------------

static bool embed(walk_t *walk, const uint32_t *tokens, size_t n, base_error_t *error) {
  const size_t hidden = walk->config->hidden_size;
  bool good = true;
  for (size_t t = 0; good && t < n; ++t) {
    good = walk_read(walk_tensor(walk, CHECKPOINT_EMBEDDING, 0), tokens[t], 1, walk->rows.x + t * hidden, error);
  }
  if (good) {
    walk_tell(walk, WALK_EMBEDDING, 0, n, hidden, walk->rows.x);
  }
  return good;
}

typedef struct part {
  walk_stage_t norm_stage, residual_stage;
  checkpoint_role_t norm;
  bool (*compute)(walk_t *walk, size_t layer, size_t n, base_error_t *error);
} part_t;

// x += f(norm(x))
static bool walk_part(walk_t *walk, const part_t *part, size_t layer, size_t n, base_error_t *error) {
  const size_t hidden = walk->config->hidden_size;
  const walk_rows_t *rows = &walk->rows;
  if (!walk_rmsnorm(walk_tensor(walk, part->norm, layer), walk->config->rms_norm_eps, rows->x, n, hidden, rows->normed,
                    error)) {
    return false;
  }
  walk_tell(walk, part->norm_stage, layer, n, hidden, rows->normed);
  if (!part->compute(walk, layer, n, error)) {
    return false;
  }
  if (part->compute == walk_attention) {
    walk_tell(walk, WALK_O, layer, n, hidden, rows->delta);
  }
  for (size_t i = 0; i < n * hidden; ++i) {
    rows->x[i] += rows->delta[i];
  }
  walk_tell(walk, part->residual_stage, layer, n, hidden, rows->x);
  return true;
}

// Of the piece's last `rows` tokens.
static bool head(walk_t *walk, size_t n, size_t rows, double *logits, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  if (!walk_rmsnorm(walk_tensor(walk, CHECKPOINT_NORM, 0), c->rms_norm_eps, walk->rows.x, n, c->hidden_size,
                    walk->rows.normed, error)) {
    return false;
  }
  walk_tell(walk, WALK_NORM, 0, n, c->hidden_size, walk->rows.normed);
  if (rows == 0) {
    return true;
  }
  const double *last = walk->rows.normed + (n - rows) * c->hidden_size;
  if (!walk_product(walk_tensor(walk, CHECKPOINT_HEAD, 0), last, rows, logits, walk->threads, error)) {
    return false;
  }
  walk_tell(walk, WALK_LOGITS, 0, rows, c->vocab_size, logits);
  return true;
}

static bool walk_piece(walk_t *walk, const uint32_t *tokens, size_t n, size_t rows, double *logits,
                       base_error_t *error) {
  static const part_t parts[] = {
      {WALK_ATTENTION_NORM, WALK_ATTENTION_RESIDUAL, CHECKPOINT_ATTENTION_NORM, walk_attention},
      {WALK_FFN_NORM, WALK_FFN_RESIDUAL, CHECKPOINT_FFN_NORM, walk_ffn}};
  bool good = embed(walk, tokens, n, error);
  for (size_t i = 0; good && i < 2 * walk->config->num_hidden_layers; ++i) {
    good = walk_part(walk, &parts[i % 2], i / 2, n, error);
  }
  good = good && head(walk, n, rows, logits, error);
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
