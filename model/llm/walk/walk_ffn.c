// Feed-forward: a dense layer, or a mixture of experts.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "llm/walk/walk_internal.h"
#include "llm/walk/walk_ops.h"

// --- one SwiGLU -------------------------------------------------------------------------------

typedef struct swiglu {
  checkpoint_role_t gate, up, down;
  size_t layer, expert;
  const size_t *tokens;  // of its rows, as in walk_event_t
  size_t n;
} swiglu_t;

static void tell(const walk_t *walk, const swiglu_t *s, walk_stage_t stage, size_t columns, const double *values) {
  if (walk->observe != NULL) {
    walk->observe(walk->observer,
                  &(walk_event_t){stage, s->layer, s->expert, walk->position, s->n, columns, values, s->tokens});
  }
}

// out [n,hidden_size] from x [n,hidden_size]
static bool swiglu(const walk_t *walk, const swiglu_t *s, const double *x, double *out, base_error_t *error) {
  const size_t expert = s->gate == CHECKPOINT_EXPERT_GATE ? s->expert : 0;
  const checkpoint_tensor_t *gate = checkpoint_find(walk->checkpoint, s->gate, s->layer, expert);
  const checkpoint_tensor_t *up = checkpoint_find(walk->checkpoint, s->up, s->layer, expert);
  const checkpoint_tensor_t *down = checkpoint_find(walk->checkpoint, s->down, s->layer, expert);
  const walk_rows_t *rows = &walk->rows;
  const size_t width = checkpoint_rows(gate);
  if (!walk_product(gate, x, s->n, rows->gate, walk->threads, error) ||
      !walk_product(up, x, s->n, rows->up, walk->threads, error)) {
    return false;
  }
  tell(walk, s, WALK_GATE, width, rows->gate);
  tell(walk, s, WALK_UP, width, rows->up);
  walk_swiglu(rows->gate, rows->up, s->n * width);
  tell(walk, s, WALK_SWIGLU, width, rows->gate);
  if (!walk_product(down, rows->gate, s->n, out, walk->threads, error)) {
    return false;
  }
  tell(walk, s, WALK_DOWN, walk->config->hidden_size, out);
  return true;
}

enum { MOST = 1 << 12 };  // experts, as checkpoint_config.def has it

// --- which experts ----------------------------------------------------------------------------

// The index of the largest; of equal ones the first.
static size_t best(const double *x, size_t n) {
  size_t at = 0;
  for (size_t i = 1; i < n; ++i) {
    at = x[i] > x[at] ? i : at;
  }
  return at;
}

static void score(const checkpoint_config_t *c, const double *logits, double *scores) {
  const size_t experts = c->n_routed_experts;
  const double largest = logits[best(logits, experts)];
  double sum = 0.0;
  for (size_t e = 0; e < experts; ++e) {
    scores[e] = c->gate == CHECKPOINT_GATE_SIGMOID ? 1.0 / (1.0 + exp(-logits[e])) : exp(logits[e] - largest);
    sum += scores[e];
  }
  for (size_t e = 0; c->gate == CHECKPOINT_GATE_SOFTMAX && e < experts; ++e) {
    scores[e] /= sum;
  }
}

static double group_score(const checkpoint_config_t *c, double *group, size_t size) {
  const size_t first = best(group, size);
  const double largest = group[first];
  if (c->gate == CHECKPOINT_GATE_SOFTMAX) {
    return largest;
  }
  group[first] = -INFINITY;
  const double second = group[best(group, size)];
  group[first] = largest;
  return largest + second;
}

// Experts outside of the topk_group best groups lose their choice.
static void limit_groups(const checkpoint_config_t *c, double *choice) {
  const size_t groups = c->n_group, size = c->n_routed_experts / groups;
  double scores[MOST];
  bool kept[MOST] = {false};
  if (groups == c->topk_group) {
    return;
  }
  for (size_t g = 0; g < groups; ++g) {
    scores[g] = group_score(c, choice + g * size, size);
  }
  for (size_t i = 0; i < c->topk_group; ++i) {
    const size_t g = best(scores, groups);
    kept[g] = true;
    scores[g] = -INFINITY;
  }
  for (size_t e = 0; e < c->n_routed_experts; ++e) {
    choice[e] = kept[e / size] ? choice[e] : -INFINITY;
  }
}

