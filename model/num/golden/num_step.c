// SPDX-License-Identifier: Apache-2.0
#include "num/golden/num_step.h"

#include <math.h>

#include "hal/command.h"
#include "num/num_exp.h"
#include "num/num_fp8.h"
#include "num/num_isa.h"

enum { LANES = 64, CHUNK = 256 };

static size_t at_most(size_t x, size_t limit) { return x < limit ? x : limit; }

// --- rows -------------------------------------------------------------------------------------

// Columns j, j + 64, ... to lane j, then half of the lanes to the other.
NUM_CLONES
static float tree(const float *x, size_t cols) {
  float lane[LANES];
  for (size_t j = 0; j < at_most(cols, LANES); ++j) {
    lane[j] = x[j];
  }
  for (size_t i = LANES; i < cols; i += LANES) {
    const size_t count = at_most(cols - i, LANES);
    for (size_t j = 0; j < count; ++j) {
      lane[j] += x[i + j];
    }
  }
  for (size_t half = LANES / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half && j + half < cols; ++j) {
      lane[j] += lane[j + half];
    }
  }
  return lane[0];
}

float num_step_row_sum(const float *x, size_t cols) {
  float sum = tree(x, at_most(cols, NUM_STEP_PART));
  for (size_t i = NUM_STEP_PART; i < cols; i += NUM_STEP_PART) {
    sum += tree(x + i, at_most(cols - i, NUM_STEP_PART));
  }
  return sum;
}

static float sum_of_squares(const float *x, size_t cols) {
  float sum = 0.0f;
  for (size_t i = 0; i < cols; i += NUM_STEP_PART) {
    float square[NUM_STEP_PART] = {0};
    const size_t count = at_most(cols - i, NUM_STEP_PART);
    for (size_t j = 0; j < count; ++j) {
      square[j] = x[i + j] * x[i + j];
    }
    const float part = tree(square, count);
    sum = i == 0 ? part : sum + part;
  }
  return sum;
}

float num_step_scale(const float *x, size_t cols, float eps) {
  const float mean = sum_of_squares(x, cols) / (float)cols;
  return 1.0f / sqrtf(mean + eps);
}

// n numbers to element `at` of an array of the type.
static void narrow(const float *x, size_t n, uint32_t type, void *to, size_t at) {
  if (type == TYPE_F16) {
    num_fp16_from_f32_n(x, (num_fp16_t *)to + at, n);
  } else if (type == TYPE_BF16) {
    num_bf16_from_f32_n(x, (num_bf16_t *)to + at, n);
  } else {
    memcpy((float *)to + at, x, n * sizeof *x);
  }
}

void num_step_embed(const int32_t *tokens, size_t rows, const uint16_t *table, size_t table_stride, uint32_t type,
                    size_t cols, float scale, float *x) {
  for (size_t r = 0; r < rows; ++r) {
    const uint16_t *row = table + (size_t)tokens[r] * table_stride;
    if (type == TYPE_F16) {
      num_fp16_to_f32_n(row, x + r * cols, cols);
    } else {
      num_bf16_to_f32_n(row, x + r * cols, cols);
    }
  }
  for (size_t i = 0; i < rows * cols; ++i) {
    x[i] *= scale;
  }
}

// y = (x * scale) * weight
static void norm_row(const float *x, float scale, const float *weight, size_t cols, uint32_t type, void *y, size_t at) {
  for (size_t i = 0; i < cols; i += CHUNK) {
    float part[CHUNK] = {0};
    const size_t count = at_most(cols - i, CHUNK);
    for (size_t j = 0; j < count; ++j) {
      part[j] = (x[i + j] * scale) * weight[i + j];
    }
    narrow(part, count, type, y, at + i);
  }
}

NUM_CLONES
static void add(const float *x, const float *delta, size_t n, float *out) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = x[i] + delta[i];
  }
}

// The scale of x + delta, whose parts are never there at once if nobody wants the sum: as num_step_scale.
static float scale_of_sum(const float *x, const float *delta, size_t cols, float eps) {
  float sum = 0.0f;
  for (size_t i = 0; i < cols; i += NUM_STEP_PART) {
    float part[NUM_STEP_PART];
    const size_t count = at_most(cols - i, NUM_STEP_PART);
    add(x + i, delta + i, count, part);
    const float squares = sum_of_squares(part, count);
    sum = i == 0 ? squares : sum + squares;
  }
  return 1.0f / sqrtf(sum / (float)cols + eps);
}

