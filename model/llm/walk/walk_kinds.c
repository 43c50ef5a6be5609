// Operations that all families have, and those of mixtures of experts.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llm/walk/rows.h"
#include "llm/walk/walk_internal.h"

bool walk_embed(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t width = walk_width(walk, op->out);
  const double scale = checkpoint_has(walk->config, CHECKPOINT_HAS_SCALED_EMBEDDING) ? sqrt((double)width) : 1.0;
  double *x = walk->value[op->out];
  bool good = true;
  for (size_t t = 0; good && t < walk->n; ++t) {
    good = rows_read(walk_tensor(walk, op, false, 0), walk->tokens[t], 1, x + t * width, error);
  }
  for (size_t i = 0; i < walk->n * width; ++i) {
    x[i] *= scale;
  }
  if (good) {
    walk_tell(walk, op, op->stage[0], width, x);
  }
  return good;
}

// Of a value with two parts the first.
bool walk_norm(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t width = walk->graph.value[op->in].columns;
  const bool good = rows_rmsnorm(walk_tensor(walk, op, false, 0), walk->config->rms_norm_eps, walk->value[op->in],
                                 walk->n, width, walk->value[op->out], error);
  if (good) {
    walk_tell(walk, op, op->stage[0], width, walk->value[op->out]);
  }
  return good;
}

bool walk_convert(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t width = walk_width(walk, op->in);
  (void)error;
  memcpy(walk->value[op->out], walk->value[op->in], walk->n * width * sizeof **walk->value);
  walk_tell(walk, op, op->stage[0], width, walk->value[op->out]);
  return true;
}

bool walk_add(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t width = walk_width(walk, op->out);
  double *x = walk->value[op->out];
  (void)error;
  for (size_t i = 0; i < walk->n * width; ++i) {
    x[i] += walk->value[op->in][i];
  }
  walk_tell(walk, op, op->stage[0], width, x);
  return true;
}

// --- products ---------------------------------------------------------------------------------

double *walk_part(const walk_t *walk, int value, size_t part) {
  const llm_value_t *v = &walk->graph.value[value];
  const size_t rows = WALK_PIECE * (v->rows == LLM_SLOTS ? walk->config->num_experts_per_tok : 1);
  return walk->value[value] + part * rows * v->columns;
}

// Adds a bias to n rows, if there is one.
static bool add_bias(const walk_t *walk, const llm_op_t *op, bool second, size_t expert, size_t n, size_t columns,
                     double *y, base_error_t *error) {
  const checkpoint_role_t role = walk->graph.weight[op->weight].bias[second ? 1 : 0];
  const checkpoint_tensor_t *bias =
      role == CHECKPOINT_NONE ? NULL : checkpoint_find(walk->checkpoint, role, op->layer, expert);
  if (bias == NULL) {
    return true;
  }
  double *values = malloc(columns * sizeof *values);
  const bool good = values != NULL ? rows_read(bias, 0, 1, values, error) : base_fail(error, "out of memory");
  for (size_t i = 0; good && i < n * columns; ++i) {
    y[i] += values[i % columns];
  }
  free(values);
  return good;
}

// y = x W^T + bias of one tensor, of each expert by itself if there are slots.
static bool multiply(walk_t *walk, const llm_op_t *op, bool second, double *y, base_error_t *error) {
  const double *x = walk->value[op->in];
  if (walk->graph.value[op->out].rows != LLM_SLOTS) {
    const checkpoint_tensor_t *w = walk_tensor(walk, op, second, 0);
    return rows_product(w, x, walk->n, y, walk->threads, error) &&
           add_bias(walk, op, second, 0, walk->n, checkpoint_rows(w), y, error);
  }
  bool good = true;
  for (size_t e = 0; good && e < walk->config->n_routed_experts; ++e) {
    const checkpoint_tensor_t *w = walk_tensor(walk, op, second, e);
    const size_t first = walk->begin[e], n = walk->begin[e + 1] - first;
    double *to = y + first * checkpoint_rows(w);
    good = n == 0 || (rows_product(w, x + first * checkpoint_columns(w), n, to, walk->threads, error) &&
                      add_bias(walk, op, second, e, n, checkpoint_rows(w), to, error));
  }
  return good;
}

bool walk_product(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const bool two = op->stage[1] != WALK_NONE;
  const size_t columns = checkpoint_rows(walk_tensor(walk, op, false, 0));
  bool good = true;
  for (size_t i = 0; good && i < (two ? 2 : 1); ++i) {
    double *y = walk_part(walk, op->out, i);
    good = multiply(walk, op, i > 0, y, error);
    if (good) {
      walk_tell(walk, op, op->stage[i], columns, y);
    }
  }
  return good;
}

