// Attention as the textbook has it, in FP64 and untiled: all scores of a row, their maximum, the
// exponentials (libm's), their sum, the weighted sum of the values, one division. Every sum runs
// over ascending columns or keys, each product and each addition rounded, so that a row's result
// depends neither on the rows it is computed with nor on the width of the host's vectors. For speed
// different sums run side by side: the innermost loops go over neighbouring keys, then over
// neighbouring value columns, in vector lanes.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "num/num_attention.h"
#include "num/num_format.h"
#include "num/num_isa.h"
#include "num/num_transpose.h"

enum {
  TERMS = 8,      // added to a sum between its load and its store
  KEY_LANES = 64  // keys whose scores run side by side
};

typedef struct {
  double *q;       // [dk]: one query
  double *kt;      // [dk, KEY_LANES]: some keys, transposed
  double *v;       // [TERMS, dv]: some values
  double *weight;  // [rows, keys]: first the scores, then their exponentials
  double *sum;     // [rows]
} golden_t;

// y[i] = (..(y[i] + f[0] * x[0][i]) + ..) + f[terms - 1] * x[terms - 1][i] for i < n, x with row
// stride ldx.
NUM_CLONES
static void add_products(size_t n, size_t terms, const double *restrict f, const double *restrict x,
                         size_t ldx, double *restrict y) {
  size_t t = 0;
  for (; t + TERMS <= terms; t += TERMS) {
    const double *part = x + t * ldx;
    for (size_t i = 0; i < n; i++) {
      double sum = y[i];
#pragma GCC unroll 8
      for (size_t u = 0; u < TERMS; u++) {
        sum += f[t + u] * part[u * ldx + i];
      }
      y[i] = sum;
    }
  }
  for (; t < terms; t++) {
    for (size_t i = 0; i < n; i++) {
      y[i] += f[t] * x[t * ldx + i];
    }
  }
}

NUM_CLONES
static void widen_bf16(size_t n, const uint16_t *restrict from, double *restrict to) {
  for (size_t i = 0; i < n; i++) {
    to[i] = (double)num_bf16_to_f32(from[i]);
  }
}

static void widen(bool fp16, size_t n, const uint16_t *restrict from, double *restrict to) {
  if (!fp16) {
    widen_bf16(n, from, to);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    to[i] = (double)num_fp16_to_f32(from[i]);
  }
}

// The row of an array that stands at a place; NULL: none does.
static const uint16_t *row_at(const num_attn_t *attn, const uint16_t *rows, size_t ld,
                              size_t place) {
  if (attn->index == NULL) {
    return rows + place * ld;
  }
  return attn->index[place] < 0 ? NULL : rows + (size_t)attn->index[place] * ld;
}

// kt[d][j] = k[j][d0 + d] for j < NUM_BLOCK and d < columns; 0 where k[j] is NULL, there being no key.
NUM_INLINE void transpose_block(bool fp16, size_t d0, size_t columns, const uint16_t *const *k, double *restrict kt) {
  uint16_t x[NUM_BLOCK_ELEMENTS];
  for (size_t j = 0; j < NUM_BLOCK; j++) {
    if (columns < NUM_BLOCK || k[j] == NULL) {
      memset(x + j * NUM_BLOCK, 0, NUM_BLOCK * sizeof *x);
    }
    if (k[j] != NULL) {
      memcpy(x + j * NUM_BLOCK, k[j] + d0, columns * sizeof *x);
    }
  }
  num_transpose_block(x);
  for (size_t d = 0; d < columns; d++) {
    for (size_t j = 0; j < NUM_BLOCK; j++) {
      const uint16_t value = x[d * NUM_BLOCK + j];
      kt[d * KEY_LANES + j] = (double)(fp16 ? num_fp16_to_f32(value) : num_bf16_to_f32(value));
    }
  }
}

// kt[d][j] = k[j][d] for j < KEY_LANES and d < dk.
NUM_INLINE void transpose(bool fp16, size_t dk, const uint16_t *const *k, double *restrict kt) {
  for (size_t d = 0; d < dk; d += NUM_BLOCK) {
    const size_t columns = dk - d < NUM_BLOCK ? dk - d : NUM_BLOCK;
    for (size_t j = 0; j < KEY_LANES; j += NUM_BLOCK) {
      if (columns == NUM_BLOCK) {
        transpose_block(fp16, d, NUM_BLOCK, k + j, kt + d * KEY_LANES + j);
      } else {
        transpose_block(fp16, d, columns, k + j, kt + d * KEY_LANES + j);
      }
    }
  }
}

NUM_CLONES
static void transpose_bf16(size_t dk, const uint16_t *const *k, double *kt) { transpose(false, dk, k, kt); }

