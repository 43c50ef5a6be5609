// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attention/attention.h"

// --- against FP64 -----------------------------------------------------------------------------

static bool fp64_rows(void *run, const size_t *row, size_t count, size_t at, double *golden) {
  (void)at;
  return attention_fp64(&((const engine_run_t *)run)->problem.attention, row, count, golden, NULL);
}

// Leaves poisoned rows out, compares the others anew, and each by itself.
static bool compare_sound_rows(void *context, const double *golden, const float *values, size_t rows) {
  engine_run_t *run = context;
  const size_t d = run->problem.attention.dv;
  const judge_answer_t answer = engine_answer(&run->kernel);
  double *sound = malloc(rows * d * sizeof *sound);
  float *ours = malloc(rows * d * sizeof *ours);
  const bool good = sound != NULL && ours != NULL;
  size_t left = 0;
  for (size_t i = 0; good && i < rows; ++i) {
    if (!run->problem.poisoned[judge_row(&answer, rows, i)]) {
      memcpy(sound + left * d, golden + i * d, d * sizeof *sound);
      memcpy(ours + left++ * d, values + i * d, d * sizeof *ours);
    }
  }
  for (size_t i = 0; i < left; ++i) {
    num_error_t row;
    num_error(sound + i * d, ours + i * d, d, &row);
    run->mean_rel += row.rel_fro / (double)left;
  }
  if (good) {
    num_error(sound, ours, left * d, &run->kernel.result.error);
    run->kernel.result.judged = left;
  }
  free(sound);
  free(ours);
  return good;
}

static bool has_nan(const num_bf16_t *x, size_t n) {
  bool nan = false;
  for (size_t i = 0; i < n; ++i) {
    nan |= (x[i] & 0x7fffu) > 0x7f80u;
  }
  return nan;
}

static void count_nans(engine_run_t *run) {
  const attention_problem_t *problem = &run->problem.attention;
  for (size_t row = 0; row < problem->rows; ++row) {
    run->nan_rows += !run->problem.poisoned[row] && has_nan(run->out + row * problem->dv, problem->dv);
  }
}

// --- against the golden C functions, bit for bit ----------------------------------------------

// The keys that a row attends to.
static void valid_keys(const engine_problem_t *input, size_t row, uint8_t *valid) {
  const attention_problem_t *problem = &input->attention;
  if (problem->visible == NULL) {
    memset(valid, 1, problem->keys);
  } else {
    memcpy(valid, problem->visible + row * problem->keys, problem->keys);
  }
}

static bool contract_rows(void *context, const size_t *row, size_t count, size_t at, float *want) {
  const engine_run_t *run = context;
  const engine_problem_t *input = &run->problem;
  const attention_problem_t *problem = &input->attention;
  const size_t d = problem->dk;
  num_element_t *scratch = malloc(2 * (d + 1) * sizeof *scratch);
  uint8_t *valid = malloc(problem->keys);
  num_bf16_t *out = malloc(d * sizeof *out);
  const bool good = scratch != NULL && valid != NULL && out != NULL;
  (void)at;
  for (size_t i = 0; good && i < count; ++i) {
    valid_keys(input, row[i], valid);
    num_engine_attention(&run->settings.shape.num, input->q + row[i] * d, problem->k, problem->v, valid, problem->keys,
                         out, scratch);
    num_bf16_to_f32_n(out, want + i * d, d);
  }
  free(scratch);
  free(valid);
  free(out);
  return good;
}

judge_answer_t engine_answer(kernel_run_t *kernel) {
  engine_run_t *run = (engine_run_t *)kernel;
  const attention_problem_t *problem = &run->problem.attention;
  return (judge_answer_t){.array = "out",
                          .out = run->out,
                          .type = JUDGE_BF16,
                          .groups = 1,
                          .rows = problem->rows,
                          .columns = problem->dv,
                          .span = problem->rows,
                          .apart = run->problem.poisoned,
                          .operations = 2.0 * (double)problem->keys * (double)(problem->dk + problem->dv),
                          .threads = run->settings.threads,
                          .run = run,
                          .fp64 = fp64_rows,
                          .contract = contract_rows,
                          .found = compare_sound_rows};
}

static bool count_model_cycles(engine_run_t *run, base_error_t *error) {
  const attention_problem_t *problem = &run->problem.attention;
  base_error_t reason = {"out of memory"};
  engine_settings_t settings = run->settings;
  settings.rtl = false;
  num_bf16_t *out = malloc(problem->rows * problem->dv * sizeof *out);
  engine_t *model = engine_settings_open(&settings, NULL, error);
  if (model == NULL) {
    free(out);
    return false;
  }
  const engine_job_t job = engine_problem_job(&run->problem, out);
  const bool good = out != NULL && engine_attention(model, &job, &run->model, &reason);
  engine_close(model);
  free(out);
  return good || base_fail(error, "--verify: %s", reason.text);
}

// --- both -------------------------------------------------------------------------------------

// The input's infinities and NaNs, which FP64 is not to see, are the contract's.
bool engine_judge(kernel_run_t *kernel, base_error_t *error) {
  engine_run_t *run = (engine_run_t *)kernel;
  const judge_answer_t answer = engine_answer(&run->kernel);
  const kernel_judge_t bits = {.golden = GOLDEN_NONE, .verify = run->kernel.judge.verify};
  const kernel_judge_t errors = {.golden = run->kernel.judge.golden, .tolerance = NAN};
  if ((run->kernel.judge.verify && run->settings.rtl && !count_model_cycles(run, error)) ||
      !judge_result(&answer, &bits, NULL, &run->kernel.result, error)) {
    return false;
  }
  count_nans(run);
  engine_problem_clean(&run->problem);
  return judge_result(&answer, &errors, NULL, &run->kernel.result, error);
}

bool engine_cycles_differ(const engine_run_t *run) {
  const engine_cycles_t *a = &run->cycles;
  const engine_cycles_t *b = &run->model;
  return run->kernel.result.verified && run->settings.rtl && !run->settings.shape.axi &&
         (a->load != b->load || a->total != b->total || a->rows != b->rows || a->keys != b->keys ||
          a->groups != b->groups);
}

base_exit_t engine_verdict(const kernel_run_t *kernel, base_error_t *error) {
  const engine_run_t *run = (const engine_run_t *)kernel;
  const kernel_result_t *result = &run->kernel.result;
  if (result->verified && result->wrong_bits != 0) {
    base_fail(error, "%zu of %zu output elements differ from the golden C functions'", result->wrong_bits,
              result->elements);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (engine_cycles_differ(run)) {
    base_fail(error, "cycles differ from the C model's: %llu and %llu, loading %llu and %llu",
              (unsigned long long)run->cycles.total, (unsigned long long)run->model.total,
              (unsigned long long)run->cycles.load, (unsigned long long)run->model.load);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (run->nan_rows != 0) {
    base_fail(error, "%zu of %zu rows have NaN in the output, but finite inputs", run->nan_rows,
              run->problem.attention.rows);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->lost.not_finite != 0) {
    char first[KERNEL_FIRST_BYTES];
    base_fail(error, "the error is no number: %zu elements are none; %s", result->lost.not_finite,
              kernel_first_lost(&result->lost, first));
    return BASE_OUT_OF_TOLERANCE;
  }
  return BASE_OK;
}
