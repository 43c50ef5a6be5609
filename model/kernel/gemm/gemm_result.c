// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm/gemm_result.h"

#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "num/num_w4a16.h"

enum { GOLDEN_AUTO, GOLDEN_FULL, GOLDEN_SAMPLE, GOLDEN_NONE };
enum { SAMPLED_COLS = 256 };
#define GOLDEN_AUTO_FLOPS 4000000000ull

// --- against FP64 -----------------------------------------------------------------------------

static size_t judged_cols(const gemm_result_t *result) {
  const size_t n = result->problem->n;
  const size_t some = n < SAMPLED_COLS ? n : SAMPLED_COLS;
  switch (result->options->gemm_golden.value) {
    case GOLDEN_FULL:
      return n;
    case GOLDEN_SAMPLE:
      return some;
    case GOLDEN_NONE:
      return 0;
    default:
      return gemm_flops(result->problem) <= GOLDEN_AUTO_FLOPS ? n : some;
  }
}

// Spread evenly.
static size_t judged_col(const gemm_result_t *result, size_t i) {
  return i * result->problem->n / result->judged_cols;
}

// The judged columns of B, side by side.
static uint16_t *gather(const gemm_result_t *result) {
  const gemm_problem_t *p = result->problem;
  const size_t cols = result->judged_cols;
  uint16_t *b = malloc(p->k * cols * sizeof *b);
  for (size_t row = 0; b != NULL && row < p->k; ++row) {
    for (size_t i = 0; i < cols; ++i) {
      b[row * cols + i] = p->b[row * p->n + judged_col(result, i)];
    }
  }
  return b;
}

// The output as FP32, whatever the kernel stored.
static float value(const gemm_result_t *result, size_t i) {
  return result->settings->out_f32 ? ((const float *)result->out)[i]
                                   : num_fp16_to_f32(((const uint16_t *)result->out)[i]);
}

static void gather_values(const gemm_result_t *result, float *values) {
  const gemm_problem_t *p = result->problem;
  for (size_t row = 0; row < p->m; ++row) {
    for (size_t i = 0; i < result->judged_cols; ++i) {
      *values++ = value(result, row * p->n + judged_col(result, i));
    }
  }
}

typedef struct product {
  const gemm_problem_t *problem;
  size_t n, splits;
  const uint16_t *b;
  double *golden;
  float *contract;
} product_t;

static bool golden_part(void *context, size_t first, size_t end) {
  const product_t *p = context;
  return num_half_matmul_golden(p->problem->m, p->n, p->problem->k, p->problem->a, p->b, first,
                                end, p->golden);
}

static bool contract_part(void *context, size_t first, size_t end) {
  const product_t *p = context;
  return num_half_matmul(p->problem->m, p->n, p->problem->k, p->splits, p->problem->a, p->b,
                         first, end, p->contract);
}

static bool judge(gemm_result_t *result, base_error_t *error) {
  const gemm_problem_t *p = result->problem;
  const size_t count = p->m * result->judged_cols;
  uint16_t *b = gather(result);
  float *values = malloc(count * sizeof *values);
  product_t product = {.problem = p, .n = result->judged_cols, .b = b,
                       .golden = malloc(count * sizeof *product.golden)};
  const bool good = b != NULL && values != NULL && product.golden != NULL &&
                    parallel_for(result->settings->soc.threads, product.n, golden_part, &product);
  if (good) {
    gather_values(result, values);
    num_error(product.golden, values, count, &result->error);
  }
  free(b);
  free(values);
  free(product.golden);
  return good || base_fail(error, "golden product: out of memory");
}

// --- against the contract ---------------------------------------------------------------------

static bool verify(gemm_result_t *result, base_error_t *error) {
  const gemm_problem_t *p = result->problem;
  const size_t count = p->m * p->n;
  product_t product = {.problem = p, .n = p->n, .splits = result->settings->splits, .b = p->b,
                       .contract = malloc(count * sizeof *product.contract)};
  if (product.contract == NULL ||
      !parallel_for(result->settings->soc.threads, p->n, contract_part, &product)) {
    free(product.contract);
    return base_fail(error, "--verify: out of memory");
  }
  const uint32_t *got_f32 = result->out;
  const uint16_t *got_f16 = result->out;
  for (size_t i = 0; i < count; ++i) {
    result->wrong_bits += result->settings->out_f32
                              ? got_f32[i] != num_f32_bits(product.contract[i])
                              : got_f16[i] != num_fp16_from_f32(product.contract[i]);
  }
  for (size_t i = 0; result->b != NULL && i < p->k * p->n; ++i) {
    result->wrong_weights += result->b[i] != p->b[i];
  }
  free(product.contract);
  result->verified = true;
  return true;
}

bool gemm_result_judge(gemm_result_t *result, base_error_t *error) {
  const options_t *options = result->options;
  const double usual = result->settings->out_f32 ? GEMM_TOLERANCE_F32 : GEMM_TOLERANCE_F16;
  result->tolerance = options->tolerance.given ? options->tolerance.value : usual;
  result->judged_cols = judged_cols(result);
  return (result->judged_cols == 0 || judge(result, error)) &&
         (!options->verify || verify(result, error));
}

base_exit_t gemm_result_verdict(const gemm_result_t *result, base_error_t *error) {
  const gemm_problem_t *p = result->problem;
  if (result->wrong_weights != 0) {
    base_fail(error, "%zu of %zu dequantised weights differ from the contract's",
              result->wrong_weights, p->k * p->n);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->wrong_bits != 0) {
    base_fail(error, "%zu of %zu output elements differ from the contract's", result->wrong_bits,
              p->m * p->n);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->judged_cols > 0 && !(result->error.rel_fro <= result->tolerance)) {
    base_fail(error, "relative error %.3g is out of tolerance, %.3g", result->error.rel_fro,
              result->tolerance);
    return BASE_OUT_OF_TOLERANCE;
  }
  return BASE_OK;
}

void gemm_result_free(gemm_result_t *result) {
  free(result->out);
  free(result->b);
  soc_result_free(&result->run.soc);
  result->out = NULL;
  result->b = NULL;
}
