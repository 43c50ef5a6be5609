// Attention as the textbook has it, in FP64 and untiled. The loops run in the order that lets the
// innermost one go over neighbouring elements (queries, then value columns) in vector lanes; every
// sum is still a plain ascending one.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "num/num_attention.h"
#include "num/num_format.h"
#include "num/num_isa.h"

typedef struct {
  double *qt;      // [dk, rows]: q transposed
  double *weight;  // [keys, rows]: first the scores, then their exponentials
  double *max;     // [rows]
  double *sum;     // [rows]
  double *value;   // [dv]
} golden_t;

// y[i] += factor * x[i]
NUM_CLONES
static void add_scaled(size_t n, double factor, const double *restrict x, double *restrict y) {
  for (size_t i = 0; i < n; i++) {
    y[i] += factor * x[i];
  }
}

// weight[s][g] = (q[g] . k[s]) * scale, or -inf where g does not see s; max[g] over all s.
static void scores(const num_attn_t *attn, golden_t *w) {
  for (size_t g = 0; g < attn->rows; g++) {
    w->max[g] = -INFINITY;
    for (size_t d = 0; d < attn->dk; d++) {
      w->qt[d * attn->rows + g] = (double)num_bf16_to_f32(attn->q[g * attn->dk + d]);
    }
  }
  for (size_t s = 0; s < attn->keys; s++) {
    double *score = w->weight + s * attn->rows;
    for (size_t d = 0; d < attn->dk; d++) {
      const double k = (double)num_bf16_to_f32(attn->k[s * attn->ldk + d]);
      add_scaled(attn->rows, k, w->qt + d * attn->rows, score);
    }
    for (size_t g = 0; g < attn->rows; g++) {
      const bool seen = attn->visible == NULL || attn->visible[g * attn->keys + s] != 0;
      score[g] = seen ? score[g] * (double)attn->scale : -INFINITY;
      w->max[g] = fmax(w->max[g], score[g]);
    }
  }
}

// weight[s][g] = exp(score - max), 0 where unseen; sum[g] over all s.
static void exponentials(const num_attn_t *attn, golden_t *w) {
  for (size_t s = 0; s < attn->keys; s++) {
    for (size_t g = 0; g < attn->rows; g++) {
      double *weight = &w->weight[s * attn->rows + g];
      // Without this a row that sees nothing would have -inf - -inf.
      *weight = *weight == -INFINITY ? 0.0 : exp(*weight - w->max[g]);
      w->sum[g] += *weight;
    }
  }
}

// out[g] = sum over s of weight[s][g] * v[s], over sum[g].
static void weighted_sum(const num_attn_t *attn, golden_t *w, double *out) {
  for (size_t i = 0; i < attn->rows * attn->dv; i++) {
    out[i] = 0.0;
  }
  for (size_t s = 0; s < attn->keys; s++) {
    for (size_t d = 0; d < attn->dv; d++) {
      w->value[d] = (double)num_bf16_to_f32(attn->v[s * attn->ldv + d]);
    }
    for (size_t g = 0; g < attn->rows; g++) {
      add_scaled(attn->dv, w->weight[s * attn->rows + g], w->value, out + g * attn->dv);
    }
  }
  for (size_t g = 0; g < attn->rows; g++) {
    for (size_t d = 0; d < attn->dv; d++) {
      out[g * attn->dv + d] = w->sum[g] > 0.0 ? out[g * attn->dv + d] / w->sum[g] : 0.0;
    }
  }
}

int num_attn_golden(const num_attn_t *attn, double *out) {
  const size_t rows = attn->rows;
  // One allocation for all of them: one thing that can fail.
  const size_t total = attn->dk * rows + attn->keys * rows + 2 * rows + attn->dv;
  double *memory = calloc(total + 1, sizeof *memory);
  if (memory == NULL) {
    return -1;
  }
  golden_t w;
  w.qt = memory;
  w.weight = w.qt + attn->dk * rows;
  w.max = w.weight + attn->keys * rows;
  w.sum = w.max + rows;
  w.value = w.sum + rows;
  scores(attn, &w);
  exponentials(attn, &w);
  weighted_sum(attn, &w, out);
  free(memory);
  return 0;
}
