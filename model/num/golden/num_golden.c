// Attention as the textbook has it, in FP64 and untiled: all scores of a row, their maximum, the
// exponentials (libm's), their sum, the weighted sum of the values, one division. Every sum runs
// over ascending columns or keys, each product and each addition rounded, so that a row's result
// depends neither on the rows it is computed with nor on the width of the host's vectors. For speed
// different sums run side by side: those of four rows and of neighbouring keys, then of
// neighbouring value columns, in vector lanes. What is multiplied with them lies in panels of as many columns as a tile
// has, [column / TILE_COLUMNS][term][column % TILE_COLUMNS], so that a tile reads one address after the other.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "num/golden/num_attention.h"
#include "num/num_format.h"
#include "num/num_isa.h"
#include "num/num_transpose.h"

enum {
  TERMS = 32,      // values added to a sum between its load and its store
  KEY_LANES = 64,  // keys whose scores run side by side
  TILE_ROWS = 4,   // sums of a tile
  TILE_VECTORS = 2,
  VECTOR = 4,
  TILE_COLUMNS = TILE_VECTORS * VECTOR
};

// At any address of a double.
typedef double vector_t __attribute__((vector_size(VECTOR * sizeof(double)), aligned(sizeof(double))));

typedef struct {
  double *q;        // [TILE_ROWS, dk]: some queries
  double *row;      // [dv]: a row of values
  double *kt;       // [dk, KEY_LANES] in panels: some keys, transposed
  double *v;        // [TERMS, dv] in panels: some values
  double *weight;   // [rows, keys]: first the scores, then their exponentials
  double *sum;      // [rows]
  double *largest;  // [rows], or NULL
} golden_t;

static size_t at_most(size_t x, size_t limit) { return x < limit ? x : limit; }

