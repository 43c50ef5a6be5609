// A row to one value.
// SPDX-License-Identifier: Apache-2.0
#include "core/vector/vector.h"

enum { CHUNK = 64 };  // columns that are folded side by side

// Rows that are summed side by side: each sum is one chain of additions, of which the host can keep
// several going.
enum { SUM_ROWS = 8 };

// The fold max = x > max ? x : max, from the first element.  A NaN is greater than nothing and
// nothing is greater than it, so it stays if it is first and is passed over elsewhere; then the
// order of the others matters only for which of two zeros is met first.
NUM_CLONES
static float max_of_row(const float *x, size_t n) {
  float lane[CHUNK];
  for (size_t j = 0; j < CHUNK; ++j) {
    lane[j] = x[0];
  }
  size_t i = 0;
  for (; n - i >= CHUNK; i += CHUNK) {
    for (size_t j = 0; j < CHUNK; ++j) {
      lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
    }
  }
  for (size_t j = 0; j < n - i; ++j) {
    lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
  }
  for (size_t half = CHUNK / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) {
      lane[j] = lane[j + half] > lane[j] ? lane[j + half] : lane[j];
    }
  }
  if (lane[0] == 0.0f) {
    for (i = 0; x[i] != 0.0f; ++i) {
    }
    return x[i];
  }
  return lane[0];
}

// Left folds of rows rows, each from its first element on.
NUM_INLINE void sum_rows(const uint8_t *x, size_t pitch, size_t rows, size_t n, float *sum) {
  const float *row[SUM_ROWS];
  float acc[SUM_ROWS];
  for (size_t r = 0; r < rows; ++r) {
    row[r] = (const float *)(const void *)(x + r * pitch);
    acc[r] = row[r][0];
  }
  for (size_t i = 1; i < n; ++i) {
    for (size_t r = 0; r < rows; ++r) {
      acc[r] += row[r][i];
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    sum[r] = acc[r];
  }
}

static void row_sums(const uint8_t *x, size_t pitch, size_t rows, size_t n, float *sum) {
  size_t r = 0;
  for (; rows - r >= SUM_ROWS; r += SUM_ROWS) {
    sum_rows(x + r * pitch, pitch, SUM_ROWS, n, sum + r);
  }
  for (; r < rows; ++r) {
    sum_rows(x + r * pitch, pitch, 1, n, sum + r);
  }
}

// The fold of a row to CHUNK lanes, then halves onto halves.
NUM_CLONES
static float tree_of_row(const float *x, size_t n) {
  float lane[CHUNK];
  size_t lanes = smaller(n, CHUNK);
  memcpy(lane, x, lanes * sizeof *lane);
  for (size_t i = CHUNK; i < n; i += CHUNK) {
    const size_t count = smaller(n - i, CHUNK);
    for (size_t j = 0; j < count; ++j) {
      lane[j] += x[i + j];
    }
  }
  for (size_t half = CHUNK / 2; half > 0; half /= 2) {
    for (size_t j = 0; j + half < lanes; ++j) {
      lane[j] += lane[j + half];
    }
    lanes = smaller(lanes, half);
  }
  return lane[0];
}

void core_vec_row_max(const core_vec_tile_t *t) {
  EACH_ROW(t, row) { *(float *)row.dst = max_of_row(row.a, t->cols); }
}

void core_vec_row_sum(const core_vec_tile_t *t) {
  row_sums(t->a, t->a_pitch, t->rows, t->cols, (float *)(void *)t->dst);
}

void core_vec_row_tree(const core_vec_tile_t *t) {
  EACH_ROW(t, row) { *(float *)row.dst = tree_of_row(row.a, t->cols); }
}