static void norm_sum(const float *x, const float *delta, const float *weight, float eps, size_t cols, float *out,
                     uint32_t type, void *y, size_t at) {
  const float scale = delta == NULL ? num_step_scale(x, cols, eps) : scale_of_sum(x, delta, cols, eps);
  for (size_t i = 0; i < cols; i += NUM_STEP_PART) {
    float sum[NUM_STEP_PART];
    const size_t count = at_most(cols - i, NUM_STEP_PART);
    if (delta != NULL) {
      add(x + i, delta + i, count, sum);
    } else {
      memcpy(sum, x + i, count * sizeof *sum);
    }
    if (weight == NULL) {
      narrow(sum, count, type, y, at + i);
    } else {
      norm_row(sum, scale, weight + i, count, type, y, at + i);
    }
    if (out != NULL) {
      memcpy(out + i, sum, count * sizeof *sum);
    }
  }
}

void num_step_norm(const float *x, size_t x_stride, const float *delta, const float *weight, float eps, size_t rows,
                   size_t cols, float *out, uint32_t type, void *y, size_t y_stride) {
  for (size_t r = 0; r < rows; ++r) {
    norm_sum(x + r * x_stride, delta == NULL ? NULL : delta + r * cols, weight, eps, cols,
             out == NULL ? NULL : out + r * cols, type, y, r * y_stride);
  }
}

// --- rotation and cache -----------------------------------------------------------------------

void num_step_angles(size_t position, size_t rope, const double *turn, double magnitude, float *angles) {
  for (size_t i = 0; i < rope; ++i) {
    const double angle = (double)position * turn[i / 2];
    angles[i] = (float)(magnitude * cos(angle));
    angles[rope + i] = (float)(magnitude * (i % 2 == 0 ? -sin(angle) : sin(angle)));
  }
}

void num_step_angles_by_halves(size_t position, size_t rope, const double *turn, double magnitude, float *angles) {
  for (size_t i = 0; i < rope; ++i) {
    const double angle = (double)position * turn[i % (rope / 2)];
    angles[i] = (float)(magnitude * cos(angle));
    angles[rope + i] = (float)(magnitude * (i < rope / 2 ? -sin(angle) : sin(angle)));
  }
}

void num_step_rotate(const float *x, const float *angles, size_t rope, num_bf16_t *out) {
  for (size_t i = 0; i < rope; ++i) {
    const float product = x[i] * angles[i];
    out[i] = num_bf16_from_f32(fmaf(x[i ^ 1], angles[rope + i], product));
  }
}

void num_step_rope(const num_fp16_t *q, num_step_rows_t q_rows, const float *angles, size_t tokens, size_t heads,
                   size_t rope, num_bf16_t *out, num_step_rows_t out_rows) {
  for (size_t t = 0; t < tokens; ++t) {
    for (size_t h = 0; h < heads; ++h) {
      const num_fp16_t *row = q + t * q_rows.token + h * q_rows.head;
      num_bf16_t *to = out + t * out_rows.token + h * out_rows.head;
      for (size_t i = 0; i < rope; i += 2) {
        const float pair[2] = {num_fp16_to_f32(row[i]), num_fp16_to_f32(row[i + 1])};
        const float *cosine = angles + t * 2 * rope + i;
        const float turn[4] = {cosine[0], cosine[1], cosine[rope], cosine[rope + 1]};
        num_step_rotate(pair, turn, 2, to + i);
      }
    }
  }
}

void num_step_head(const num_step_heads_t *shape, const float *x, const float *angles, uint16_t *out) {
  float row[NUM_STEP_HEAD] = {0}, turned[NUM_STEP_HEAD];
  const size_t half = shape->rope / 2;
  const float scale = shape->weight == NULL ? 1.0f : num_step_scale(x, shape->dim, shape->eps);
  for (size_t i = 0; i < shape->dim; ++i) {
    row[i] = shape->weight == NULL ? x[i] : (x[i] * scale) * shape->weight[i];
    turned[i] = row[i];
  }
  for (size_t i = 0; i < shape->rope; ++i) {
    const float product = row[i] * angles[i];
    turned[i] = fmaf(row[i < half ? i + half : i - half], angles[shape->rope + i], product);
  }
  narrow(turned, shape->dim, shape->type, out, 0);
}

