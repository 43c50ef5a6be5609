// One pass through the layers. Every row is computed by itself in an order that does not depend on
// how many there are, so that tokens fed one by one give the bits of tokens fed at once.
// SPDX-License-Identifier: Apache-2.0
#include "llm/lm/lm.h"

#include <math.h>

#include "llm/lm/lm_internal.h"
#include "llm/lm/lm_ops.h"
#include "num/num_matmul.h"

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

bool lm_multiply_fp32(void *context, const lm_gemm_t *p) {
  (void)context;
  num_matmul_select(NUM_ISA_AUTO)(p->m, p->n, p->k, p->a, p->k, p->w, p->n, p->c, p->n, p->add);
  return true;
}

// What is at work: the new tokens and who computes.
typedef struct pass {
  lm_t *lm;
  lm_backend_t backend;
  size_t n;
} pass_t;

// y [rows,out] = x [rows,in] . w [in,out], or added to what y holds
static bool product(const pass_t *pass, size_t rows, const float *x, size_t in, const float *w, size_t out, float *y,
                    bool add) {
  const lm_gemm_t gemm = {.m = rows, .n = out, .k = in, .a = x, .w = w, .c = y, .add = add};
  return pass->backend.multiply(pass->backend.multiply_context, &gemm);
}

static void rotate(const lm_t *lm, size_t n, float *x, size_t heads) {
  const size_t head_dim = lm->shape.head_dim;
  for (size_t t = 0; t < n; ++t) {
    lm_rope(x + t * heads * head_dim, heads, head_dim, lm->turn + (lm->position + t) * head_dim);
  }
}

static bool attention(const pass_t *pass, size_t layer) {
  lm_t *lm = pass->lm;
  const lm_shape_t *s = &lm->shape;
  const lm_weights_t *w = &lm->weights;
  const size_t n = pass->n;
  const size_t dim = s->dim;
  const size_t kv = s->kv_heads * s->head_dim;
  float *const k = lm->k + layer * s->context * kv;
  float *const v = lm->v + layer * s->context * kv;
  float *const new_k = k + lm->position * kv;
  float *const new_v = v + lm->position * kv;
  norm(lm, n, lm->x, w->attention_norm + layer * dim, lm->h);
  if (!product(pass, n, lm->h, dim, w->wq + layer * dim * dim, dim, lm->q, false) ||
      !product(pass, n, lm->h, dim, w->wk + layer * dim * kv, kv, new_k, false) ||
      !product(pass, n, lm->h, dim, w->wv + layer * dim * kv, kv, new_v, false)) {
    return false;
  }
  rotate(lm, n, lm->q, s->heads);
  rotate(lm, n, new_k, s->kv_heads);
  const lm_attention_t job = {
      .shape = s, .layer = layer, .first = lm->position, .n = n, .q = lm->q, .k = k, .v = v, .out = lm->h};
  return pass->backend.attend(pass->backend.attend_context, &job) &&
         product(pass, n, lm->h, dim, w->wo + layer * dim * dim, dim, lm->x, true);
}

static bool feed_forward(const pass_t *pass, size_t layer) {
  lm_t *lm = pass->lm;
  const lm_weights_t *w = &lm->weights;
  const size_t n = pass->n;
  const size_t dim = lm->shape.dim;
  const size_t hidden = lm->shape.hidden;
  const size_t matrix = layer * dim * hidden;
  norm(lm, n, lm->x, w->ffn_norm + layer * dim, lm->h);
  if (!product(pass, n, lm->h, dim, w->w1 + matrix, hidden, lm->gate, false) ||
      !product(pass, n, lm->h, dim, w->w3 + matrix, hidden, lm->up, false)) {
    return false;
  }
  lm_swiglu(lm->gate, lm->up, n * hidden);
  return product(pass, n, lm->gate, hidden, w->w2 + matrix, dim, lm->x, true);
}

static bool head(const pass_t *pass, size_t rows, float *logits) {
  lm_t *lm = pass->lm;
  const lm_shape_t *s = &lm->shape;
  norm(lm, rows, lm->x + (pass->n - rows) * s->dim, lm->weights.norm, lm->h);
  return product(pass, rows, lm->h, s->dim, lm->weights.embedding, s->vocab, logits, false);
}

static lm_backend_t complete(const lm_backend_t *backend) {
  lm_backend_t whole = *backend;
  whole.attend = whole.attend != NULL ? whole.attend : lm_attend_fp32;
  whole.multiply = whole.multiply != NULL ? whole.multiply : lm_multiply_fp32;
  return whole;
}

bool lm_forward(lm_t *lm, const uint8_t *tokens, size_t n, const lm_backend_t *backend, float *logits, bool only_last) {
  if (!acceptable(lm, tokens, n)) {
    return false;
  }
  if (n == 0) {
    return true;
  }
  const pass_t pass = {.lm = lm, .backend = complete(backend), .n = n};
  embed(lm, tokens, n);
  for (size_t layer = 0; layer < lm->shape.layers; ++layer) {
    if (!attention(&pass, layer) || !feed_forward(&pass, layer)) {
      return false;
    }
  }
  if (logits != NULL && !head(&pass, only_last ? 1 : n, logits)) {
    return false;
  }
  lm->position += n;
  return true;
}

void lm_each_matrix(const lm_t *lm, void (*visit)(void *context, const float *w, size_t k, size_t n), void *context) {
  const lm_shape_t *s = &lm->shape;
  const lm_weights_t *w = &lm->weights;
  const size_t kv = s->kv_heads * s->head_dim;
  for (size_t layer = 0; layer < s->layers; ++layer) {
    visit(context, w->wq + layer * s->dim * s->dim, s->dim, s->dim);
    visit(context, w->wk + layer * s->dim * kv, s->dim, kv);
    visit(context, w->wv + layer * s->dim * kv, s->dim, kv);
    visit(context, w->wo + layer * s->dim * s->dim, s->dim, s->dim);
    visit(context, w->w1 + layer * s->dim * s->hidden, s->dim, s->hidden);
    visit(context, w->w3 + layer * s->dim * s->hidden, s->dim, s->hidden);
    visit(context, w->w2 + layer * s->dim * s->hidden, s->hidden, s->dim);
  }
  visit(context, w->embedding, s->dim, s->vocab);
}