// bias: NULL, or added for the choice alone.
static void route(const checkpoint_config_t *c, const double *logits, const double *bias, double *chosen,
                  double *weights) {
  double scores[MOST], choice[MOST], sum = 0.0;
  score(c, logits, scores);
  for (size_t e = 0; e < c->n_routed_experts; ++e) {
    choice[e] = scores[e] + (bias == NULL ? 0.0 : bias[e]);
  }
  limit_groups(c, choice);
  for (size_t i = 0; i < c->num_experts_per_tok; ++i) {
    const size_t e = best(choice, c->n_routed_experts);
    chosen[i] = (double)e;
    weights[i] = scores[e];
    sum += scores[e];
    choice[e] = -INFINITY;
  }
  for (size_t i = 0; i < c->num_experts_per_tok; ++i) {
    weights[i] *= c->routed_scaling_factor / (c->norm_topk_prob ? sum + 1e-20 : 1.0);
  }
}

static bool choose(walk_t *walk, size_t layer, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const walk_rows_t *rows = &walk->rows;
  const checkpoint_tensor_t *bias = walk_tensor(walk, CHECKPOINT_ROUTER_BIAS, layer);
  double biases[MOST];
  if (!walk_product(walk_tensor(walk, CHECKPOINT_ROUTER, layer), rows->normed, n, rows->router, walk->threads, error) ||
      (bias != NULL && !walk_read(bias, 0, 1, biases, error))) {
    return false;
  }
  for (size_t t = 0; t < n; ++t) {
    route(c, rows->router + t * c->n_routed_experts, bias == NULL ? NULL : biases,
          rows->chosen + t * c->num_experts_per_tok, rows->weights + t * c->num_experts_per_tok);
  }
  walk_tell(walk, WALK_ROUTER, layer, n, c->n_routed_experts, rows->router);
  walk_tell(walk, WALK_CHOSEN, layer, n, c->num_experts_per_tok, rows->chosen);
  walk_tell(walk, WALK_WEIGHTS, layer, n, c->num_experts_per_tok, rows->weights);
  return true;
}

// --- the mixture ------------------------------------------------------------------------------

// Tokens that have chosen an expert are gathered, and its output, weighted, is added to theirs.
static bool add_expert(walk_t *walk, size_t layer, size_t expert, size_t n, base_error_t *error) {
  const size_t hidden = walk->config->hidden_size, k = walk->config->num_experts_per_tok;
  const walk_rows_t *rows = &walk->rows;
  size_t tokens[WALK_PIECE], count = 0;
  double weights[WALK_PIECE] = {0};
  for (size_t i = 0; i < n * k; ++i) {
    if ((size_t)rows->chosen[i] == expert) {
      memcpy(rows->gathered + count * hidden, rows->normed + i / k * hidden, hidden * sizeof *rows->gathered);
      weights[count] = rows->weights[i];
      tokens[count++] = i / k;
    }
  }
  const swiglu_t s = {
      CHECKPOINT_EXPERT_GATE, CHECKPOINT_EXPERT_UP, CHECKPOINT_EXPERT_DOWN, layer, expert, tokens, count};
  if (count > 0 && !swiglu(walk, &s, rows->gathered, rows->out, error)) {
    return false;
  }
  for (size_t i = 0; i < count * hidden; ++i) {
    rows->delta[tokens[i / hidden] * hidden + i % hidden] += weights[i / hidden] * rows->out[i];
  }
  return true;
}

static bool add_shared(walk_t *walk, size_t layer, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const swiglu_t s = {.gate = CHECKPOINT_SHARED_GATE,
                      .up = CHECKPOINT_SHARED_UP,
                      .down = CHECKPOINT_SHARED_DOWN,
                      .layer = layer,
                      .expert = c->n_routed_experts,
                      .n = n};
  if (c->n_shared_experts == 0) {
    return true;
  }
  if (!swiglu(walk, &s, walk->rows.normed, walk->rows.out, error)) {
    return false;
  }
  for (size_t i = 0; i < n * c->hidden_size; ++i) {
    walk->rows.delta[i] += walk->rows.out[i];
  }
  return true;
}

static bool mixture(walk_t *walk, size_t layer, size_t n, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  bool good = choose(walk, layer, n, error);
  memset(walk->rows.delta, 0, n * c->hidden_size * sizeof *walk->rows.delta);
  for (size_t expert = 0; good && expert < c->n_routed_experts; ++expert) {
    good = add_expert(walk, layer, expert, n, error);
  }
  if (!good || !add_shared(walk, layer, n, error)) {
    return false;
  }
  walk_tell(walk, WALK_MIXTURE, layer, n, c->hidden_size, walk->rows.delta);
  return true;
}

bool walk_ffn(walk_t *walk, size_t layer, size_t n, base_error_t *error) {
  const swiglu_t dense = {
      .gate = CHECKPOINT_GATE, .up = CHECKPOINT_UP, .down = CHECKPOINT_DOWN, .layer = layer, .n = n};
  return checkpoint_is_mixture(walk->config, layer) ? mixture(walk, layer, n, error)
                                                    : swiglu(walk, &dense, walk->rows.normed, walk->rows.delta, error);
}
