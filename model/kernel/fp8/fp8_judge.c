// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attention/attention.h"
#include "kernel/fp8/fp8_golden.h"
#include "num/num_format.h"

// What rounding of scores does to one is far smaller, even for scores in the hundreds.
#define LSE_TOLERANCE 1e-3

// --- the judged rows --------------------------------------------------------------------------

// Row `row` of all lists' as FP32 values, whatever the kernel stored.
static void row_values(const fp8_run_t *run, size_t row, float *values) {
  if (run->settings.attention.out_f32) {
    memcpy(values, (const float *)run->out + row * FP8_VALUES, FP8_VALUES * sizeof *values);
  } else {
    num_bf16_to_f32_n((const uint16_t *)run->out + row * FP8_VALUES, values, FP8_VALUES);
  }
}

// The judged rows of the output and their log-sum-exps, as the golden orders them.
static void judged_values(const fp8_run_t *run, float *values, float *lse) {
  const fp8_problem_t *problem = &run->problem;
  for (size_t list = 0; list < fp8_lists(problem); ++list) {
    for (size_t i = 0; i < run->judged_rows; ++i) {
      const size_t row = list * fp8_list_rows(problem) + fp8_golden_row(problem, run->judged_rows, list, i);
      const size_t at = list * run->judged_rows + i;
      row_values(run, row, values + at * FP8_VALUES);
      lse[at] = run->lse[row];
    }
  }
}

// The smaller of both ratios; NaN is no number's neighbour.
static double margin_of(double difference, double golden, double absolute, double relative) {
  const double a = difference / absolute;
  const double r = difference / (relative * (fabs(golden) + 1e-6));
  return isnan(difference) ? INFINITY : fmin(a, r);
}

static void compare_lse(fp8_run_t *run, const fp8_golden_t *golden, const float *lse, size_t rows) {
  for (size_t i = 0; i < rows; ++i) {
    const bool both_empty = isinf(golden->lse[i]) && golden->lse[i] == (double)lse[i];
    const double difference = both_empty ? 0 : fabs((double)lse[i] - golden->lse[i]);
    const double margin = margin_of(difference, golden->lse[i], 1e-6, 8.01 / 65536);
    run->lse_error = difference > run->lse_error || isnan(difference) ? difference : run->lse_error;
    run->margin.lse = fmax(run->margin.lse, margin);
  }
}

static void compare(fp8_run_t *run, const fp8_golden_t *golden, const float *values, const float *lse) {
  const size_t rows = fp8_lists(&run->problem) * run->judged_rows;
  num_error(golden->out, values, rows * FP8_VALUES, &run->result.error);
  for (size_t i = 0; i < rows * FP8_VALUES; ++i) {
    const double difference = fabs((double)values[i] - golden->out[i]);
    const double margin = margin_of(difference, golden->out[i], 1e-3, 2.01 / 128);
    run->margin.out = fmax(run->margin.out, margin);
  }
  run->margin.cos_diff = run->result.error.cos_diff / 5e-6;
  compare_lse(run, golden, lse, rows);
}

static bool judge_values(fp8_run_t *run, const float *values, const float *lse) {
  const fp8_problem_t *problem = &run->problem;
  const size_t threads = run->settings.attention.machine.soc.threads;
  const size_t count = fp8_lists(problem) * run->judged_rows * FP8_VALUES;
  fp8_golden_t golden = {0};
  bool good = fp8_golden(problem, FP8_FROM_TOKENS, run->judged_rows, threads, &golden);
  if (good) {
    compare(run, &golden, values, lse);
  }
  fp8_golden_free(&golden);
  run->has_bf16 = problem->keys != NULL;
  if (good && run->has_bf16) {
    good = fp8_golden(problem, FP8_FROM_KEYS, run->judged_rows, threads, &golden);
    if (good) {
      num_error(golden.out, values, count, &run->bf16_error);
    }
    fp8_golden_free(&golden);
  }
  return good;
}

static bool judge(fp8_run_t *run, base_error_t *error) {
  const size_t rows = fp8_lists(&run->problem) * run->judged_rows;
  float *values = malloc(rows * FP8_VALUES * sizeof *values);
  float *lse = malloc(rows * sizeof *lse);
  bool good = values != NULL && lse != NULL;
  if (good) {
    judged_values(run, values, lse);
    good = judge_values(run, values, lse);
  }
  free(values);
  free(lse);
  return good || base_fail(error, "golden attention: out of memory");
}

// --- bits -------------------------------------------------------------------------------------

