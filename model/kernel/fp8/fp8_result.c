// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attention/attention_result.h"
#include "kernel/fp8/fp8_golden.h"
#include "num/num_format.h"

// What rounding of scores does to one is far smaller, even for scores in the hundreds.
#define LSE_TOLERANCE 1e-3

// --- the judged rows --------------------------------------------------------------------------

// Row `row` of all lists' as FP32 values, whatever the kernel stored.
static void row_values(const fp8_result_t *result, size_t row, float *values) {
  if (result->settings->attention.out_f32) {
    memcpy(values, (const float *)result->out + row * FP8_VALUES, FP8_VALUES * sizeof *values);
  } else {
    num_bf16_to_f32_n((const uint16_t *)result->out + row * FP8_VALUES, values, FP8_VALUES);
  }
}

// The judged rows of the output and their log-sum-exps, as the golden orders them.
static void judged_values(const fp8_result_t *result, float *values, float *lse) {
  const fp8_problem_t *problem = result->problem;
  for (size_t list = 0; list < fp8_lists(problem); ++list) {
    for (size_t i = 0; i < result->judged_rows; ++i) {
      const size_t row = list * fp8_list_rows(problem) +
                         fp8_golden_row(problem, result->judged_rows, list, i);
      const size_t at = list * result->judged_rows + i;
      row_values(result, row, values + at * FP8_VALUES);
      lse[at] = result->lse[row];
    }
  }
}

// The smaller of both ratios; NaN is no number's neighbour.
static double margin_of(double difference, double golden, double absolute, double relative) {
  const double a = difference / absolute;
  const double r = difference / (relative * (fabs(golden) + 1e-6));
  return isnan(difference) ? INFINITY : fmin(a, r);
}

static void compare_lse(fp8_result_t *result, const fp8_golden_t *golden, const float *lse,
                        size_t rows) {
  for (size_t i = 0; i < rows; ++i) {
    const bool both_empty = isinf(golden->lse[i]) && golden->lse[i] == (double)lse[i];
    const double difference = both_empty ? 0 : fabs((double)lse[i] - golden->lse[i]);
    const double margin = margin_of(difference, golden->lse[i], 1e-6, 8.01 / 65536);
    result->lse_error = difference > result->lse_error || isnan(difference) ? difference
                                                                            : result->lse_error;
    result->margin.lse = fmax(result->margin.lse, margin);
  }
}

static void compare(fp8_result_t *result, const fp8_golden_t *golden, const float *values,
                    const float *lse) {
  const size_t rows = fp8_lists(result->problem) * result->judged_rows;
  num_error(golden->out, values, rows * FP8_VALUES, &result->error);
  for (size_t i = 0; i < rows * FP8_VALUES; ++i) {
    const double difference = fabs((double)values[i] - golden->out[i]);
    const double margin = margin_of(difference, golden->out[i], 1e-3, 2.01 / 128);
    result->margin.out = fmax(result->margin.out, margin);
  }
  result->margin.cos_diff = result->error.cos_diff / 5e-6;
  compare_lse(result, golden, lse, rows);
}

static bool judge_values(fp8_result_t *result, const float *values, const float *lse) {
  const fp8_problem_t *problem = result->problem;
  const size_t threads = result->settings->attention.soc.threads;
  const size_t count = fp8_lists(problem) * result->judged_rows * FP8_VALUES;
  fp8_golden_t golden = {0};
  bool good = fp8_golden(problem, FP8_FROM_TOKENS, result->judged_rows, threads, &golden);
  if (good) {
    compare(result, &golden, values, lse);
  }
  fp8_golden_free(&golden);
  result->has_bf16 = problem->keys != NULL;
  if (good && result->has_bf16) {
    good = fp8_golden(problem, FP8_FROM_KEYS, result->judged_rows, threads, &golden);
    if (good) {
      num_error(golden.out, values, count, &result->bf16_error);
    }
    fp8_golden_free(&golden);
  }
  return good;
}

static bool judge(fp8_result_t *result, base_error_t *error) {
  const size_t rows = fp8_lists(result->problem) * result->judged_rows;
  float *values = malloc(rows * FP8_VALUES * sizeof *values);
  float *lse = malloc(rows * sizeof *lse);
  bool good = values != NULL && lse != NULL;
  if (good) {
    judged_values(result, values, lse);
    good = judge_values(result, values, lse);
  }
  free(values);
  free(lse);
  return good || base_fail(error, "golden attention: out of memory");
}

// --- bits -------------------------------------------------------------------------------------

// Differing elements; a NaN equals only the same NaN, +0 is not -0.
static size_t differing(const fp8_result_t *result, const float *out, const float *lse) {
  const uint32_t *got_f32 = result->out;
  const uint16_t *got_bf16 = result->out;
  size_t wrong = 0;
  for (size_t i = 0; i < fp8_out_count(result->problem); ++i) {
    wrong += result->settings->attention.out_f32 ? got_f32[i] != num_f32_bits(out[i])
                                                 : got_bf16[i] != num_bf16_from_f32(out[i]);
  }
  for (size_t i = 0; i < fp8_rows(result->problem); ++i) {
    wrong += num_f32_bits(result->lse[i]) != num_f32_bits(lse[i]);
  }
  return wrong;
}

static bool verify(fp8_result_t *result, base_error_t *error) {
  float *out = malloc(fp8_out_count(result->problem) * sizeof *out);
  float *lse = malloc(fp8_rows(result->problem) * sizeof *lse);
  const bool good = out != NULL && lse != NULL &&
                    fp8_contract(result->problem, result->settings->attention.soc.threads, out,
                                 lse);
  if (good) {
    result->wrong_bits = differing(result, out, lse);
    result->verified = true;
  }
  free(out);
  free(lse);
  return good || base_fail(error, "--verify: out of memory");
}

// --- both -------------------------------------------------------------------------------------

bool fp8_result_judge(fp8_result_t *result, base_error_t *error) {
  const options_t *options = result->options;
  const bool f32 = result->settings->attention.out_f32;
  result->tolerance = options->tolerance.given ? options->tolerance.value
                      : f32                    ? ATTENTION_TOLERANCE_F32
                                               : ATTENTION_TOLERANCE_BF16;
  result->judged_rows = fp8_golden_rows(result->problem, options->golden.value);
  if (result->judged_rows > 0 && !judge(result, error)) {
    return false;
  }
  return !options->verify || verify(result, error);
}

base_exit_t fp8_result_verdict(const fp8_result_t *result, base_error_t *error) {
  if (result->verified && result->wrong_bits != 0) {
    base_fail(error, "%zu of %zu elements of output and log-sum-exp differ from the contract's",
              result->wrong_bits, fp8_out_count(result->problem) + fp8_rows(result->problem));
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->judged_rows > 0 && !(result->error.rel_fro <= result->tolerance)) {
    base_fail(error, "relative error %.3g is out of tolerance, %.3g", result->error.rel_fro,
              result->tolerance);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->judged_rows > 0 && !(result->lse_error <= LSE_TOLERANCE)) {
    base_fail(error, "a log-sum-exp is wrong by %.3g; tolerance %.3g", result->lse_error,
              LSE_TOLERANCE);
    return BASE_OUT_OF_TOLERANCE;
  }
  return BASE_OK;
}

void fp8_result_free(fp8_result_t *result) {
  free(result->out);
  free(result->lse);
  soc_result_free(&result->soc);
  result->out = NULL;
  result->lse = NULL;
}