static void cache_fp8(const num_step_cache_t *shape, const float *row, const float *weight, float scale,
                      const float *angles, uint8_t *place) {
  num_bf16_t key[NUM_FP8_KEY];
  norm_row(row, scale, weight, NUM_FP8_LATENT, TYPE_BF16, key, 0);
  num_step_rotate(row + NUM_FP8_LATENT, angles, NUM_FP8_ROPE, key + NUM_FP8_LATENT);
  num_fp8_encode(shape->kind == NUM_STEP_FP8 ? NUM_FP8_SCALE_AMAX : NUM_FP8_SCALE_UE8M0, key, place, 1);
}

void num_step_cache(const num_step_cache_t *shape, const float *kv, size_t kv_stride, const float *weight, float eps,
                    const float *angles, uint8_t *cache) {
  for (size_t t = 0; t < shape->tokens; ++t) {
    const float *row = kv + t * kv_stride;
    uint8_t *place = cache + t / shape->tokens_of_entry * shape->batch_bytes +
                     (shape->past + t % shape->tokens_of_entry) * shape->place_bytes;
    const float *turn = angles + t * 2 * shape->rope;
    const float scale = num_step_scale(row, shape->latent, eps);
    if (shape->kind == NUM_STEP_BF16) {
      num_bf16_t *key = (num_bf16_t *)(void *)place;
      norm_row(row, scale, weight, shape->latent, TYPE_BF16, key, 0);
      num_step_rotate(row + shape->latent, turn, shape->rope, key + shape->latent);
    } else {
      cache_fp8(shape, row, weight, scale, turn, place);
    }
  }
}

// --- feed-forward -----------------------------------------------------------------------------

// x: what the gate is multiplied by the sigmoid of, negative; gate and up within their limits.
NUM_CLONES
static void prepare(const num_step_swiglu_t *how, float *gate, float *up, size_t n, float *x) {
  for (size_t i = 0; i < n; ++i) {
    const float square = gate[i] * gate[i], cubic = square * 0.044715f, sum = cubic + 1.0f, inner = sum * gate[i];
    if (how->gating == NUM_STEP_LIMITED) {
      gate[i] = gate[i] < how->limit ? gate[i] : how->limit;
      up[i] = up[i] < how->limit ? up[i] : how->limit;
      up[i] = up[i] > -how->limit ? up[i] : -how->limit;
      up[i] += 1.0f;
    }
    x[i] = how->gating == NUM_STEP_SILU   ? gate[i] * -1.0f
           : how->gating == NUM_STEP_GELU ? inner * -1.5957691216f
                                          : gate[i] * -1.702f;
  }
}

NUM_CLONES
static void swiglu(const num_step_swiglu_t *how, float *gate, float *up, float *out, size_t n) {
  float e[CHUNK] = {0};
  prepare(how, gate, up, n, e);
  num_exp32_n(e, e, n);
  for (size_t i = 0; i < n; ++i) {
    out[i] = gate[i] / (e[i] + 1.0f) * up[i];
  }
}

static void widen(uint32_t type, const uint16_t *from, float *to, size_t n) {
  if (type == TYPE_F16) {
    num_fp16_to_f32_n(from, to, n);
  } else {
    num_bf16_to_f32_n(from, to, n);
  }
}

void num_step_swiglu(const num_step_swiglu_t *how, const uint16_t *in, size_t in_stride, size_t rows, size_t cols,
                     uint16_t *out, size_t out_stride) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t i = 0; i < cols; i += CHUNK) {
      float gate[CHUNK], up[CHUNK], product[CHUNK];
      const size_t count = at_most(cols - i, CHUNK);
      widen(how->type, in + r * in_stride + i, gate, count);
      widen(how->type, in + r * in_stride + cols + i, up, count);
      swiglu(how, gate, up, product, count);
      narrow(product, count, how->type, out, r * out_stride + i);
    }
  }
}

// The fold max = x > max ? x : max from the first one: a NaN stays if it is first and is passed over elsewhere.
static float largest(const float *x, size_t n) {
  float most = x[0];
  for (size_t i = 1; i < n; ++i) {
    most = x[i] > most ? x[i] : most;
  }
  return most;
}

// Logits to scores.
static void score(const num_step_gate_t *gate, const float *logits, float *scores) {
  const size_t n = gate->experts;
  const float most = gate->sigmoid ? 0.0f : largest(logits, n);
  for (size_t e = 0; e < n; ++e) {
    scores[e] = gate->sigmoid ? -logits[e] : logits[e] - most;
  }
  num_exp32_n(scores, scores, n);
  const float sum = num_step_row_sum(scores, n);
  for (size_t e = 0; e < n; ++e) {
    scores[e] = gate->sigmoid ? 1.0f / (scores[e] + 1.0f) : scores[e] / sum;
  }
}

