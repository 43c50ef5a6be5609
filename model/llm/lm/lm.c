// One pass through the layers. Every row is computed by itself in an order that does not depend on
// how many there are, so that tokens fed one by one give the bits of tokens fed at once.
// SPDX-License-Identifier: Apache-2.0
#include "llm/lm/lm.h"

#include <string.h>

#include "llm/lm/lm_internal.h"
#include "llm/lm/lm_ops.h"
#include "num/product/num_matmul.h"

const checkpoint_config_t *lm_shape(const lm_t *lm) { return &lm->config; }

void lm_restart(lm_t *lm) { lm->position = 0; }

size_t lm_position(const lm_t *lm) { return lm->position; }

bool lm_multiply_fp32(void *context, const lm_gemm_t *p) {
  (void)context;
  num_matmul_select(NUM_ISA_AUTO)(p->m, p->n, p->k, p->a, p->k, p->w, p->n, p->c, p->n, p->add);
  return true;
}

// The new tokens, and the functions that compute.
typedef struct pass {
  lm_t *lm;
  lm_backend_t backend;
  const uint32_t *tokens;
  size_t n;
  float *logits;  // of the last `wanted` tokens
  size_t wanted;
} pass_t;

// --- values and weights -----------------------------------------------------------------------

static size_t width_of(const lm_t *lm, int value) {
  return lm->graph.value[value].parts * lm->graph.value[value].columns;
}

// The first row of a part; of places the layer's first.
static float *part_of(const lm_t *lm, int value, size_t layer, size_t part) {
  const llm_value_t *v = &lm->graph.value[value];
  const size_t row = v->rows == LLM_PLACES ? layer * lm->config.max_position_embeddings : 0;
  return lm->value[value] + part * (lm_value_count(lm, (size_t)value) / v->parts) + row * v->columns;
}

// The rows of the new tokens.
static float *rows_of(const lm_t *lm, int value, size_t layer, size_t part) {
  const llm_value_t *v = &lm->graph.value[value];
  return part_of(lm, value, layer, part) + (v->rows == LLM_PLACES ? lm->position * v->columns : 0);
}

// A matrix [in,out] of a layer; in 0: it is a vector.
typedef struct weight {
  const float *w;
  size_t in, out;
} weight_t;

static weight_t weight_of(const lm_t *lm, checkpoint_role_t role, size_t layer) {
  size_t out = 0, in = 0;
  checkpoint_shape(&lm->config, role, 0, &out, &in);
  return (weight_t){lm->weight[role] + (layer == LLM_NO_LAYER ? 0 : layer * (out > 0 ? out : 1) * in), in, out};
}

static weight_t weight(const pass_t *pass, const llm_op_t *op) {
  return weight_of(pass->lm, pass->lm->graph.weight[op->weight].first, op->layer);
}

// --- operations -------------------------------------------------------------------------------

static bool compute_embed(const pass_t *pass, const llm_op_t *op) {
  const weight_t table = weight(pass, op);
  float *x = rows_of(pass->lm, op->out, 0, 0);
  for (size_t t = 0; t < pass->n; ++t) {
    for (size_t i = 0; i < table.in; ++i) {
      x[t * table.in + i] = table.w[i * table.out + pass->tokens[t]];
    }
  }
  return true;
}

static bool compute_norm(const pass_t *pass, const llm_op_t *op) {
  const size_t width = width_of(pass->lm, op->in);
  const float *x = rows_of(pass->lm, op->in, 0, 0), *w = weight(pass, op).w;
  for (size_t t = 0; t < pass->n; ++t) {
    lm_rmsnorm(x + t * width, w, width, rows_of(pass->lm, op->out, 0, 0) + t * width);
  }
  return true;
}

static bool multiply(const pass_t *pass, const float *a, size_t rows, const weight_t *w, float *c, bool add) {
  return pass->backend.multiply(
      pass->backend.multiply_context,
      &(lm_gemm_t){.m = rows, .n = w->out, .k = w->in, .a = a, .w = w->w, .c = c, .add = add});
}

// Adds to the residual stream at once, if the next operation would.
static bool compute_product(const pass_t *pass, const llm_op_t *op) {
  lm_t *lm = pass->lm;
  const llm_weight_t *tensors = &lm->graph.weight[op->weight];
  const llm_op_t *next = op + 1;
  const bool add = next->kind == LLM_ADD && next->in == op->out;
  const checkpoint_role_t roles[] = {tensors->first, tensors->second};
  bool good = true;
  for (size_t i = 0; good && i < 2 && roles[i] != CHECKPOINT_NONE; ++i) {
    const weight_t w = weight_of(lm, roles[i], op->layer);
    good = multiply(pass, rows_of(lm, op->in, op->layer, 0), pass->n, &w,
                    rows_of(lm, add ? next->out : op->out, op->layer, i), add);
  }
  return good;
}