bool walk_head(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const double *last = walk->value[op->in] + (walk->n - walk->wanted) * walk_width(walk, op->in);
  if (walk->wanted == 0) {
    return true;
  }
  if (!rows_product(walk_tensor(walk, op, false, 0), last, walk->wanted, walk->logits, walk->threads, error)) {
    return false;
  }
  walk_tell(walk, op, op->stage[0], walk->config->vocab_size, walk->logits);
  const double cap = walk->config->final_logit_softcapping;
  for (size_t i = 0; cap > 0.0 && i < walk->wanted * walk->config->vocab_size; ++i) {
    walk->logits[i] = cap * tanh(walk->logits[i] / cap);
  }
  return true;
}

bool walk_argmax(walk_t *walk, const llm_op_t *op, base_error_t *error) {  // who has the logits sees it
  (void)walk;
  (void)op;
  (void)error;
  return true;
}

static double silu(double x) { return x / (1.0 + exp(-x)); }

static double gelu(double x) { return 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x))); }

// gpt-oss's, whose inputs have a limit: gate silu(1.702 gate) / gate, and 1 more of up.
static double limited(double gate, double up, double limit) {
  const double x = fmin(gate, limit);
  return (fmin(fmax(up, -limit), limit) + 1.0) * x / (1.0 + exp(-1.702 * x));
}

static double gated(const checkpoint_config_t *c, double gate, double up) {
  return checkpoint_has(c, CHECKPOINT_HAS_EXPERT_BIAS)
             ? limited(gate, up, c->swiglu_limit)
             : (checkpoint_has(c, CHECKPOINT_HAS_GELU) ? gelu : silu)(gate)*up;
}

bool walk_swiglu(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const llm_value_t *out = &walk->graph.value[op->out];
  const size_t rows = out->rows == LLM_SLOTS ? walk->n * walk->config->num_experts_per_tok : walk->n;
  const double *gate = walk_part(walk, op->in, 0), *up = walk_part(walk, op->in, 1);
  double *y = walk->value[op->out];
  (void)error;
  for (size_t i = 0; i < rows * out->columns; ++i) {
    y[i] = gated(walk->config, gate[i], up[i]);
  }
  walk_tell(walk, op, op->stage[0], out->columns, y);
  return true;
}

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
  double scores[WALK_EXPERTS];
  bool kept[WALK_EXPERTS] = {false};
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
  double scores[WALK_EXPERTS], choice[WALK_EXPERTS], sum = 0.0;
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

// Slots in order of expert, then token.
static void sort_slots(walk_t *walk, const double *weights) {
  const size_t top = walk->config->num_experts_per_tok;
  size_t slot = 0;
  for (size_t e = 0; e < walk->config->n_routed_experts; ++e) {
    walk->begin[e] = slot;
    for (size_t i = 0; i < walk->n * top; ++i) {
      if ((size_t)walk->chosen[i] == e) {
        walk->token_of[slot] = i / top;
        walk->weight_of[slot++] = weights[i];
      }
    }
  }
  walk->begin[walk->config->n_routed_experts] = slot;
}

bool walk_gate(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const checkpoint_config_t *c = walk->config;
  const size_t top = c->num_experts_per_tok;
  const checkpoint_tensor_t *bias = walk_tensor(walk, op, false, 0);
  double biases[WALK_EXPERTS], *weights = walk->value[op->out];
  if (bias != NULL && !rows_read(bias, 0, 1, biases, error)) {
    return false;
  }
  for (size_t t = 0; t < walk->n; ++t) {
    route(c, walk->value[op->in] + t * c->n_routed_experts, bias == NULL ? NULL : biases, walk->chosen + t * top,
          weights + t * top);
  }
  sort_slots(walk, weights);
  walk_tell(walk, op, WALK_CHOSEN, top, walk->chosen);
  walk_tell(walk, op, op->stage[0], top, weights);
  return true;
}

// --- the mixture ------------------------------------------------------------------------------

bool walk_gather(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t width = walk_width(walk, op->in);
  (void)error;
  for (size_t slot = 0; slot < walk->n * walk->config->num_experts_per_tok; ++slot) {
    memcpy(walk->value[op->out] + slot * width, walk->value[op->in] + walk->token_of[slot] * width,
           width * sizeof **walk->value);
  }
  return true;
}

bool walk_combine(walk_t *walk, const llm_op_t *op, base_error_t *error) {
  const size_t width = walk_width(walk, op->out);
  const double *in = walk->value[op->in], *shared = walk->value[op->with];
  double *out = walk->value[op->out];
  (void)error;
  memset(out, 0, walk->n * width * sizeof *out);
  for (size_t slot = 0; slot < walk->n * walk->config->num_experts_per_tok; ++slot) {
    for (size_t i = 0; i < width; ++i) {
      out[walk->token_of[slot] * width + i] += walk->weight_of[slot] * in[slot * width + i];
    }
  }
  for (size_t i = 0; shared != NULL && i < walk->n * width; ++i) {
    out[i] += shared[i];
  }
  walk_tell(walk, op, op->stage[0], width, out);
  return true;
}
