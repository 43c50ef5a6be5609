// SPDX-License-Identifier: Apache-2.0
#include "num/golden/num_w4a16.h"

#include <math.h>
#include <stdlib.h>

#include "num/num_isa.h"

// The difference has at most 28 bits and the product 39: both are exact in FP64.
num_fp16_t num_w4_value(int w, num_fp16_t scale, num_fp16_t zero) {
  return num_fp16_from_f64((double)num_fp16_to_f32(scale) * ((double)w - (double)num_fp16_to_f32(zero)));
}

static int nibble(const num_w4_t *weights, size_t row, size_t col) {
  const int value = num_int4_get(weights->w[row * (weights->n / 8) + col / 8], col % 8);
  return weights->is_unsigned ? value & 15 : value;
}

double num_w4_exact(const num_w4_t *weights, size_t row, size_t col) {
  const size_t of = row / weights->group * weights->n + col;
  const double zero = weights->zero == NULL ? 0.0 : (double)num_fp16_to_f32(weights->zero[of]);
  return (double)num_fp16_to_f32(weights->scale[of]) * ((double)nibble(weights, row, col) - zero);
}

void num_w4_dequantise(const num_w4_t *weights, num_fp16_t *b) {
  const size_t n = weights->n;
  for (size_t p = 0; p < weights->k; ++p) {
    const size_t of = p / weights->group * n;
    for (size_t j = 0; j < n; ++j) {
      b[p * n + j] = num_w4_value(nibble(weights, p, j), weights->scale[of + j],
                                  weights->zero == NULL ? 0 : weights->zero[of + j]);
    }
  }
}

bool num_w4_half_zero(num_fp16_t zero, bool is_unsigned) {
  const int lowest = is_unsigned ? 0 : -8;
  for (int w = lowest; w < lowest + 16; ++w) {
    const double difference = (double)w - (double)num_fp16_to_f32(zero);
    if ((double)num_fp16_to_f32(num_fp16_from_f64(difference)) != difference) {
      return false;
    }
  }
  return true;
}

// Rows of c are independent, and so are columns: the innermost loops go over columns.
NUM_CLONES
static void add_chain(size_t n, float a, const float *restrict b, float *restrict sum) {
  for (size_t j = 0; j < n; ++j) {
    sum[j] = fmaf(a, b[j], sum[j]);
  }
}

NUM_CLONES
static void add_products(size_t n, double a, const float *restrict b, double *restrict sum) {
  for (size_t j = 0; j < n; ++j) {
    sum[j] += a * (double)b[j];
  }
}

static void add_slice(size_t m, size_t n, const float *slice, float *c, size_t ldc) {
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      c[i * ldc + j] += slice[i * n + j];
    }
  }
}

static void copy_slice(size_t m, size_t n, const float *slice, float *c, size_t ldc) {
  for (size_t i = 0; i < m; ++i) {
    memcpy(c + i * ldc, slice + i * n, n * sizeof *c);
  }
}

static float wide(num_half_t type, uint16_t value) {
  return type == NUM_HALF_FP16 ? num_fp16_to_f32(value) : num_bf16_to_f32(value);
}

static void widen(num_half_t type, const uint16_t *from, float *to, size_t n) {
  if (type == NUM_HALF_FP16) {
    num_fp16_to_f32_n(from, to, n);
  } else {
    num_bf16_to_f32_n(from, to, n);
  }
}

bool num_half_matmul(num_half_t type, size_t m, size_t n, size_t k, size_t splits, const uint16_t *a, const uint16_t *b,
                     size_t first, size_t end, float *c) {
  const size_t cols = end - first;
  float *row = malloc(cols * sizeof *row);
  float *slice = malloc(m * cols * sizeof *slice);
  const bool good = row != NULL && slice != NULL;
  for (size_t s = 0; good && s < splits; ++s) {
    memset(slice, 0, m * cols * sizeof *slice);
    for (size_t p = num_w4_slice(k, splits, s); p < num_w4_slice(k, splits, s + 1); ++p) {
      widen(type, b + p * n + first, row, cols);
      for (size_t i = 0; i < m; ++i) {
        add_chain(cols, wide(type, a[i * k + p]), row, slice + i * cols);
      }
    }
    if (s == 0) {
      copy_slice(m, cols, slice, c + first, n);
    } else {
      add_slice(m, cols, slice, c + first, n);
    }
  }
  free(row);
  free(slice);
  return good;
}

bool num_half_matmul_golden(num_half_t type, size_t m, size_t n, size_t k, const uint16_t *a, const uint16_t *b,
                            size_t first, size_t end, double *c) {
  const size_t cols = end - first;
  float *row = malloc(cols * sizeof *row);
  if (row == NULL) {
    return false;
  }
  for (size_t i = 0; i < m; ++i) {
    memset(c + i * n + first, 0, cols * sizeof *c);
  }
  for (size_t p = 0; p < k; ++p) {
    widen(type, b + p * n + first, row, cols);
    for (size_t i = 0; i < m; ++i) {
      add_products(cols, (double)wide(type, a[i * k + p]), row, c + i * n + first);
    }
  }
  free(row);
  return true;
}