// The weights so far, to those that count.
static void finish_weights(const num_step_gate_t *gate, float *weights) {
  const float sum = tree(weights, gate->top) + 1e-20f;
  for (size_t j = 0; j < gate->top; ++j) {
    const float share = gate->normalise ? weights[j] / sum : weights[j];
    weights[j] = share * gate->scale;
  }
}

// The largest choice of a group; with sigmoids, of which a token may like several, the sum of the two largest. All are
// looked at in the order of the whole row, where the others are -inf.
static float group_score(const num_step_gate_t *gate, const float *choice, size_t group) {
  const size_t size = gate->experts / gate->groups;
  float work[NUM_STEP_EXPERTS] = {0};
  for (size_t e = 0; e < gate->experts; ++e) {
    work[e] = e / size == group ? choice[e] : -INFINITY;
  }
  const float first = largest(work, gate->experts);
  for (size_t e = 0; gate->sigmoid && e < gate->experts; ++e) {
    if (work[e] == first) {
      work[e] = -INFINITY;
      break;
    }
  }
  return gate->sigmoid ? first + largest(work, gate->experts) : first;
}

// Experts of other groups lose their choice.
static void limit_groups(const num_step_gate_t *gate, float *choice) {
  float scores[NUM_STEP_EXPERTS] = {0};
  bool kept[NUM_STEP_EXPERTS] = {false};
  for (size_t g = 0; g < gate->groups; ++g) {
    scores[g] = group_score(gate, choice, g);
  }
  for (size_t i = 0; i < gate->kept; ++i) {
    const float best = largest(scores, gate->groups);
    for (size_t g = 0; g < gate->groups; ++g) {
      if (scores[g] == best) {
        kept[g] = true;
        scores[g] = -INFINITY;
        break;
      }
    }
  }
  for (size_t e = 0; e < gate->experts; ++e) {
    choice[e] = kept[e / (gate->experts / gate->groups)] ? choice[e] : -INFINITY;
  }
}

static void gate_token(const num_step_gate_t *gate, const float *logits, const float *bias, int32_t *chosen,
                       float *weights) {
  float scores[NUM_STEP_EXPERTS] = {0}, choice[NUM_STEP_EXPERTS] = {0};
  score(gate, logits, scores);
  for (size_t e = 0; e < gate->experts; ++e) {
    choice[e] = bias == NULL ? scores[e] : scores[e] + bias[e];
  }
  if (gate->kept != gate->groups) {
    limit_groups(gate, choice);
  }
  for (size_t j = 0; j < gate->top; ++j) {
    const float best = largest(choice, gate->experts);
    chosen[j] = INT32_MAX;
    weights[j] = -INFINITY;
    for (size_t e = 0; e < gate->experts && chosen[j] == INT32_MAX; ++e) {
      if (choice[e] == best) {
        chosen[j] = (int32_t)e;
        weights[j] = scores[e];
        choice[e] = -INFINITY;
      }
    }
  }
  finish_weights(gate, weights);
}

void num_step_gate(const num_step_gate_t *gate, const float *logits, const float *bias, int32_t *chosen,
                   float *weights) {
  for (size_t t = 0; t < gate->tokens; ++t) {
    gate_token(gate, logits + t * gate->experts, bias, chosen + t * gate->top, weights + t * gate->top);
  }
}

// --- routing ----------------------------------------------------------------------------------

// Straight from the definition: for each expert all tokens.
void num_step_route(const num_step_routing_t *routing, int32_t *slot, size_t *begin) {
  const size_t count = routing->tokens * routing->top;
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    slot[i] = -1;
  }
  for (size_t e = 0; e < routing->here; ++e) {
    begin[e] = next;
    for (size_t i = 0; i < count; ++i) {
      if ((size_t)routing->chosen[i] == routing->first + e) {
        slot[i] = (int32_t)next++;
      }
    }
  }
  begin[routing->here] = next;
}

void num_step_gather(const num_step_routing_t *routing, const int32_t *slot, const num_fp16_t *x, size_t cols,
                     size_t stride, num_fp16_t *out) {
  for (size_t i = 0; i < routing->tokens * routing->top; ++i) {
    if (slot[i] >= 0) {
      memcpy(out + (size_t)slot[i] * stride, x + i / routing->top * stride, cols * sizeof *x);
    }
  }
}

