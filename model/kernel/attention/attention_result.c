// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention_result.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/attention/attention_golden.h"
#include "num/num_format.h"

// Row `row` of all batch entries' as FP32 values, whatever the kernel stored.
static void row_values(const attention_result_t *result, size_t row, float *values) {
  const size_t dv = result->problem->dv;
  if (result->settings->out_f32) {
    memcpy(values, (const float *)result->out + row * dv, dv * sizeof *values);
  } else {
    num_bf16_to_f32_n((const uint16_t *)result->out + row * dv, values, dv);
  }
}

// The judged rows of the output, as attention_golden orders them.
static void judged_values(const attention_result_t *result, float *values) {
  const attention_problem_t *problem = result->problem;
  for (size_t entry = 0; entry < problem->batch; ++entry) {
    for (size_t i = 0; i < result->judged_rows; ++i) {
      const size_t row = attention_golden_row(problem, result->judged_rows, entry, i);
      row_values(result, entry * problem->rows + row, values);
      values += problem->dv;
    }
  }
}

// per_token is there if all rows are judged.
static void compare(attention_result_t *result, const double *golden, const float *values) {
  const attention_problem_t *problem = result->problem;
  const size_t count = problem->heads * problem->dv;
  num_error(golden, values, problem->batch * result->judged_rows * problem->dv, &result->error);
  for (size_t i = 0; result->per_token != NULL && i < problem->batch * problem->seq_q; ++i) {
    num_error(golden + i * count, values + i * count, count, &result->per_token[i]);
  }
}

static bool judge(attention_result_t *result, base_error_t *error) {
  const attention_problem_t *problem = result->problem;
  const size_t count = problem->batch * result->judged_rows * problem->dv;
  const bool all = result->judged_rows == problem->rows;
  double *golden = malloc(count * sizeof *golden);
  float *values = malloc(count * sizeof *values);
  result->per_token =
      all ? calloc(problem->batch * problem->seq_q, sizeof *result->per_token) : NULL;
  const bool good =
      golden != NULL && values != NULL && (!all || result->per_token != NULL) &&
      attention_golden(problem, result->judged_rows, result->settings->soc.threads, golden);
  if (good) {
    judged_values(result, values);
    compare(result, golden, values);
  }
  free(golden);
  free(values);
  return good || base_fail(error, "golden attention: out of memory");
}

// Differing elements; a NaN equals only the same NaN, +0 is not -0.
static bool verify(attention_result_t *result, base_error_t *error) {
  const size_t count = attention_out_count(result->problem);
  float *want = malloc(count * sizeof *want);
  const bool amla = strcmp(result->settings->kernel, "amla") == 0;
  if (want == NULL || !attention_contract(result->problem, amla, want)) {
    free(want);
    return base_fail(error, "--verify: out of memory");
  }
  const uint32_t *got_f32 = result->out;
  const uint16_t *got_bf16 = result->out;
  for (size_t i = 0; i < count; ++i) {
    result->wrong_bits += result->settings->out_f32 ? got_f32[i] != num_f32_bits(want[i])
                                                    : got_bf16[i] != num_bf16_from_f32(want[i]);
  }
  free(want);
  result->verified = true;
  return true;
}

bool attention_result_judge(attention_result_t *result, base_error_t *error) {
  const options_t *options = result->options;
  const double usual =
      result->settings->out_f32 ? ATTENTION_TOLERANCE_F32 : ATTENTION_TOLERANCE_BF16;
  result->tolerance = options->tolerance.given ? options->tolerance.value : usual;
  result->judged_rows =
      attention_golden_rows(result->problem, (golden_choice_t)options->golden.value);
  if (result->judged_rows > 0 && !judge(result, error)) {
    return false;
  }
  return !options->verify || verify(result, error);
}

base_exit_t attention_result_verdict(const attention_result_t *result, base_error_t *error) {
  if (result->verified && result->wrong_bits != 0) {
    base_fail(error, "%zu of %zu output elements differ from the contract's", result->wrong_bits,
              attention_out_count(result->problem));
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->judged_rows > 0 && !(result->error.rel_fro <= result->tolerance)) {
    base_fail(error, "relative error %.3g is out of tolerance, %.3g", result->error.rel_fro,
              result->tolerance);
    return BASE_OUT_OF_TOLERANCE;
  }
  return BASE_OK;
}

void attention_result_free(attention_result_t *result) {
  free(result->out);
  free(result->per_token);
  soc_result_free(&result->soc);
  result->out = NULL;
  result->per_token = NULL;
}
