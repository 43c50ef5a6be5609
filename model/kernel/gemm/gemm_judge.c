// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm/gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "num/num_w4a16.h"

enum { SAMPLED_COLS = 256 };
#define GOLDEN_AUTO_FLOPS 4000000000ull

// --- against FP64 -----------------------------------------------------------------------------

static size_t judged_cols(const gemm_run_t *run) {
  const size_t n = run->problem.n;
  const size_t some = n < SAMPLED_COLS ? n : SAMPLED_COLS;
  switch (run->judge.golden) {
    case GOLDEN_FULL:
      return n;
    case GOLDEN_SAMPLE:
      return some;
    case GOLDEN_NONE:
      return 0;
    default:
      return gemm_flops(&run->problem) <= GOLDEN_AUTO_FLOPS ? n : some;
  }
}

// Spread evenly.
static size_t judged_col(const gemm_run_t *run, size_t i) { return i * run->problem.n / run->result.judged; }

// The judged columns of B, side by side.
static uint16_t *gather(const gemm_run_t *run) {
  const gemm_problem_t *p = &run->problem;
  const size_t cols = run->result.judged;
  uint16_t *b = malloc(p->k * cols * sizeof *b);
  for (size_t row = 0; b != NULL && row < p->k; ++row) {
    for (size_t i = 0; i < cols; ++i) {
      b[row * cols + i] = p->b[row * p->n + judged_col(run, i)];
    }
  }
  return b;
}

static float of_half(const gemm_run_t *run, uint16_t bits) {
  return run->problem.type == NUM_HALF_BF16 ? num_bf16_to_f32(bits) : num_fp16_to_f32(bits);
}

static uint16_t to_half(const gemm_run_t *run, float value) {
  return run->problem.type == NUM_HALF_BF16 ? num_bf16_from_f32(value) : num_fp16_from_f32(value);
}

// The output as FP32, whatever the kernel stored.
static float value(const gemm_run_t *run, size_t i) {
  return run->settings.out_f32 ? ((const float *)run->out)[i] : of_half(run, ((const uint16_t *)run->out)[i]);
}

static void gather_values(const gemm_run_t *run, float *values) {
  const gemm_problem_t *p = &run->problem;
  for (size_t row = 0; row < p->m; ++row) {
    for (size_t i = 0; i < run->result.judged; ++i) {
      *values++ = value(run, row * p->n + judged_col(run, i));
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
  return num_half_matmul_golden(p->problem->type, p->problem->m, p->n, p->problem->k, p->problem->a, p->b, first, end,
                                p->golden);
}

static bool contract_part(void *context, size_t first, size_t end) {
  const product_t *p = context;
  return num_half_matmul(p->problem->type, p->problem->m, p->n, p->problem->k, p->splits, p->problem->a, p->b, first,
                         end, p->contract);
}

static bool judge(gemm_run_t *run, base_error_t *error) {
  const gemm_problem_t *p = &run->problem;
  const size_t count = p->m * run->result.judged;
  uint16_t *b = gather(run);
  float *values = malloc(count * sizeof *values);
  product_t product = {.problem = p, .n = run->result.judged, .b = b, .golden = malloc(count * sizeof *product.golden)};
  const bool good = b != NULL && values != NULL && product.golden != NULL &&
                    parallel_for(run->settings.machine.soc.threads, product.n, golden_part, &product);
  if (good) {
    gather_values(run, values);
    num_error(product.golden, values, count, &run->result.error);
  }
  free(b);
  free(values);
  free(product.golden);
  return good || base_fail(error, "golden product: out of memory");
}

// --- against the contract ---------------------------------------------------------------------

static bool verify(gemm_run_t *run, base_error_t *error) {
  const gemm_problem_t *p = &run->problem;
  const size_t count = p->m * p->n;
  product_t product = {.problem = p,
                       .n = p->n,
                       .splits = run->settings.splits,
                       .b = p->b,
                       .contract = malloc(count * sizeof *product.contract)};
  if (product.contract == NULL || !parallel_for(run->settings.machine.soc.threads, p->n, contract_part, &product)) {
    free(product.contract);
    return base_fail(error, "--verify: out of memory");
  }
  const uint32_t *got_f32 = run->out;
  const uint16_t *got_half = run->out;
  for (size_t i = 0; i < count; ++i) {
    const float sum = product.contract[i];
    run->result.wrong_bits +=
        run->settings.out_f32 ? got_f32[i] != num_f32_bits(sum) : got_half[i] != to_half(run, sum);
  }
  for (size_t i = 0; run->b != NULL && i < p->k * p->n; ++i) {
    run->wrong_weights += run->b[i] != p->b[i];
  }
  free(product.contract);
  run->result.verified = true;
  return true;
}

bool gemm_expected(const gemm_run_t *run, bool golden, kernel_expected_t *expected, base_error_t *error) {
  const gemm_problem_t *p = &run->problem;
  const size_t count = p->m * p->n;
  *expected = (kernel_expected_t){.array = "c",
                                  .by = golden ? "FP64" : "the contract",
                                  .count = count,
                                  .want = malloc(count * sizeof *expected->want)};
  product_t product = {.problem = p,
                       .n = p->n,
                       .splits = run->settings.splits,
                       .b = p->b,
                       .golden = expected->want,
                       .contract = golden ? NULL : malloc(count * sizeof *product.contract)};
  const bool good =
      expected->want != NULL && (golden || product.contract != NULL) &&
      parallel_for(run->settings.machine.soc.threads, p->n, golden ? golden_part : contract_part, &product);
  for (size_t i = 0; good && !golden && i < count; ++i) {
    const float sum = product.contract[i];
    expected->want[i] = (double)(run->settings.out_f32 ? sum : of_half(run, to_half(run, sum)));
  }
  free(product.contract);
  return good || base_fail(error, "expected result: out of memory");
}

bool gemm_judge(gemm_run_t *run, base_error_t *error) {
  kernel_result_t *result = &run->result;
  const double usual = run->settings.out_f32                ? GEMM_TOLERANCE_F32
                       : run->problem.type == NUM_HALF_BF16 ? GEMM_TOLERANCE_BF16
                                                            : GEMM_TOLERANCE_F16;
  if (run->settings.machine.soc.timing_only) {
    return true;
  }
  result->tolerance = isnan(run->judge.tolerance) ? usual : run->judge.tolerance;
  result->elements = run->problem.m * run->problem.n;
  result->judged = judged_cols(run);
  result->judged_of = run->problem.n;
  return (result->judged == 0 || judge(run, error)) && (!run->judge.verify || verify(run, error));
}

base_exit_t gemm_verdict(const gemm_run_t *run, base_error_t *error) {
  if (run->wrong_weights != 0) {
    base_fail(error, "%zu of %zu dequantised weights differ from the contract's", run->wrong_weights,
              run->problem.k * run->problem.n);
    return BASE_OUT_OF_TOLERANCE;
  }
  return kernel_result_verdict(&run->result, "output elements", error);
}
