// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "num/num_format.h"

enum { USUAL_ROWS = 1024, USUAL_BLOCKS = 4 };

engine_request_t engine_request(const char *kernel) {
  return (engine_request_t){.settings = {.kernel = kernel,
                                         .shape = {.num = {.blocks = USUAL_BLOCKS}, .queries = 1},
                                         .rtl = true,
                                         .threads = kernel_host_threads(),
                                         .clock_mhz = 500,
                                         .trace_to = UINT64_MAX},
                            .input = {.made_up = made_up_usual(), .scale = NAN},
                            .judge = {.tolerance = NAN}};
}

// --- before the run ---------------------------------------------------------------------------

// 1024 keys, or the next power of two that holds all; then up to a multiple of the blocks.
static size_t usual_rows(size_t keys, size_t blocks) {
  size_t rows = USUAL_ROWS;
  while (rows < keys) {
    rows *= 2;
  }
  return (rows + blocks - 1) / blocks * blocks;
}

// The rest of the engine, for the problem.
static bool fit(engine_settings_t *settings, const attention_problem_t *problem, base_error_t *error) {
  num_engine_t *num = &settings->shape.num;
  if (!num_engine_design(settings->kernel, &num->design)) {
    return base_fail(error, "no attention engine %s", settings->kernel);
  }
  num->d = problem->dk;
  num->rows = kernel_size_or(num->rows, usual_rows(problem->keys, num->blocks));
  return num->rows % num->blocks == 0 ||
         base_fail(error, "--rows %zu: expected a multiple of --blocks, %zu", num->rows, num->blocks);
}

// An engine by itself has no machine: operations cost what they do on the usual one, and nothing stands beside them.
static bool price(engine_run_t *run, base_error_t *error) {
  if (!config_open("engines", &run->priced, error)) {
    return false;
  }
  run->priced.soc.clock_mhz = run->settings.clock_mhz;
  run->priced.soc.ai_cores = run->priced.soc.dies = 0;
  return true;
}

bool engine_prepare(const engine_request_t *request, engine_run_t *run, base_error_t *error) {
  *run = (engine_run_t){.kernel = {.ops = &engine_ops, .judge = request->judge}, .settings = request->settings};
  const attention_problem_t *problem = &run->problem.attention;
  kernel_result_drawn(&run->kernel.result, request->input.source == KERNEL_MADE_UP, request->input.made_up.seed);
  if (run->settings.trace != NULL && !run->settings.rtl) {
    return base_fail(error, "--trace: needs --impl rtl; the C model has no waveforms");
  }
  if (run->settings.shape.axi && !run->settings.rtl) {
    return base_fail(error, "--bus axi: needs --impl rtl; the C model has no buses");
  }
  if (!price(run, error) || !engine_read(&request->input, &run->problem, error) ||
      !fit(&run->settings, problem, error)) {
    return false;
  }
  run->out = malloc(problem->rows * problem->dv * sizeof *run->out);
  if (run->out == NULL) {
    return base_fail(error, "out of memory");
  }
  memset(run->out, 0xFF, problem->rows * problem->dv * sizeof *run->out);  // NaN, where the engine gives no answer
  return true;
}

// --- after it ---------------------------------------------------------------------------------

static bool write_out(const kernel_run_t *kernel, FILE *npy, base_error_t *error) {
  const engine_run_t *run = (const engine_run_t *)kernel;
  const attention_problem_t *problem = &run->problem.attention;
  const size_t count = problem->rows * problem->dv;
  npy_array_t array = {.type = NPY_U2, .dims = 2, .shape = {problem->rows, problem->dv}, .data = run->out};
  if (!run->settings.out_f32) {
    npy_write(npy, &array);
    return true;
  }
  float *values = malloc(count * sizeof *values);
  if (values == NULL) {
    return base_fail(error, "out of memory");
  }
  num_bf16_to_f32_n(run->out, values, count);
  array.type = NPY_F4;
  array.data = values;
  npy_write(npy, &array);
  free(values);
  return true;
}

static void release(kernel_run_t *kernel) {
  engine_run_t *run = (engine_run_t *)kernel;
  engine_problem_free(&run->problem);
  free(run->out);
}

const kernel_ops_t engine_ops = {.run_bytes = sizeof(engine_run_t),
                                 .simulate = engine_simulate,
                                 .answer = engine_answer,
                                 .judge = engine_judge,
                                 .verdict = engine_verdict,
                                 .write_out = write_out,
                                 .json = engine_json,
                                 .release = release};
