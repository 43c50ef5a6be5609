// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "kernel/gemm/gemm.h"
#include "kernel/gemm/w8a8.h"
#include "num/golden/num_s8.h"
#include "num/num_format.h"
#include "num/golden/num_w4a16.h"

// These columns of B, side by side. The caller frees them; NULL: out of memory.
static uint16_t *gather_columns(const gemm_problem_t *p, const size_t *column, size_t count) {
  uint16_t *b = malloc(p->k * count * sizeof *b);
  for (size_t row = 0; b != NULL && row < p->k; ++row) {
    for (size_t i = 0; i < count; ++i) {
      b[row * count + i] = p->b[row * p->n + column[i]];
    }
  }
  return b;
}

static bool fp64_columns(void *run, const size_t *column, size_t count, size_t at, double *golden) {
  const gemm_problem_t *p = &((const gemm_run_t *)run)->problem;
  uint16_t *b = gather_columns(p, column, count);
  (void)at;
  const bool good = b != NULL && num_half_matmul_golden(p->type, p->m, count, p->k, p->a, b, 0, count, golden);
  free(b);
  return good;
}

static bool contract_columns(void *context, const size_t *column, size_t count, size_t at, float *want) {
  const gemm_run_t *run = context;
  const gemm_problem_t *p = &run->problem;
  uint16_t *b = gather_columns(p, column, count);
  (void)at;
  const bool good =
      b != NULL && num_half_matmul(p->type, p->m, count, p->k, run->settings.splits, p->a, b, 0, count, want);
  free(b);
  return good;
}

// A column's sums of 8-bit integers. NULL: out of memory; the caller frees them.
static int32_t *sums_of(const gemm_problem_t *p, size_t column) {
  int8_t *b = malloc(p->k);
  int32_t *sum = malloc(p->m * sizeof *sum);
  for (size_t row = 0; b != NULL && row < p->k; ++row) {
    b[row] = p->b_s8[row * p->n + column];
  }
  if (b != NULL && sum != NULL) {
    num_s8_column(p->m, p->k, p->a_s8, b, sum);
  }
  const bool good = b != NULL;
  free(b);
  if (!good) {
    free(sum);
    return NULL;
  }
  return sum;
}

// Exact, where the contract's sums wrap.
static bool fp64_columns_s8(void *run, const size_t *column, size_t count, size_t at, double *golden) {
  const gemm_problem_t *p = &((const gemm_run_t *)run)->problem;
  (void)at;
  for (size_t i = 0; i < p->m; ++i) {
    for (size_t j = 0; j < count; ++j) {
      int64_t sum = 0;
      for (size_t row = 0; row < p->k; ++row) {
        sum += p->a_s8[i * p->k + row] * p->b_s8[row * p->n + column[j]];
      }
      golden[i * count + j] = (double)sum * (p->scaled ? (double)p->column_scale[column[j]] : 1);
    }
  }
  return true;
}

static bool contract_columns_s8(void *run, const size_t *column, size_t count, size_t at, float *want) {
  const gemm_problem_t *p = &((const gemm_run_t *)run)->problem;
  (void)at;
  for (size_t j = 0; j < count; ++j) {
    int32_t *sum = sums_of(p, column[j]);
    for (size_t i = 0; sum != NULL && i < p->m; ++i) {
      const float scaled = (float)sum[i] * (p->scaled ? p->column_scale[column[j]] : 1);
      memcpy(&want[i * count + j], p->scaled ? (const void *)&scaled : &sum[i], sizeof *want);
    }
    free(sum);
    if (sum == NULL) {
      return false;
    }
  }
  return true;
}

// The same with weights that nobody has rounded to FP16.
static bool exact_columns(void *run, const size_t *column, size_t count, size_t at, double *golden) {
  const gemm_problem_t *p = &((const gemm_run_t *)run)->problem;
  const num_w4_t weights = gemm_weights(p);
  (void)at;
  for (size_t row = 0; row < p->k; ++row) {
    for (size_t j = 0; j < count; ++j) {
      const double weight = num_w4_exact(&weights, row, column[j]);
      for (size_t i = 0; i < p->m; ++i) {
        golden[i * count + j] += (double)num_fp16_to_f32(p->a[i * p->k + row]) * weight;
      }
    }
  }
  return true;
}

static bool compare_exact(void *context, const double *rounded, const float *values, size_t columns) {
  gemm_run_t *run = context;
  judge_answer_t answer = gemm_answer(&run->kernel);
  double *golden = malloc(columns * run->problem.m * sizeof *golden);
  (void)rounded;
  answer.fp64 = run->problem.w8a8 ? w8a8_exact : exact_columns;
  run->has_exact = golden != NULL && judge_fp64(&answer, columns, golden);
  if (run->has_exact) {
    num_error(golden, values, columns * run->problem.m, &run->exact_error);
  }
  free(golden);
  return run->has_exact;
}

// Judged are columns: what is dear is B.
judge_answer_t gemm_answer(kernel_run_t *kernel) {
  gemm_run_t *run = (gemm_run_t *)kernel;
  const gemm_problem_t *p = &run->problem;
  static const struct {
    judge_type_t type;
    double tolerance;
  } of[] = {[TYPE_F32] = {JUDGE_F32, GEMM_TOLERANCE_F32},
            [TYPE_BF16] = {JUDGE_BF16, GEMM_TOLERANCE_BF16},
            [TYPE_F16] = {JUDGE_FP16, GEMM_TOLERANCE_F16},
            [TYPE_S32] = {JUDGE_S32, GEMM_TOLERANCE_F32}};
  const unsigned type = gemm_result_type(p, &run->settings);
  return (judge_answer_t){.array = "c",
                          .out = run->out,
                          .type = of[type].type,
                          .groups = 1,
                          .rows = p->n,
                          .columns = p->m,
                          .span = p->n,
                          .transposed = true,
                          .operations = 2.0 * (double)p->m * (double)p->k,
                          .tolerance = of[type].tolerance,
                          .threads = run->settings.machine.soc.threads,
                          .run = run,
                          .fp64 = p->s8     ? fp64_columns_s8
                                  : p->w8a8 ? w8a8_fp64
                                            : fp64_columns,
                          .contract = p->s8     ? contract_columns_s8
                                      : p->w8a8 ? w8a8_contract
                                                : contract_columns,
                          .found = p->quantised || p->w8a8 ? compare_exact : NULL};
}

bool gemm_judge(kernel_run_t *kernel, base_error_t *error) {
  gemm_run_t *run = (gemm_run_t *)kernel;
  const gemm_problem_t *p = &run->problem;
  for (size_t i = 0; kernel->judge.verify && run->b != NULL && i < p->k * p->n; ++i) {
    run->wrong_weights += run->b[i] != p->b[i];
  }
  return kernel_compare(kernel, error);
}

base_exit_t gemm_verdict(const kernel_run_t *kernel, base_error_t *error) {
  const gemm_run_t *run = (const gemm_run_t *)kernel;
  if (run->wrong_weights != 0) {
    base_fail(error, "%zu of %zu dequantised weights differ from the contract's", run->wrong_weights,
              run->problem.k * run->problem.n);
    return BASE_OUT_OF_TOLERANCE;
  }
  return kernel_result_verdict(&run->kernel.result, "output elements", error);
}
