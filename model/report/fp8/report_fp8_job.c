// A simulation over an FP8 cache, for a report. In a process of its own, which ends afterwards:
// nothing is freed.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "kernel/fp8/fp8_bound.h"
#include "kernel/fp8/fp8_golden.h"
#include "kernel/fp8/fp8_input.h"
#include "num/num_format.h"
#include "report/report_work.h"

static bool judge(const fp8_problem_t *problem, float *out, report_outcome_t *outcome) {
  const size_t count = fp8_out_count(problem);
  fp8_golden_t golden = {0};
  num_error_t error;
  if (!fp8_golden(problem, FP8_FROM_TOKENS, fp8_list_rows(problem), 1, &golden)) {
    return false;
  }
  num_error(golden.out, out, count, &error);
  outcome->f32 = error.rel_fro;
  for (size_t i = 0; i < count; ++i) {
    out[i] = num_bf16_to_f32(num_bf16_from_f32(out[i]));
  }
  num_error(golden.out, out, count, &error);
  outcome->bf16 = error.rel_fro;
  outcome->cos_diff = error.cos_diff;
  if (!fp8_golden(problem, FP8_FROM_KEYS, fp8_list_rows(problem), 1, &golden)) {
    return false;
  }
  num_error(golden.out, out, count, &error);
  outcome->unquantised = error.rel_fro;
  return true;
}

static void take(report_outcome_t *outcome, const fp8_problem_t *problem, const config_t *config,
                 const soc_result_t *result) {
  report_take_machine(outcome, config, result);
  outcome->flops = fp8_flops(problem);
  outcome->fu = fp8_fu(problem, config, result->cycles);
}

static int fail(report_outcome_t *outcome, int status, const char *text) {
  outcome->status = status;
  base_fail(&outcome->error, "%s", text);
  return status;
}

int report_work_fp8(report_job_t *job) {
  report_outcome_t *outcome = &job->outcome;
  static fp8_settings_t settings;
  fp8_problem_t problem;
  soc_result_t result;
  if (!fp8_settings_read(&job->options, &settings, &outcome->error) ||
      !fp8_input(&job->options, &problem, &outcome->error) ||
      !fp8_settings_fit(&job->options, &problem, &settings, &outcome->error)) {
    return outcome->status = BASE_BAD_INPUT;
  }
  float *out = job->judged ? malloc(fp8_out_count(&problem) * sizeof *out) : NULL;
  float *lse = malloc(fp8_rows(&problem) * sizeof *lse);
  if (lse == NULL || (job->judged && out == NULL)) {
    return fail(outcome, BASE_BAD_INPUT, "out of memory");
  }
  const soc_status_t status = fp8_simulate(&problem, &settings, out, lse, &result);
  if (status != SOC_DONE) {
    return fail(outcome, (int)status, result.error[0] != '\0' ? result.error : "interrupted");
  }
  take(outcome, &problem, &settings.attention.soc.config, &result);
  if (job->judged && !judge(&problem, out, outcome)) {
    return fail(outcome, BASE_BAD_INPUT, "golden attention: out of memory");
  }
  return BASE_OK;
}
