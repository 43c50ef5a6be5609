// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "kernel/attention/attention_golden.h"

enum { MESSAGE_BYTES = 512 };

// --- against FP64 -----------------------------------------------------------------------------

// Golden rows and ours, those of poisoned rows taken out; sets judged_rows to what is left.
static void leave_poisoned_out(engine_run_t *run, double *golden, float *values) {
  const attention_problem_t *problem = &run->problem.attention;
  const size_t d = problem->dv;
  const size_t rows = run->result.judged;
  size_t left = 0;
  for (size_t i = 0; i < rows; ++i) {
    const size_t row = attention_golden_row(problem, rows, 0, i);
    if (!run->problem.poisoned[row]) {
      memmove(golden + left * d, golden + i * d, d * sizeof *golden);
      num_bf16_to_f32_n(run->out + row * d, values + left * d, d);
      ++left;
    }
  }
  run->result.judged = left;
}

static void compare(engine_run_t *run, const double *golden, const float *values) {
  const size_t d = run->problem.attention.dv;
  num_error(golden, values, run->result.judged * d, &run->result.error);
  for (size_t i = 0; i < run->result.judged; ++i) {
    num_error_t row;
    num_error(golden + i * d, values + i * d, d, &row);
    run->mean_rel += row.rel_fro / (double)run->result.judged;
  }
}

static bool judge(engine_run_t *run, base_error_t *error) {
  engine_problem_t *input = &run->problem;
  const attention_problem_t *problem = &input->attention;
  const size_t count = run->result.judged * problem->dv;
  double *golden = malloc(count * sizeof *golden);
  float *values = malloc(count * sizeof *values);
  engine_problem_clean(input);
  const bool good =
      golden != NULL && values != NULL && attention_golden(problem, run->result.judged, run->settings.threads, golden);
  if (good) {
    leave_poisoned_out(run, golden, values);
    compare(run, golden, values);
  }
  free(golden);
  free(values);
  return good || base_fail(error, "golden attention: out of memory");
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

typedef struct verify {
  const engine_run_t *run;
  num_bf16_t *want;  // [rows,d]
} verify_t;

// The keys that a row attends to.
static void valid_keys(const engine_problem_t *input, size_t row, uint8_t *valid) {
  const attention_problem_t *problem = &input->attention;
  if (problem->visible == NULL) {
    memset(valid, 1, problem->keys);
  } else {
    memcpy(valid, problem->visible + row * problem->keys, problem->keys);
  }
}

static bool golden_rows(void *context, size_t first, size_t end) {
  const verify_t *verify = context;
  const engine_problem_t *input = &verify->run->problem;
  const attention_problem_t *problem = &input->attention;
  const size_t d = problem->dk;
  num_element_t *scratch = malloc(2 * (d + 1) * sizeof *scratch);
  uint8_t *valid = malloc(problem->keys);
  const bool good = scratch != NULL && valid != NULL;
  for (size_t row = first; good && row < end; ++row) {
    valid_keys(input, row, valid);
    num_engine_attention(&verify->run->settings.shape.num, input->q + row * d, problem->k, problem->v, valid,
                         problem->keys, verify->want + row * d, scratch);
  }
  free(scratch);
  free(valid);
  return good;
}

static bool model_cycles(engine_run_t *run, num_bf16_t *scratch, base_error_t *error) {
  char message[MESSAGE_BYTES] = "";
  engine_settings_t settings = run->settings;
  settings.rtl = false;
  engine_t *model = engine_settings_open(&settings, NULL, error);
  if (model == NULL) {
    return false;
  }
  const engine_job_t job = engine_problem_job(&run->problem, scratch);
  const bool good = engine_attention(model, &job, &run->model, message, sizeof message);
  engine_close(model);
  return good || base_fail(error, "--verify: %s", message);
}

// +0 is not -0.
static bool verify(engine_run_t *run, base_error_t *error) {
  const attention_problem_t *problem = &run->problem.attention;
  const size_t count = problem->rows * problem->dv;
  verify_t verify = {.run = run, .want = malloc(count * sizeof *verify.want)};
  bool good = verify.want != NULL && (!run->settings.rtl || model_cycles(run, verify.want, error));
  if (good && parallel_for(run->settings.threads, problem->rows, golden_rows, &verify)) {
    for (size_t i = 0; i < count; ++i) {
      run->result.wrong_bits += run->out[i] != verify.want[i];
    }
    run->result.verified = true;
  } else if (good || verify.want == NULL) {
    good = base_fail(error, "--verify: out of memory");
  }
  free(verify.want);
  return good;
}

// --- both -------------------------------------------------------------------------------------

bool engine_judge(engine_run_t *run, base_error_t *error) {
  kernel_result_t *result = &run->result;
  const attention_problem_t *problem = &run->problem.attention;
  result->elements = problem->rows * problem->dv;
  if (run->judge.verify && !verify(run, error)) {
    return false;
  }
  count_nans(run);
  result->judged = attention_golden_rows(problem, run->judge.golden);
  result->judged_of = problem->rows;
  return result->judged == 0 || judge(run, error);
}

bool engine_cycles_differ(const engine_run_t *run) {
  const engine_cycles_t *a = &run->cycles;
  const engine_cycles_t *b = &run->model;
  return run->result.verified && run->settings.rtl && !run->settings.shape.axi &&
         (a->load != b->load || a->total != b->total || a->rows != b->rows || a->keys != b->keys ||
          a->groups != b->groups);
}

base_exit_t engine_verdict(const engine_run_t *run, base_error_t *error) {
  const kernel_result_t *result = &run->result;
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
  return BASE_OK;
}
