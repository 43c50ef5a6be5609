// SPDX-License-Identifier: Apache-2.0
#include "cli/result.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "num/num_format.h"

// The output as FP32 values, whatever the kernel stored.
static float *out_values(const result_t *result) {
  const size_t count = attention_out_count(result->problem);
  float *values = malloc(count * sizeof *values);
  if (values != NULL && result->settings->out_f32) {
    memcpy(values, result->out, count * sizeof *values);
  } else if (values != NULL) {
    num_bf16_to_f32_n(result->out, values, count);
  }
  return values;
}

static bool judge(result_t *result, const float *values, cli_error_t *error) {
  const attention_problem_t *problem = result->problem;
  const size_t count = attention_out_count(problem);
  const size_t tokens = problem->batch * problem->seq_q;
  const size_t token_count = problem->heads * problem->dv;
  double *golden = malloc(count * sizeof *golden);
  result->per_token = calloc(tokens, sizeof *result->per_token);
  const bool good =
      golden != NULL && result->per_token != NULL && attention_golden(problem, golden);
  for (size_t i = 0; good && i < tokens; ++i) {
    num_error(golden + i * token_count, values + i * token_count, token_count,
              &result->per_token[i]);
  }
  if (good) {
    num_error(golden, values, count, &result->error);
  }
  free(golden);
  result->judged = good;
  return good || cli_fail(error, "golden attention: out of memory");
}

// Differing elements; a NaN equals only the same NaN, +0 is not -0.
static bool verify(result_t *result, cli_error_t *error) {
  const size_t count = attention_out_count(result->problem);
  float *want = malloc(count * sizeof *want);
  const bool amla = strcmp(result->settings->kernel, "amla") == 0;
  if (want == NULL || !attention_contract(result->problem, amla, want)) {
    free(want);
    return cli_fail(error, "--verify: out of memory");
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

bool result_judge(result_t *result, cli_error_t *error) {
  const options_t *options = result->options;
  const double usual =
      result->settings->out_f32 ? RESULT_TOLERANCE_F32 : RESULT_TOLERANCE_BF16;
  result->tolerance = options->tolerance.given ? options->tolerance.value : usual;
  if (!options->no_golden) {
    float *values = out_values(result);
    const bool good =
        values != NULL ? judge(result, values, error) : cli_fail(error, "out of memory");
    free(values);
    if (!good) {
      return false;
    }
  }
  return !options->verify || verify(result, error);
}

cli_exit_t result_verdict(const result_t *result, cli_error_t *error) {
  if (result->verified && result->wrong_bits != 0) {
    cli_fail(error, "%zu of %zu output elements differ from the contract's", result->wrong_bits,
             attention_out_count(result->problem));
    return CLI_OUT_OF_TOLERANCE;
  }
  if (result->judged && !(result->error.rel_fro <= result->tolerance)) {
    cli_fail(error, "relative error %.3g is out of tolerance, %.3g", result->error.rel_fro,
             result->tolerance);
    return CLI_OUT_OF_TOLERANCE;
  }
  return CLI_OK;
}

void result_free(result_t *result) {
  free(result->out);
  free(result->per_token);
  soc_result_free(&result->soc);
  result->out = NULL;
  result->per_token = NULL;
}

double result_peak_rss_mb(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024 : 0;
}