// y[g][i] = (..(y[g][i] + f[g][0] * x[0][i]) + ..) + f[g][terms - 1] * x[terms - 1][i] for i < TILE_COLUMNS and g <
// rows, a constant at each call; the sums stay in registers.  x: a panel.
NUM_INLINE void add_tile(const size_t rows, size_t terms, const double *f, size_t ldf, const double *x, double *y,
                         size_t ldy) {
  vector_t sum[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 4
  for (size_t g = 0; g < rows; ++g) {
#pragma GCC unroll 2
    for (size_t v = 0; v < TILE_VECTORS; ++v) {
      sum[g][v] = *(const vector_t *)(y + g * ldy + v * VECTOR);
    }
  }
  for (size_t t = 0; t < terms; ++t) {
    vector_t part[TILE_VECTORS];
#pragma GCC unroll 2
    for (size_t v = 0; v < TILE_VECTORS; ++v) {
      part[v] = *(const vector_t *)(x + t * TILE_COLUMNS + v * VECTOR);
    }
#pragma GCC unroll 4
    for (size_t g = 0; g < rows; ++g) {
#pragma GCC unroll 2
      for (size_t v = 0; v < TILE_VECTORS; ++v) {
        sum[g][v] += f[g * ldf + t] * part[v];
      }
    }
  }
#pragma GCC unroll 4
  for (size_t g = 0; g < rows; ++g) {
#pragma GCC unroll 2
    for (size_t v = 0; v < TILE_VECTORS; ++v) {
      *(vector_t *)(y + g * ldy + v * VECTOR) = sum[g][v];
    }
  }
}

// The same sums for i < n and g < rows <= TILE_ROWS; x: panels, ldx doubles from one to the next.
NUM_CLONES
static void add_products(size_t rows, size_t n, size_t terms, const double *f, size_t ldf, const double *x, size_t ldx,
                         double *y, size_t ldy) {
  size_t i = 0;
  for (; i + TILE_COLUMNS <= n; i += TILE_COLUMNS, x += ldx) {
    if (!num_clone_has_avx2()) {  // no place in the registers for more than a row
      for (size_t g = 0; g < rows; ++g) {
        add_tile(1, terms, f + g * ldf, ldf, x, y + g * ldy + i, ldy);
      }
      continue;
    }
    // clang-format off
    switch (rows) {
      case 4: add_tile(4, terms, f, ldf, x, y + i, ldy); break;
      case 3: add_tile(3, terms, f, ldf, x, y + i, ldy); break;
      case 2: add_tile(2, terms, f, ldf, x, y + i, ldy); break;
      default: add_tile(1, terms, f, ldf, x, y + i, ldy); break;
    }
    // clang-format on
  }
  for (size_t g = 0; g < rows; ++g) {
    for (size_t t = 0; t < terms; ++t) {
      for (size_t j = 0; i + j < n; ++j) {
        y[g * ldy + i + j] += f[g * ldf + t] * x[t * TILE_COLUMNS + j];
      }
    }
  }
}

NUM_CLONES
static void widen_bf16(size_t n, const uint16_t *restrict from, double *restrict to) {
  for (size_t i = 0; i < n; ++i) {
    to[i] = (double)num_bf16_to_f32(from[i]);
  }
}

static void widen(bool fp16, size_t n, const uint16_t *restrict from, double *restrict to) {
  if (!fp16) {
    widen_bf16(n, from, to);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    to[i] = (double)num_fp16_to_f32(from[i]);
  }
}

// The row of an array that stands at a place; NULL: none does.
static const uint16_t *row_at(const num_attn_t *attn, const uint16_t *rows, size_t ld, size_t place) {
  if (attn->index == NULL) {
    return rows + place * ld;
  }
  return attn->index[place] < 0 ? NULL : rows + (size_t)attn->index[place] * ld;
}

// Term d of column j is k[j][d0 + d] for j < NUM_BLOCK and d < columns; 0 where k[j] is NULL, there being no key.  kt:
// the first panel from term d0 on; dk: terms of all.
NUM_INLINE void transpose_block(bool fp16, size_t d0, size_t columns, size_t dk, const uint16_t *const *k,
                                double *restrict kt) {
  uint16_t x[NUM_BLOCK_ELEMENTS];
  for (size_t j = 0; j < NUM_BLOCK; ++j) {
    if (columns < NUM_BLOCK || k[j] == NULL) {
      memset(x + j * NUM_BLOCK, 0, NUM_BLOCK * sizeof *x);
    }
    if (k[j] != NULL) {
      memcpy(x + j * NUM_BLOCK, k[j] + d0, columns * sizeof *x);
    }
  }
  num_transpose_block(x);
  for (size_t panel = 0; panel < NUM_BLOCK; panel += TILE_COLUMNS, kt += dk * TILE_COLUMNS) {
    for (size_t d = 0; d < columns; ++d) {
      for (size_t j = 0; j < TILE_COLUMNS; ++j) {
        const uint16_t value = x[d * NUM_BLOCK + panel + j];
        kt[d * TILE_COLUMNS + j] = (double)(fp16 ? num_fp16_to_f32(value) : num_bf16_to_f32(value));
      }
    }
  }
}

// Term d of column j is k[j][d] for j < KEY_LANES and d < dk.
NUM_INLINE void transpose(bool fp16, size_t dk, const uint16_t *const *k, double *restrict kt) {
  for (size_t d = 0; d < dk; d += NUM_BLOCK) {
    const size_t columns = at_most(dk - d, NUM_BLOCK);
    for (size_t j = 0; j < KEY_LANES; j += NUM_BLOCK) {
      double *to = kt + j * dk + d * TILE_COLUMNS;
      if (columns == NUM_BLOCK) {
        transpose_block(fp16, d, NUM_BLOCK, dk, k + j, to);
      } else {
        transpose_block(fp16, d, columns, dk, k + j, to);
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
    const size_t lanes = at_most(attn->keys - s, KEY_LANES);
    const uint16_t *k[KEY_LANES] = {NULL};
    for (size_t j = 0; j < lanes; ++j) {
      k[j] = row_at(attn, attn->k, attn->ldk, s + j);
    }
    (attn->fp16 ? transpose_fp16 : transpose_bf16)(attn->dk, k, w->kt);
    for (size_t g = 0; g < attn->rows; g += TILE_ROWS) {
      const size_t rows = at_most(attn->rows - g, TILE_ROWS);
      widen(attn->fp16, rows * attn->dk, attn->q + g * attn->dk, w->q);
      for (size_t i = 0; i < rows; ++i) {
        memset(w->weight + (g + i) * attn->keys + s, 0, lanes * sizeof *w->weight);
      }
      add_products(rows, lanes, attn->dk, w->q, attn->dk, w->kt, attn->dk * TILE_COLUMNS,
                   w->weight + g * attn->keys + s, attn->keys);
    }
  }
}

static bool sees(const num_attn_t *attn, size_t g, size_t s) {
  return (attn->index == NULL || attn->index[s] >= 0) && (attn->seen == NULL || s < attn->seen[g]) &&
         (attn->visible == NULL || attn->visible[g * attn->keys + s] != 0);
}

// The largest absolute value of the running maxima after each block.
static double largest_maximum(const num_attn_t *attn, const double *score) {
  double max = -INFINITY, largest = 0;
  for (size_t s = 0; s < attn->keys; ++s) {
    max = fmax(max, score[s]);
    if (isfinite(max) && ((s + 1) % attn->block == 0 || s + 1 == attn->keys)) {
      largest = fmax(largest, fabs(max));
    }
  }
  return largest;
}

static double score_of(const num_attn_t *attn, double product) {
  const double score = product * (double)attn->scale, cap = (double)attn->cap;
  return cap == 0.0 ? score : cap * tanh(score / cap);
}

// Row g: the products times scale, capped, -inf where g does not see s, become exp(score - maximum), 0
// where unseen. A sink far above the maximum
// makes the sum infinite and the output 0, which it then is to FP64.
static void exponentials(const num_attn_t *attn, size_t g, golden_t *w, double *lse) {
  double *weight = w->weight + g * attn->keys;
  double max = -INFINITY;
  w->sum[g] = 0.0;
  for (size_t s = 0; s < attn->keys; ++s) {
    weight[s] = sees(attn, g, s) ? score_of(attn, weight[s]) : -INFINITY;
    max = fmax(max, weight[s]);
  }
  if (w->largest != NULL) {
    w->largest[g] = largest_maximum(attn, weight);
  }
  for (size_t s = 0; s < attn->keys; ++s) {
    // Without this a row that sees nothing would have -inf - -inf.
    weight[s] = weight[s] == -INFINITY ? 0.0 : exp(weight[s] - max);
    w->sum[g] += weight[s];
  }
  if (lse != NULL) {
    *lse = w->sum[g] == 0.0 ? INFINITY : max + log(w->sum[g]);
  }
  if (attn->sink != NULL && w->sum[g] > 0.0) {
    w->sum[g] += exp((double)attn->sink[g] - max);
  }
}

// Row t of v; 0 where there is none.
static void widen_value(const num_attn_t *attn, const uint16_t *value, size_t t, golden_t *w) {
  if (value != NULL) {
    widen(attn->fp16, attn->dv, value, w->row);
  } else {
    memset(w->row, 0, attn->dv * sizeof *w->row);
  }
  for (size_t i = 0; i < attn->dv; i += TILE_COLUMNS) {
    memcpy(w->v + i * TERMS + t * TILE_COLUMNS, w->row + i, at_most(attn->dv - i, TILE_COLUMNS) * sizeof *w->row);
  }
}

// out[g] = sum over s of weight[g][s] * v[s], over sum[g].
static void weighted_sums(const num_attn_t *attn, golden_t *w, double *out) {
  for (size_t i = 0; i < attn->rows * attn->dv; ++i) {
    out[i] = 0.0;
  }
  for (size_t s = 0; s < attn->keys; s += TERMS) {
    const size_t terms = at_most(attn->keys - s, TERMS);
    for (size_t t = 0; t < terms; ++t) {
      widen_value(attn, row_at(attn, attn->v, attn->ldv, s + t), t, w);
    }
    for (size_t g = 0; g < attn->rows; g += TILE_ROWS) {
      add_products(at_most(attn->rows - g, TILE_ROWS), attn->dv, terms, w->weight + g * attn->keys + s, attn->keys,
                   w->v, TERMS * TILE_COLUMNS, out + g * attn->dv, attn->dv);
    }
  }
  for (size_t g = 0; g < attn->rows; ++g) {
    for (size_t d = 0; d < attn->dv; ++d) {
      out[g * attn->dv + d] = w->sum[g] == 0.0 ? 0.0 : out[g * attn->dv + d] / w->sum[g];
    }
  }
}

int num_attn_golden(const num_attn_t *attn, double *out) { return num_attn_golden_more(attn, out, NULL, NULL); }

int num_attn_golden_lse(const num_attn_t *attn, double *out, double *lse) {
  return num_attn_golden_more(attn, out, lse, NULL);
}

int num_attn_golden_more(const num_attn_t *attn, double *out, double *lse, double *largest) {
  const size_t rows = attn->rows;
  // One allocation for all of them: one thing that can fail.
  const size_t panels = (attn->dv + TILE_COLUMNS - 1) / TILE_COLUMNS;
  const size_t total =
      attn->dk * (KEY_LANES + TILE_ROWS) + attn->dv + panels * TILE_COLUMNS * TERMS + rows * (attn->keys + 1);
  double *memory = malloc((total + 1) * sizeof *memory);
  if (memory == NULL) {
    return -1;
  }
  golden_t w = {.largest = largest};
  w.q = memory;
  w.kt = w.q + TILE_ROWS * attn->dk;
  w.row = w.kt + attn->dk * KEY_LANES;
  w.v = w.row + attn->dv;
  w.weight = w.v + panels * TILE_COLUMNS * TERMS;
  w.sum = w.weight + rows * attn->keys;
  products(attn, &w);
  for (size_t g = 0; g < rows; ++g) {
    exponentials(attn, g, &w, lse == NULL ? NULL : lse + g);
  }
  weighted_sums(attn, &w, out);
  free(memory);
  return 0;
}
