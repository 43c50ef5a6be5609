// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_fp8.h"

#include <stdlib.h>

#include "base/npy.h"
#include "cli/run/recording.h"
#include "cli/run/run_soc.h"
#include "kernel/attention/attention_golden.h"
#include "kernel/fp8/fp8_input.h"
#include "kernel/fp8/fp8_result.h"

typedef struct fp8_run {
  fp8_settings_t settings;
  fp8_problem_t problem;
  fp8_result_t result;
} fp8_run_t;

// --- before the run ---------------------------------------------------------------------------

// Options that ask for values, or for data to compute them from.
static bool check_timing_only(const options_t *options, base_error_t *error) {
  const struct {
    const char *name;
    bool given;
  } refused[] = {
      {"q", options->fp8_q != NULL},     {"kv", options->fp8_kv != NULL},
      {"dist", options->dist != NULL},   {"fp8-scale", options->fp8_scale.given},
      {"out", options->out != NULL},     {"lse", options->fp8_lse != NULL},
      {"tolerance", options->tolerance.given},
      {"skip-noop", options->skip_noop}, {"verify", options->verify},
      {"golden", options->golden.value == GOLDEN_FULL || options->golden.value == GOLDEN_SAMPLE},
  };
  for (size_t i = 0; options->timing_only && i < sizeof refused / sizeof *refused; ++i) {
    if (refused[i].given) {
      return base_fail(error, "--%s: needs values, which --timing-only does not compute",
                       refused[i].name);
    }
  }
  return true;
}

static bool prepare(run_t *run) {
  fp8_run_t *own = run->own;
  const options_t *options = &run->options;
  if (!check_timing_only(options, &run->error) ||
      !fp8_settings_read(options, &own->settings, &run->error) ||
      !fp8_input(options, &own->problem, &run->error) ||
      !fp8_settings_fit(options, &own->problem, &own->settings, &run->error)) {
    return false;
  }
  own->result.options = options;
  own->result.settings = &own->settings;
  own->result.problem = &own->problem;
  const size_t bytes = own->settings.attention.out_f32 ? 4 : 2;
  own->result.out =
      options->timing_only ? NULL : calloc(fp8_out_count(&own->problem), bytes);
  own->result.lse = calloc(fp8_rows(&own->problem), sizeof *own->result.lse);
  return recording_soc(run, &own->settings.attention.soc, &run->error) &&
         ((options->timing_only || own->result.out != NULL) && own->result.lse != NULL
              ? true
              : base_fail(&run->error, "out of memory"));
}

// --- the run ----------------------------------------------------------------------------------

static base_exit_t compute(run_t *run) {
  fp8_run_t *own = run->own;
  run_soc_begin(run, &own->settings.attention.soc, fp8_flops(&own->problem));
  const soc_status_t status = fp8_simulate(&own->problem, &own->settings, own->result.out,
                                           own->result.lse, &own->result.soc);
  return run_soc_end(run, status, &own->result.soc);
}

static bool judge(run_t *run) {
  fp8_run_t *own = run->own;
  return run->options.timing_only || fp8_result_judge(&own->result, &run->error);
}

// --- what came of it --------------------------------------------------------------------------

// The axes of queries, as many as they were given with.
static npy_array_t rows_array(const fp8_problem_t *problem) {
  npy_array_t array = {.dims = 0};
  if (problem->batch_axis) {
    array.shape[array.dims++] = problem->batch;
  }
  if (problem->token_axis) {
    array.shape[array.dims++] = problem->seq_q;
    array.shape[array.dims++] = problem->heads;
  } else {
    array.shape[array.dims++] = problem->seq_q * problem->heads;
  }
  return array;
}

static bool write_out(const run_t *run, FILE *file, base_error_t *error) {
  const fp8_run_t *own = run->own;
  npy_array_t array = rows_array(&own->problem);
  (void)error;
  array.type = own->settings.attention.out_f32 ? NPY_F4 : NPY_U2;
  array.shape[array.dims++] = FP8_VALUES;
  array.data = own->result.out;
  npy_write(file, &array);
  return true;
}

static bool write_lse(const run_t *run, FILE *file, base_error_t *error) {
  const fp8_run_t *own = run->own;
  npy_array_t array = rows_array(&own->problem);
  (void)error;
  array.type = NPY_F4;
  array.data = own->result.lse;
  npy_write(file, &array);
  return true;
}

static void fill_json(const run_t *run, cJSON *root) {
  const fp8_run_t *own = run->own;
  fp8_result_json(&own->result, root);
}

static void print(const run_t *run) {
  const fp8_run_t *own = run->own;
  fp8_result_text(stdout, &own->result);
}

static base_exit_t verdict(run_t *run) {
  const fp8_run_t *own = run->own;
  return fp8_result_verdict(&own->result, &run->error);
}

static void release(run_t *run) {
  fp8_run_t *own = run->own;
  fp8_free(&own->problem);
  fp8_result_free(&own->result);
}

static const manual_row_t files[] = {
    {"model/config/ascend910_pair.yaml",
     "the usual machine: two AI cores that share dequantised keys"},
    {"sw/kernels/README.md", "how the kernel goes about it"},
    {NULL, NULL}};

static const manual_row_t examples[] = {
    {"run fp8", "the shipped real data, quantised"},
    {"run fp8 --heads 128 --seq-kv 8192 --top-k 2048", "sparse, made-up input"},
    {"run fp8 --q q.npy --kv tokens.npy --out o.npy", "arrays of your own"},
    {NULL, NULL}};

const run_kernel_t run_fp8 = {
    .name = "fp8",
    .command = CLI_RUN_FP8,
    .about = "attention over an FP8 KV cache, dense, sparse or paged (AMLA). "
             "Without inputs it runs on the shipped real data, quantised.",
    .notes = "exit codes: 0 done, 1 result out of tolerance, 2 bad usage or input, 3 the model "
             "stopped the\nfirmware, 130 interrupted",
    .examples = examples,
    .files = files,
    .own_bytes = sizeof(fp8_run_t),
    .prepare = prepare,
    .compute = compute,
    .judge = judge,
    .write_out = write_out,
    .write_lse = write_lse,
    .fill_json = fill_json,
    .print = print,
    .verdict = verdict,
    .release = release,
};
