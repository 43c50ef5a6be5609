// SPDX-License-Identifier: Apache-2.0
#include "decode/walk_ops.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "host/parallel.h"

enum { CHUNK = 1024, LANES = 8, SMALL = 1 << 20 };

bool walk_read(const checkpoint_tensor_t *w, size_t first, size_t rows, double *out, base_error_t *error) {
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
  atomic_flag told;             // one thread alone says what went wrong
} product_t;

// LANES outputs side by side, so that neighbours in the inner loop are independent and each sum goes in order.
static void multiply_lanes(const product_t *p, const double *lanes, size_t first, size_t count) {
  for (size_t t = 0; t < p->n; ++t) {
    const double *x = p->x + t * p->in;
    double sum[LANES] = {0};
    for (size_t k = 0; k < p->in; ++k) {
      for (size_t r = 0; r < LANES; ++r) {
        sum[r] += x[k] * lanes[k * LANES + r];
      }
    }
    for (size_t r = 0; r < count; ++r) {
      p->y[t * p->out + first + r] = sum[r];
    }
  }
}

static bool multiply_rows(product_t *p, size_t first, size_t end, base_error_t *error) {
  float *rows = calloc(p->in * LANES, sizeof *rows);
  double *lanes = calloc(p->in * LANES, sizeof *lanes);
  bool good = (rows != NULL && lanes != NULL) || base_fail(error, "out of memory");
  for (size_t row = first; good && row < end; row += LANES) {
    const size_t count = end - row < LANES ? end - row : LANES;
    good = checkpoint_read(p->w, row * p->in, count * p->in, CHECKPOINT_FP32, rows, error);
    for (size_t k = 0; good && k < p->in; ++k) {
      for (size_t r = 0; r < LANES; ++r) {
        lanes[k * LANES + r] = (double)rows[r * p->in + k];   // of rows beyond the end: not stored
      }
    }
    if (good) {
      multiply_lanes(p, lanes, row, count);
    }
  }
  free(rows);
  free(lanes);
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

bool walk_product(const checkpoint_tensor_t *w, const double *x, size_t n, double *y, size_t threads,
                  base_error_t *error) {
  product_t p = {.w = w, .x = x, .n = n, .in = checkpoint_columns(w), .out = checkpoint_rows(w), .y = y, .error = error,
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

bool walk_rmsnorm(const checkpoint_tensor_t *w, double eps, const double *x, size_t n, size_t stride, double *y,
                  base_error_t *error) {
  const size_t columns = checkpoint_columns(w);
  double *weights = calloc(columns, sizeof *weights);
  const bool good = weights != NULL ? walk_read(w, 0, 1, weights, error) : base_fail(error, "out of memory");
  for (size_t t = 0; good && t < n; ++t) {
    rmsnorm_row(weights, eps, x + t * stride, columns, y + t * stride);
  }
  free(weights);
  return good;
}

void walk_rope(double *x, size_t dim, double theta, size_t position) {
  for (size_t i = 0; i < dim; i += 2) {
    const double angle = (double)position * pow(theta, -(double)i / (double)dim);
    const double a = x[i], b = x[i + 1];
    x[i] = a * cos(angle) - b * sin(angle);
    x[i + 1] = a * sin(angle) + b * cos(angle);
  }
}

void walk_swiglu(double *gate, const double *up, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    gate[i] = gate[i] / (1.0 + exp(-gate[i])) * up[i];
  }
}