static bool compute_add(const pass_t *pass, const llm_op_t *op) {  // the product before it has
  (void)pass;
  (void)op;
  return true;
}

static bool compute_rope(const pass_t *pass, const llm_op_t *op) {
  const lm_t *lm = pass->lm;
  const llm_value_t *v = &lm->graph.value[op->in];
  const size_t width = v->rows == LLM_PLACES ? v->columns : width_of(lm, op->in), head_dim = lm->config.head_dim;
  float *x = rows_of(lm, op->in, op->layer, 0);
  for (size_t t = 0; t < pass->n; ++t) {
    lm_rope(x + t * width, width / head_dim, head_dim, lm->turn + (lm->position + t) * head_dim);
  }
  return true;
}

static bool compute_attention(const pass_t *pass, const llm_op_t *op) {
  const lm_t *lm = pass->lm;
  const lm_attention_t job = {.shape = &lm->config,
                              .layer = op->layer,
                              .first = lm->position,
                              .n = pass->n,
                              .q = rows_of(lm, op->in, op->layer, 0),
                              .k = part_of(lm, op->with, op->layer, 0),
                              .v = part_of(lm, op->with, op->layer, 1),
                              .out = rows_of(lm, op->out, op->layer, 0)};
  return pass->backend.attend(pass->backend.attend_context, &job);
}

static bool compute_swiglu(const pass_t *pass, const llm_op_t *op) {
  const size_t count = pass->n * width_of(pass->lm, op->out);
  float *out = rows_of(pass->lm, op->out, 0, 0);
  memcpy(out, rows_of(pass->lm, op->in, 0, 0), count * sizeof *out);
  lm_swiglu(out, rows_of(pass->lm, op->in, 0, 1), count);
  return true;
}

static bool compute_head(const pass_t *pass, const llm_op_t *op) {
  const float *last = rows_of(pass->lm, op->in, 0, 0) + (pass->n - pass->wanted) * width_of(pass->lm, op->in);
  const weight_t w = weight(pass, op);
  return pass->logits == NULL || multiply(pass, last, pass->wanted, &w, pass->logits, false);
}

static bool compute_argmax(const pass_t *pass, const llm_op_t *op) {  // who has the logits sees it
  (void)pass;
  (void)op;
  return true;
}

static bool compute(const pass_t *pass, const llm_op_t *op) {
  switch (op->kind) {
#define LLM_OP(NAME, name, who, text) LLM_IN_LM_##who(case LLM_##NAME : return compute_##name(pass, op);)
#include "llm/family/ops.def"
#undef LLM_OP
    default:
      return false;
  }
}

// --- a pass -----------------------------------------------------------------------------------

static bool acceptable(const lm_t *lm, const uint32_t *tokens, size_t n) {
  bool good = n <= lm->config.max_position_embeddings - lm->position;
  for (size_t t = 0; good && t < n; ++t) {
    good = tokens[t] < lm->config.vocab_size;
  }
  return good;
}

static lm_backend_t complete(const lm_backend_t *backend) {
  lm_backend_t whole = *backend;
  whole.attend = whole.attend != NULL ? whole.attend : lm_attend_fp32;
  whole.multiply = whole.multiply != NULL ? whole.multiply : lm_multiply_fp32;
  return whole;
}

bool lm_forward(lm_t *lm, const uint32_t *tokens, size_t n, const lm_backend_t *backend, float *logits,
                bool only_last) {
  if (!acceptable(lm, tokens, n)) {
    return false;
  }
  const pass_t pass = {
      .lm = lm, .backend = complete(backend), .tokens = tokens, .n = n, .logits = logits, .wanted = only_last ? 1 : n};
  bool good = true;
  for (size_t i = 0; n > 0 && good && i < lm->graph.ops; ++i) {
    good = compute(&pass, &lm->graph.op[i]);
  }
  lm->position += good ? n : 0;
  return good;
}

void lm_each_matrix(const lm_t *lm, void (*visit)(void *context, const float *w, size_t k, size_t n), void *context) {
  for (size_t i = 0; i < lm->graph.ops; ++i) {
    const llm_op_t *op = &lm->graph.op[i];
    const bool product = op->kind == LLM_PRODUCT || op->kind == LLM_HEAD;
    for (size_t tensor = 0; product && tensor < 2; ++tensor) {
      const llm_weight_t *tensors = &lm->graph.weight[op->weight];
      const checkpoint_role_t role = tensor == 0 ? tensors->first : tensors->second;
      const weight_t w = role == CHECKPOINT_NONE ? (weight_t){NULL, 0, 0} : weight_of(lm, role, op->layer);
      if (w.w != NULL) {
        visit(context, w.w, w.in, w.out);
      }
    }
  }
}
