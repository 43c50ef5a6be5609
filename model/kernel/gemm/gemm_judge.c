// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "kernel/gemm/gemm.h"
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
  answer.fp64 = exact_columns;
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
  const bool bf16 = p->type == NUM_HALF_BF16;
  const bool f32 = run->settings.out_f32;
  return (judge_answer_t){.array = "c",
                          .out = run->out,
                          .type = f32    ? JUDGE_F32
                                  : bf16 ? JUDGE_BF16
                                         : JUDGE_FP16,
                          .groups = 1,
                          .rows = p->n,
                          .columns = p->m,
                          .span = p->n,
                          .transposed = true,
                          .operations = 2.0 * (double)p->m * (double)p->k,
                          .tolerance = f32    ? GEMM_TOLERANCE_F32
                                       : bf16 ? GEMM_TOLERANCE_BF16
                                              : GEMM_TOLERANCE_F16,
                          .threads = run->settings.machine.soc.threads,
                          .run = run,
                          .fp64 = fp64_columns,
                          .contract = contract_columns,
                          .found = p->quantised ? compare_exact : NULL};
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
