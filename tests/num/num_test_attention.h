// Shared by the attention tests: one problem with its arrays, and the errors of all variants on it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_NUM_NUM_TEST_ATTENTION_H
#define AMALGAM_TESTS_NUM_NUM_TEST_ATTENTION_H

#include <math.h>

#include "num/golden/num_attention.h"
#include "num_test.h"

// q [rows, dk], kv [keys, dk] with V its first dv columns, as MLA has it.
static inline num_attn_t mla_problem(size_t rows, size_t keys, size_t dk, size_t dv, const uint16_t *q,
                                     const uint16_t *kv) {
  const num_attn_t attn = {.rows = rows,
                           .keys = keys,
                           .dk = dk,
                           .dv = dv,
                           .q = q,
                           .k = kv,
                           .ldk = dk,
                           .v = kv,
                           .ldv = dk,
                           .visible = NULL,
                           .scale = (float)(1.0 / sqrt((double)dk)),
                           .block = 512};
  return attn;
}

// Relative Frobenius error of x [n] against golden, as it is and after the cast to BF16.
typedef struct {
  double before;
  double after;
} relative_t;

static inline relative_t relative_error(const double *golden, const float *x, size_t n) {
  uint16_t *narrow = allocate(n, sizeof *narrow);
  float *cast = allocate(n, sizeof *cast);
  num_error_t error;
  relative_t result;
  num_error(golden, x, n, &error);
  result.before = error.rel_fro;
  num_bf16_from_f32_n(x, narrow, n);
  num_bf16_to_f32_n(narrow, cast, n);
  num_error(golden, cast, n, &error);
  result.after = error.rel_fro;
  free(narrow);
  free(cast);
  return result;
}

#endif  // AMALGAM_TESTS_NUM_NUM_TEST_ATTENTION_H
