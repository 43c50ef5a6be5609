// One pass through the layers. Every row is computed by itself in an order that does not depend on
// how many there are, so that tokens fed one by one give the bits of tokens fed at once.
// SPDX-License-Identifier: Apache-2.0
#include "lm/lm.h"

#include <math.h>

#include "lm/lm_internal.h"
#include "lm/lm_ops.h"

const lm_shape_t *lm_shape(const lm_t *lm) { return &lm->shape; }

void lm_restart(lm_t *lm) { lm->position = 0; }

size_t lm_position(const lm_t *lm) { return lm->position; }

static bool acceptable(const lm_t *lm, const uint8_t *tokens, size_t n) {
  if (n > lm->shape.context - lm->position) {
    return false;
  }
  for (size_t t = 0; t < n; ++t) {
    if (tokens[t] >= lm->shape.vocab) {
      return false;
    }
  }
  return true;
}

static void embed(lm_t *lm, const uint8_t *tokens, size_t n) {
  const size_t dim = lm->shape.dim;
  for (size_t t = 0; t < n; ++t) {
    for (size_t i = 0; i < dim; ++i) {
      lm->x[t * dim + i] = lm->weights.embedding[i * lm->shape.vocab + tokens[t]];
    }
  }
}

static void norm(const lm_t *lm, size_t n, const float *x, const float *weight, float *out) {
  const size_t dim = lm->shape.dim;
  for (size_t t = 0; t < n; ++t) {
    lm_rmsnorm(x + t * dim, weight, dim, out + t * dim);
  }
}

// y [n,out] = x [n,in] . w [in,out], or added to what y holds
static void product(const lm_t *lm, size_t n, const float *x, size_t in, const float *w, size_t out,
                    float *y, bool add) {
  lm->matmul(n, out, in, x, in, w, out, y, out, add);
}

static void rotate(const lm_t *lm, size_t n, float *x, size_t heads) {
  const size_t head_dim = lm->shape.head_dim;
  for (size_t t = 0; t < n; ++t) {
    lm_rope(x + t * heads * head_dim, heads, head_dim, lm->turn + (lm->position + t) * head_dim);
  }
}

static bool attention(lm_t *lm, size_t layer, size_t n, lm_attend_t attend, void *context) {
  const lm_shape_t *s = &lm->shape;
  const lm_weights_t *w = &lm->weights;
  const size_t dim = s->dim;
  const size_t kv = s->kv_heads * s->head_dim;
  float *const k = lm->k + layer * s->context * kv;
  float *const v = lm->v + layer * s->context * kv;
  float *const new_k = k + lm->position * kv;
  float *const new_v = v + lm->position * kv;
  norm(lm, n, lm->x, w->attention_norm + layer * dim, lm->h);
  product(lm, n, lm->h, dim, w->wq + layer * dim * dim, dim, lm->q, false);
  product(lm, n, lm->h, dim, w->wk + layer * dim * kv, kv, new_k, false);
  product(lm, n, lm->h, dim, w->wv + layer * dim * kv, kv, new_v, false);
  rotate(lm, n, lm->q, s->heads);
  rotate(lm, n, new_k, s->kv_heads);
  const lm_attention_t job = {.shape = s, .layer = layer, .first = lm->position, .n = n,
                              .q = lm->q, .k = k, .v = v, .out = lm->h};
  if (!attend(context, &job)) {
    return false;
  }
  product(lm, n, lm->h, dim, w->wo + layer * dim * dim, dim, lm->x, true);
  return true;
}

static void feed_forward(lm_t *lm, size_t layer, size_t n) {
  const size_t dim = lm->shape.dim;
  const size_t hidden = lm->shape.hidden;
  const size_t matrix = layer * dim * hidden;
  norm(lm, n, lm->x, lm->weights.ffn_norm + layer * dim, lm->h);
  product(lm, n, lm->h, dim, lm->weights.w1 + matrix, hidden, lm->gate, false);
  product(lm, n, lm->h, dim, lm->weights.w3 + matrix, hidden, lm->up, false);
  lm_swiglu(lm->gate, lm->up, n * hidden);
  product(lm, n, lm->gate, hidden, lm->weights.w2 + matrix, dim, lm->x, true);
}

static void head(lm_t *lm, size_t n, const float *x, float *logits) {
  norm(lm, n, x, lm->weights.norm, lm->h);
  product(lm, n, lm->h, lm->shape.dim, lm->weights.embedding, lm->shape.vocab, logits, false);
}

bool lm_forward(lm_t *lm, const uint8_t *tokens, size_t n, lm_attend_t attend, void *context,
                float *logits, bool only_last) {
  if (!acceptable(lm, tokens, n)) {
    return false;
  }
  if (n == 0) {
    return true;
  }
  embed(lm, tokens, n);
  for (size_t layer = 0; layer < lm->shape.layers; ++layer) {
    if (!attention(lm, layer, n, attend, context)) {
      return false;
    }
    feed_forward(lm, layer, n);
  }
  lm->position += n;
  if (logits != NULL) {
    const size_t rows = only_last ? 1 : n;
    head(lm, rows, lm->x + (n - rows) * lm->shape.dim, logits);
  }
  return true;
}

double lm_loss(const float *logits, size_t vocab, uint8_t target) {
  double largest = -INFINITY;
  for (size_t i = 0; i < vocab; ++i) {
    largest = fmax(largest, (double)logits[i]);
  }
  double sum = 0.0;
  for (size_t i = 0; i < vocab; ++i) {
    sum += exp((double)logits[i] - largest);
  }
  return largest + log(sum) - (double)logits[target];
}