// Differing elements; a NaN equals only the same NaN, +0 is not -0.
static size_t differing(const fp8_run_t *run, const float *out, const float *lse) {
  const uint32_t *got_f32 = run->out;
  const uint16_t *got_bf16 = run->out;
  size_t wrong = 0;
  for (size_t i = 0; i < fp8_out_count(&run->problem); ++i) {
    wrong +=
        run->settings.attention.out_f32 ? got_f32[i] != num_f32_bits(out[i]) : got_bf16[i] != num_bf16_from_f32(out[i]);
  }
  for (size_t i = 0; i < fp8_rows(&run->problem); ++i) {
    wrong += num_f32_bits(run->lse[i]) != num_f32_bits(lse[i]);
  }
  return wrong;
}

static bool verify(fp8_run_t *run, base_error_t *error) {
  float *out = malloc(fp8_out_count(&run->problem) * sizeof *out);
  float *lse = malloc(fp8_rows(&run->problem) * sizeof *lse);
  const bool good =
      out != NULL && lse != NULL && fp8_contract(&run->problem, run->settings.attention.machine.soc.threads, out, lse);
  if (good) {
    run->result.wrong_bits = differing(run, out, lse);
    run->result.verified = true;
  }
  free(out);
  free(lse);
  return good || base_fail(error, "--verify: out of memory");
}

// As the kernel stores it.
static double stored(const fp8_run_t *run, float value) {
  return (double)(run->settings.attention.out_f32 ? value : num_bf16_to_f32(num_bf16_from_f32(value)));
}

static bool expected_golden(const fp8_run_t *run, double *want) {
  const fp8_problem_t *problem = &run->problem;
  fp8_golden_t golden = {0};
  const bool good = fp8_golden(problem, FP8_FROM_TOKENS, fp8_list_rows(problem),
                               run->settings.attention.machine.soc.threads, &golden);
  if (good) {
    memcpy(want, golden.out, fp8_out_count(problem) * sizeof *want);
  }
  fp8_golden_free(&golden);
  return good;
}

static bool expected_bits(const fp8_run_t *run, double *want) {
  const size_t count = fp8_out_count(&run->problem);
  float *out = malloc(count * sizeof *out);
  float *lse = malloc(fp8_rows(&run->problem) * sizeof *lse);
  const bool good =
      out != NULL && lse != NULL && fp8_contract(&run->problem, run->settings.attention.machine.soc.threads, out, lse);
  for (size_t i = 0; good && i < count; ++i) {
    want[i] = stored(run, out[i]);
  }
  free(out);
  free(lse);
  return good;
}

bool fp8_expected(const fp8_run_t *run, bool golden, kernel_expected_t *expected, base_error_t *error) {
  const size_t count = fp8_out_count(&run->problem);
  *expected = (kernel_expected_t){.array = "out",
                                  .by = golden ? "FP64" : "the contract",
                                  .count = count,
                                  .want = malloc(count * sizeof *expected->want)};
  return (expected->want != NULL && (golden ? expected_golden : expected_bits)(run, expected->want)) ||
         base_fail(error, "expected result: out of memory");
}

// --- both -------------------------------------------------------------------------------------

bool fp8_judge(fp8_run_t *run, base_error_t *error) {
  kernel_result_t *result = &run->result;
  const fp8_problem_t *problem = &run->problem;
  const double usual = run->settings.attention.out_f32 ? ATTENTION_TOLERANCE_F32 : ATTENTION_TOLERANCE_BF16;
  if (run->settings.attention.machine.soc.timing_only) {
    return true;
  }
  result->tolerance = isnan(run->judge.tolerance) ? usual : run->judge.tolerance;
  result->elements = fp8_out_count(problem) + fp8_rows(problem);
  run->judged_rows = fp8_golden_rows(problem, run->judge.golden);
  result->judged = fp8_lists(problem) * run->judged_rows;
  result->judged_of = fp8_rows(problem);
  if (run->judged_rows > 0 && !judge(run, error)) {
    return false;
  }
  return !run->judge.verify || verify(run, error);
}

base_exit_t fp8_verdict(const fp8_run_t *run, base_error_t *error) {
  const base_exit_t code = kernel_result_verdict(&run->result, "elements of output and log-sum-exp", error);
  if (code == BASE_OK && run->judged_rows > 0 && !(run->lse_error <= LSE_TOLERANCE)) {
    base_fail(error, "a log-sum-exp is wrong by %.3g; tolerance %.3g", run->lse_error, LSE_TOLERANCE);
    return BASE_OUT_OF_TOLERANCE;
  }
  return code;
}