NUM_CLONES
static void transpose_fp16(size_t dk, const uint16_t *const *k, double *kt) { transpose(true, dk, k, kt); }

// weight[g][s] = q[g] . k[s]
static void products(const num_attn_t *attn, golden_t *w) {
  for (size_t s = 0; s < attn->keys; s += KEY_LANES) {
    const size_t lanes = attn->keys - s < KEY_LANES ? attn->keys - s : KEY_LANES;
    const uint16_t *k[KEY_LANES] = {NULL};
    for (size_t j = 0; j < lanes; j++) {
      k[j] = row_at(attn, attn->k, attn->ldk, s + j);
    }
    (attn->fp16 ? transpose_fp16 : transpose_bf16)(attn->dk, k, w->kt);
    for (size_t g = 0; g < attn->rows; g++) {
      widen(attn->fp16, attn->dk, attn->q + g * attn->dk, w->q);
      add_products(lanes, attn->dk, w->q, w->kt, KEY_LANES, w->weight + g * attn->keys + s);
    }
  }
}

static bool sees(const num_attn_t *attn, size_t g, size_t s) {
  return (attn->index == NULL || attn->index[s] >= 0) && (attn->seen == NULL || s < attn->seen[g]) &&
         (attn->visible == NULL || attn->visible[g * attn->keys + s] != 0);
}

// Row g: the products times scale, -inf where g does not see s, become exp(score - maximum), 0
// where unseen. A sink far above the maximum
// makes the sum infinite and the output 0, which it then is to FP64.
static void exponentials(const num_attn_t *attn, size_t g, golden_t *w, double *lse) {
  double *weight = w->weight + g * attn->keys;
  double max = -INFINITY;
  for (size_t s = 0; s < attn->keys; s++) {
    weight[s] = sees(attn, g, s) ? weight[s] * (double)attn->scale : -INFINITY;
    max = fmax(max, weight[s]);
  }
  for (size_t s = 0; s < attn->keys; s++) {
    // Without this a row that sees nothing would have -inf - -inf.
    weight[s] = weight[s] == -INFINITY ? 0.0 : exp(weight[s] - max);
    w->sum[g] += weight[s];
  }
  if (lse != NULL) {
    *lse = w->sum[g] > 0.0 ? max + log(w->sum[g]) : INFINITY;
  }
  if (attn->sink != NULL && w->sum[g] > 0.0) {
    w->sum[g] += exp((double)attn->sink[g] - max);
  }
}

// out[g] = sum over s of weight[g][s] * v[s], over sum[g].
static void weighted_sums(const num_attn_t *attn, golden_t *w, double *out) {
  for (size_t i = 0; i < attn->rows * attn->dv; i++) {
    out[i] = 0.0;
  }
  for (size_t s = 0; s < attn->keys; s += TERMS) {
    const size_t terms = attn->keys - s < TERMS ? attn->keys - s : TERMS;
    for (size_t t = 0; t < terms; t++) {
      const uint16_t *value = row_at(attn, attn->v, attn->ldv, s + t);
      if (value != NULL) {
        widen(attn->fp16, attn->dv, value, w->v + t * attn->dv);
      } else {
        memset(w->v + t * attn->dv, 0, attn->dv * sizeof *w->v);
      }
    }
    for (size_t g = 0; g < attn->rows; g++) {
      add_products(attn->dv, terms, w->weight + g * attn->keys + s, w->v, attn->dv,
                   out + g * attn->dv);
    }
  }
  for (size_t g = 0; g < attn->rows; g++) {
    for (size_t d = 0; d < attn->dv; d++) {
      out[g * attn->dv + d] = w->sum[g] > 0.0 ? out[g * attn->dv + d] / w->sum[g] : 0.0;
    }
  }
}

int num_attn_golden(const num_attn_t *attn, double *out) {
  return num_attn_golden_lse(attn, out, NULL);
}

int num_attn_golden_lse(const num_attn_t *attn, double *out, double *lse) {
  const size_t rows = attn->rows;
  // One allocation for all of them: one thing that can fail.
  const size_t total = attn->dk * (KEY_LANES + 1) + attn->dv * TERMS + rows * (attn->keys + 1);
  double *memory = calloc(total + 1, sizeof *memory);
  if (memory == NULL) {
    return -1;
  }
  golden_t w;
  w.q = memory;
  w.kt = w.q + attn->dk;
  w.v = w.kt + attn->dk * KEY_LANES;
  w.weight = w.v + TERMS * attn->dv;
  w.sum = w.weight + rows * attn->keys;
  products(attn, &w);
  for (size_t g = 0; g < rows; g++) {
    exponentials(attn, g, &w, lse == NULL ? NULL : lse + g);
  }
  weighted_sums(attn, &w, out);
  free(memory);
  return 0;
}
