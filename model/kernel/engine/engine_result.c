// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine_result.h"

#include <stdlib.h>
#include <string.h>

#include "host/parallel.h"
#include "kernel/attention/attention_golden.h"

enum { MESSAGE_BYTES = 512 };

// --- against FP64 -----------------------------------------------------------------------------

// Golden rows and ours, those of poisoned rows taken out; sets judged_rows to what is left.
static void leave_poisoned_out(engine_result_t *result, double *golden, float *values) {
  const attention_problem_t *problem = &result->input->problem;
  const size_t d = problem->dv;
  const size_t rows = result->judged_rows;
  size_t left = 0;
  for (size_t i = 0; i < rows; ++i) {
    const size_t row = attention_golden_row(problem, rows, 0, i);
    if (!result->input->poisoned[row]) {
      memmove(golden + left * d, golden + i * d, d * sizeof *golden);
      num_bf16_to_f32_n(result->out + row * d, values + left * d, d);
      ++left;
    }
  }
  result->judged_rows = left;
}

static void compare(engine_result_t *result, const double *golden, const float *values) {
  const size_t d = result->input->problem.dv;
  num_error(golden, values, result->judged_rows * d, &result->error);
  for (size_t i = 0; i < result->judged_rows; ++i) {
    num_error_t row;
    num_error(golden + i * d, values + i * d, d, &row);
    result->mean_rel += row.rel_fro / (double)result->judged_rows;
  }
}

static bool judge(engine_result_t *result, base_error_t *error) {
  engine_input_t *input = result->input;
  const attention_problem_t *problem = &input->problem;
  const size_t count = result->judged_rows * problem->dv;
  double *golden = malloc(count * sizeof *golden);
  float *values = malloc(count * sizeof *values);
  engine_input_clean(input);
  const bool good = golden != NULL && values != NULL &&
                    attention_golden(problem, result->judged_rows, result->settings->threads,
                                     golden);
  if (good) {
    leave_poisoned_out(result, golden, values);
    compare(result, golden, values);
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

static void count_nans(engine_result_t *result) {
  const attention_problem_t *problem = &result->input->problem;
  for (size_t row = 0; row < problem->rows; ++row) {
    result->nan_rows += !result->input->poisoned[row] &&
                        has_nan(result->out + row * problem->dv, problem->dv);
  }
}

// --- against the golden C functions, bit for bit ----------------------------------------------

typedef struct verify {
  const engine_result_t *result;
  num_bf16_t *want;        // [rows,d]
} verify_t;

// The keys that a row attends to.
static void valid_keys(const engine_input_t *input, size_t row, uint8_t *valid) {
  const attention_problem_t *problem = &input->problem;
  if (problem->visible == NULL) {
    memset(valid, 1, problem->keys);
  } else {
    memcpy(valid, problem->visible + row * problem->keys, problem->keys);
  }
}

static bool golden_rows(void *context, size_t first, size_t end) {
  const verify_t *verify = context;
  const engine_input_t *input = verify->result->input;
  const attention_problem_t *problem = &input->problem;
  const size_t d = problem->dk;
  num_element_t *scratch = malloc(2 * (d + 1) * sizeof *scratch);
  uint8_t *valid = malloc(problem->keys);
  const bool good = scratch != NULL && valid != NULL;
  for (size_t row = first; good && row < end; ++row) {
    valid_keys(input, row, valid);
    num_engine_attention(&verify->result->settings->shape.num, input->q + row * d, problem->k,
                         problem->v, valid, problem->keys, verify->want + row * d, scratch);
  }
  free(scratch);
  free(valid);
  return good;
}

static bool model_cycles(engine_result_t *result, num_bf16_t *scratch, base_error_t *error) {
  char message[MESSAGE_BYTES] = "";
  engine_settings_t settings = *result->settings;
  settings.rtl = false;
  engine_t *model = engine_settings_open(&settings, NULL, NULL, error);
  if (model == NULL) {
    return false;
  }
  const engine_job_t job = engine_input_job(result->input, scratch);
  const bool good = engine_attention(model, &job, &result->model, message, sizeof message);
  engine_close(model);
  return good || base_fail(error, "--verify: %s", message);
}

// +0 is not -0.
static bool verify(engine_result_t *result, base_error_t *error) {
  const attention_problem_t *problem = &result->input->problem;
  const size_t count = problem->rows * problem->dv;
  verify_t verify = {.result = result, .want = malloc(count * sizeof *verify.want)};
  bool good = verify.want != NULL &&
              (!result->settings->rtl || model_cycles(result, verify.want, error));
  if (good && parallel_for(result->settings->threads, problem->rows, golden_rows, &verify)) {
    for (size_t i = 0; i < count; ++i) {
      result->wrong_bits += result->out[i] != verify.want[i];
    }
    result->verified = true;
  } else if (good || verify.want == NULL) {
    good = base_fail(error, "--verify: out of memory");
  }
  free(verify.want);
  return good;
}

// --- both -------------------------------------------------------------------------------------

bool engine_result_judge(engine_result_t *result, base_error_t *error) {
  const options_t *options = result->options;
  const attention_problem_t *problem = &result->input->problem;
  if (options->engine_verify && !verify(result, error)) {
    return false;
  }
  count_nans(result);
  result->judged_rows =
      attention_golden_rows(problem, (golden_choice_t)options->golden.value);
  return result->judged_rows == 0 || judge(result, error);
}

bool engine_result_cycles_differ(const engine_result_t *result) {
  const engine_cycles_t *a = &result->cycles;
  const engine_cycles_t *b = &result->model;
  return result->verified && result->settings->rtl &&
         (a->load != b->load || a->total != b->total || a->rows != b->rows ||
          a->keys != b->keys || a->groups != b->groups);
}

base_exit_t engine_result_verdict(const engine_result_t *result, base_error_t *error) {
  const attention_problem_t *problem = &result->input->problem;
  if (result->verified && result->wrong_bits != 0) {
    base_fail(error, "%zu of %zu output elements differ from the golden C functions'",
              result->wrong_bits, problem->rows * problem->dv);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (engine_result_cycles_differ(result)) {
    base_fail(error, "cycles differ from the C model's: %llu and %llu, loading %llu and %llu",
              (unsigned long long)result->cycles.total, (unsigned long long)result->model.total,
              (unsigned long long)result->cycles.load, (unsigned long long)result->model.load);
    return BASE_OUT_OF_TOLERANCE;
  }
  if (result->nan_rows != 0) {
    base_fail(error, "%zu of %zu rows have NaN in the output, but finite inputs", result->nan_rows,
              problem->rows);
    return BASE_OUT_OF_TOLERANCE;
  }
  return BASE_OK;
}

uint64_t engine_result_flops(const engine_result_t *result) {
  return 4 * (uint64_t)result->input->problem.dk * result->cycles.keys;
}

double engine_result_fu(const engine_result_t *result) {
  const engine_shape_t *shape = &result->settings->shape;
  return (double)result->cycles.keys /
         ((double)(shape->num.blocks * shape->queries) * (double)result->cycles.total);
}

void engine_result_free(engine_result_t *result) { free(result->out); }