NUM_CLONES
static void add_weighted(const float *y, float weight, size_t n, float *out) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = fmaf(y[i], weight, out[i]);
  }
}

void num_step_combine(const num_step_routing_t *routing, const int32_t *slot, const float *y, const float *weights,
                      const float *shared, size_t cols, float *out) {
  for (size_t t = 0; t < routing->tokens; ++t) {
    float *sum = out + t * cols;
    for (size_t i = 0; i < cols; ++i) {
      sum[i] = shared == NULL ? 0.0f : shared[t * cols + i];
    }
    for (size_t j = t * routing->top; j < (t + 1) * routing->top; ++j) {
      if (slot[j] >= 0) {
        add_weighted(y + (size_t)slot[j] * cols, weights[j], cols, sum);
      }
    }
  }
}

// --- the next token ---------------------------------------------------------------------------

void num_step_argmax(const float *x, size_t stride, size_t rows, size_t cols, int32_t *out) {
  for (size_t r = 0; r < rows; ++r) {
    const float *row = x + r * stride;
    float most = -INFINITY;
    out[r] = 0;
    for (size_t i = 0; i < cols; ++i) {
      if (row[i] > most) {
        most = row[i];
        out[r] = (int32_t)i;
      }
    }
  }
}

// --- 8-bit integers ---------------------------------------------------------------------------

static float wide(uint32_t type, uint16_t bits) {
  return type == TYPE_F16 ? num_fp16_to_f32(bits) : num_bf16_to_f32(bits);
}

static int8_t to_s8(float x) {
  const float whole = rintf(x);
  return (int8_t)(isnan(x) ? 0.0f : whole > 127.0f ? 127.0f : whole < -128.0f ? -128.0f : whole);
}

static float smooth(uint32_t type, uint16_t x, const float *factors, size_t col) {
  return factors == NULL ? wide(type, x) : wide(type, x) * factors[col];
}

void num_step_quantise(const uint16_t *x, size_t x_stride, uint32_t type, const float *factors, size_t rows,
                       size_t cols, int8_t *out, float *scale) {
  for (size_t r = 0; r < rows; ++r) {
    float most = 0x1p-100f;
    bool finite = true;
    for (size_t j = 0; j < cols; ++j) {
      const float size = fabsf(smooth(type, x[r * x_stride + j], factors, j));
      finite = finite && isfinite(size);
      most = size > most ? size : most;
    }
    scale[r] = finite ? most / 127.0f : NAN;
    for (size_t j = 0; j < cols; ++j) {
      out[r * cols + j] = to_s8(smooth(type, x[r * x_stride + j], factors, j) / scale[r]);
    }
  }
}

void num_step_pack(const uint16_t *x, size_t cols, uint32_t type, uint8_t *codes, float *scale) {
  float most = 0x1p-100f;
  bool finite = true;
  for (size_t j = 0; j < cols; ++j) {
    const float size = fabsf(num_bf16_to_f32(x[j]));
    finite = finite && isfinite(size);
    most = size > most ? size : most;
  }
  *scale = finite ? most / (type == TYPE_S8 ? 127.0f : 448.0f) : NAN;
  for (size_t j = 0; j < cols; ++j) {
    const float share = num_bf16_to_f32(x[j]) / *scale;
    codes[j] = type == TYPE_S8 ? (uint8_t)to_s8(share) : num_e4m3_from_f32(share);
  }
}

void num_step_unpack(const uint8_t *codes, size_t cols, uint32_t type, float scale, uint16_t *out) {
  for (size_t j = 0; j < cols; ++j) {
    const float code = type == TYPE_S8 ? (float)(int8_t)codes[j] : num_e4m3_to_f32(codes[j]);
    out[j] = num_bf16_from_f32(code * scale);
  }
}

void num_step_dequantise(const num_step_dequantise_t *how, const int32_t *sums, size_t sums_stride, size_t rows,
                         size_t cols, void *c, size_t c_stride) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < cols; ++j) {
      float value = (float)sums[r * sums_stride + j] * how->scale[r];
      value *= how->columns[j];
      value = how->bias == NULL ? value : value + how->bias[j];
      narrow(&value, 1, how->type, c, r * c_stride + j);
    }
  }
}
