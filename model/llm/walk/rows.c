// SPDX-License-Identifier: Apache-2.0
#include "llm/walk/rows.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "num/num_isa.h"

enum { CHUNK = 1024, LANES = 8, TOKENS = 4, SMALL = 1 << 20 };

bool rows_read(const checkpoint_tensor_t *w, size_t first, size_t rows, double *out, base_error_t *error) {
  float part[CHUNK];
  const size_t begin = first * checkpoint_columns(w), count = rows * checkpoint_columns(w);
  for (size_t done = 0; done < count; done += CHUNK) {
    const size_t n = count - done < CHUNK ? count - done : CHUNK;
    if (!checkpoint_read(w, begin + done, n, CHECKPOINT_FP32, part, error)) {
      return false;
    }
    for (size_t i = 0; i < n; ++i) {
      out[done + i] = (double)part[i];
    }
  }
  return true;
}

// --- products ---------------------------------------------------------------------------------

typedef struct product {
  const checkpoint_tensor_t *w;
  const double *x;
  size_t n, in, out;
  double *y;
  base_error_t *error;
  atomic_flag told;  // one thread alone says what went wrong
} product_t;

// LANES outputs side by side, of some tokens at a time, so that neighbours in the inner loop are independent and each
// sum goes in order.
typedef double lanes_t __attribute__((vector_size(LANES * sizeof(double))));

NUM_INLINE void multiply_tokens(const product_t *p, const lanes_t *w, size_t first, size_t count, size_t token,
                                size_t tokens) {
  const double *x = p->x + token * p->in;
  lanes_t sum[TOKENS] = {{0}};
  for (size_t k = 0; k < p->in; ++k) {
    for (size_t t = 0; t < tokens; ++t) {
      sum[t] += x[t * p->in + k] * w[k];
    }
  }
  for (size_t t = 0; t < tokens; ++t) {
    memcpy(p->y + (token + t) * p->out + first, &sum[t], count * sizeof(double));
  }
}

NUM_CLONES static void multiply_lanes(const product_t *p, const lanes_t *w, size_t first, size_t count) {
  size_t token = 0;
  for (; token + TOKENS <= p->n; token += TOKENS) {
    multiply_tokens(p, w, first, count, token, TOKENS);
  }
  for (; token < p->n; ++token) {
    multiply_tokens(p, w, first, count, token, 1);
  }
}

// w[k][r] = rows[r][k]
NUM_CLONES static void transpose(const float *rows, size_t in, lanes_t *w) {
  for (size_t k = 0; k < in; ++k) {
    for (size_t r = 0; r < LANES; ++r) {
      w[k][r] = (double)rows[r * in + k];  // of rows beyond the end: not stored
    }
  }
}

static bool multiply_rows(product_t *p, size_t first, size_t end, base_error_t *error) {
  float *rows = calloc(p->in * LANES, sizeof *rows);
  lanes_t *w = aligned_alloc(sizeof *w, p->in * sizeof *w);
  bool good = (rows != NULL && w != NULL) || base_fail(error, "out of memory");
  for (size_t row = first; good && row < end; row += LANES) {
    const size_t count = end - row < LANES ? end - row : LANES;
    good = checkpoint_read(p->w, row * p->in, count * p->in, CHECKPOINT_FP32, rows, error);
    if (good) {
      transpose(rows, p->in, w);
      multiply_lanes(p, w, row, count);
    }
  }
  free(rows);
  free(w);
  return good;
}

static bool multiply(void *context, size_t first, size_t end) {
  product_t *p = context;
  base_error_t error;
  const bool good = multiply_rows(p, first, end, &error);
  if (!good && !atomic_flag_test_and_set(&p->told)) {
    *p->error = error;
  }
  return good;
}

bool rows_product(const checkpoint_tensor_t *w, const double *x, size_t n, double *y, size_t threads,
                  base_error_t *error) {
  product_t p = {.w = w,
                 .x = x,
                 .n = n,
                 .in = checkpoint_columns(w),
                 .out = checkpoint_rows(w),
                 .y = y,
                 .error = error,
                 .told = ATOMIC_FLAG_INIT};
  return parallel_for(p.in * p.out * n < SMALL ? 1 : threads, p.out, multiply, &p);
}

// --- single rows ------------------------------------------------------------------------------

static void rmsnorm_row(const double *w, double eps, const double *x, size_t columns, double *y) {
  double sum = 0.0;
  for (size_t i = 0; i < columns; ++i) {
    sum += x[i] * x[i];
  }
  const double scale = 1.0 / sqrt(sum / (double)columns + eps);
  for (size_t i = 0; i < columns; ++i) {
    y[i] = x[i] * scale * w[i];
  }
}

bool rows_rmsnorm(const checkpoint_tensor_t *w, double eps, const double *x, size_t n, size_t stride, double *y,
                  base_error_t *error) {
  const size_t columns = checkpoint_columns(w);
  double *weights = calloc(columns, sizeof *weights);
  const bool good = weights != NULL ? rows_read(w, 0, 1, weights, error) : base_fail(error, "out of memory");
  for (size_t t = 0; good && t < n; ++t) {
    rmsnorm_row(weights, eps, x + t * stride, columns, y + t * stride);
  }
  free(weights);
  return good;
}

void rows_rope(double *x, size_t dim, const checkpoint_rope_t *rope, size_t position, size_t context) {
  const double magnitude = checkpoint_rope_magnitude(rope);
  for (size_t i = 0; i < dim; i += 2) {
    const double angle = (double)position * checkpoint_rope_turn(rope, dim, i / 2, context);
    const double a = x[i] * magnitude, b = x[i + 1] * magnitude;
    x[i] = a * cos(angle) - b * sin(angle);
    x[i + 1] = a * sin(angle) + b * cos(angle);
  }
}

void rows_rope_halves(double *x, size_t dim, const checkpoint_rope_t *rope, size_t position, size_t context) {
  const double magnitude = checkpoint_rope_magnitude(rope);
  for (size_t i = 0; i < dim / 2; ++i) {
    const double angle = (double)position * checkpoint_rope_turn(rope, dim, i, context);
    const double a = x[i] * magnitude, b = x[dim / 2 + i] * magnitude;
    x[i] = a * cos(angle) - b * sin(angle);
    x[dim / 2 + i] = a * sin(angle) + b * cos(angle);
  }
}
