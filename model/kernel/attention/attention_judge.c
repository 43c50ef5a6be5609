// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attention/attention_golden.h"
#include "num/num_format.h"

// Row `row` of all batch entries' as FP32 values, whatever the kernel stored.
static void row_values(const attention_run_t *run, size_t row, float *values) {
  const size_t dv = run->problem.dv;
  if (run->settings.out_f32) {
    memcpy(values, (const float *)run->out + row * dv, dv * sizeof *values);
  } else {
    num_bf16_to_f32_n((const uint16_t *)run->out + row * dv, values, dv);
  }
}

// The judged rows of the output, as attention_golden orders them.
static void judged_values(const attention_run_t *run, float *values) {
  const attention_problem_t *problem = &run->problem;
  for (size_t entry = 0; entry < problem->batch; ++entry) {
    for (size_t i = 0; i < run->judged_rows; ++i) {
      const size_t row = attention_golden_row(problem, run->judged_rows, entry, i);
      row_values(run, entry * problem->rows + row, values);
      values += problem->dv;
    }
  }
}

// per_token is there if all rows are judged.
static void compare(attention_run_t *run, const double *golden, const float *values) {
  const attention_problem_t *problem = &run->problem;
  const size_t count = problem->heads * problem->dv;
  num_error(golden, values, problem->batch * run->judged_rows * problem->dv, &run->result.error);
  for (size_t i = 0; run->per_token != NULL && i < problem->batch * problem->seq_q; ++i) {
    num_error(golden + i * count, values + i * count, count, &run->per_token[i]);
  }
}

static bool compute_golden(void *context, size_t first, size_t end) {
  const attention_run_t *run = context;
  (void)first;
  (void)end;
  const size_t threads = run->judge_beside ? 1 : run->settings.machine.soc.threads;
  return attention_golden(&run->problem, run->judged_rows, threads, run->golden);
}

static bool no_memory(base_error_t *error) { return base_fail(error, "golden attention: out of memory"); }

bool attention_begin_golden(attention_run_t *run, base_error_t *error) {
  run->judged_rows = attention_golden_rows(&run->problem, run->judge.golden);
  if (run->judged_rows == 0) {
    return true;
  }
  run->golden = malloc(run->problem.batch * run->judged_rows * run->problem.dv * sizeof *run->golden);
  if (run->golden == NULL) {
    return no_memory(error);
  }
  (run->judge_beside ? parallel_begin_idle : parallel_begin)(&run->judging, 0, 1, compute_golden, run);
  return true;
}

// The golden has been begun.
static bool judge(attention_run_t *run, base_error_t *error) {
  const attention_problem_t *problem = &run->problem;
  const bool all = run->judged_rows == problem->rows;
  float *values = malloc(problem->batch * run->judged_rows * problem->dv * sizeof *values);
  run->per_token = all ? calloc(problem->batch * problem->seq_q, sizeof *run->per_token) : NULL;
  const bool good = parallel_end(&run->judging) && values != NULL && (!all || run->per_token != NULL);
  if (good) {
    judged_values(run, values);
    compare(run, run->golden, values);
  }
  free(run->golden);
  run->golden = NULL;
  free(values);
  return good || no_memory(error);
}

// Differing elements; a NaN equals only the same NaN, +0 is not -0.
static bool verify(attention_run_t *run, base_error_t *error) {
  const size_t count = attention_out_count(&run->problem);
  float *want = malloc(count * sizeof *want);
  const bool amla = strcmp(run->settings.kernel, "amla") == 0;
  if (want == NULL || !attention_contract(&run->problem, amla, want)) {
    free(want);
    return base_fail(error, "--verify: out of memory");
  }
  const uint32_t *got_f32 = run->out;
  const uint16_t *got_bf16 = run->out;
  for (size_t i = 0; i < count; ++i) {
    run->result.wrong_bits +=
        run->settings.out_f32 ? got_f32[i] != num_f32_bits(want[i]) : got_bf16[i] != num_bf16_from_f32(want[i]);
  }
  free(want);
  run->result.verified = true;
  return true;
}

// As the kernel stores it.
static double stored(const attention_run_t *run, float value) {
  return (double)(run->settings.out_f32 ? value : num_bf16_to_f32(num_bf16_from_f32(value)));
}

bool attention_expected(const attention_run_t *run, bool golden, kernel_expected_t *expected, base_error_t *error) {
  const attention_problem_t *problem = &run->problem;
  const size_t count = attention_out_count(problem);
  float *want = malloc(count * sizeof *want);
  *expected = (kernel_expected_t){.array = "out",
                                  .by = golden ? "FP64" : "the contract",
                                  .count = count,
                                  .want = malloc(count * sizeof *expected->want)};
  bool good = want != NULL && expected->want != NULL;
  if (good && golden) {
    good = attention_golden(problem, problem->rows, run->settings.machine.soc.threads, expected->want);
  } else if (good) {
    good = attention_contract(problem, strcmp(run->settings.kernel, "amla") == 0, want);
    for (size_t i = 0; good && i < count; ++i) {
      expected->want[i] = stored(run, want[i]);
    }
  }
  free(want);
  return good || base_fail(error, "expected result: out of memory");
}

bool attention_judge(attention_run_t *run, base_error_t *error) {
  kernel_result_t *result = &run->result;
  const attention_problem_t *problem = &run->problem;
  const double usual = run->settings.out_f32 ? ATTENTION_TOLERANCE_F32 : ATTENTION_TOLERANCE_BF16;
  if (run->settings.machine.soc.timing_only) {
    return true;
  }
  result->tolerance = isnan(run->judge.tolerance) ? usual : run->judge.tolerance;
  result->elements = attention_out_count(problem);
  if (run->golden == NULL && !attention_begin_golden(run, error)) {
    return false;
  }
  result->judged = problem->batch * run->judged_rows;
  result->judged_of = problem->batch * problem->rows;
  if (run->judged_rows > 0 && !judge(run, error)) {
    return false;
  }
  return !run->judge.verify || verify(run, error);
}

base_exit_t attention_verdict(const attention_run_t *run, base_error_t *error) {
  return kernel_result_verdict(&run->result, "output elements", error);
}
