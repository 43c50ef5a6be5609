// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "num/num_format.h"

enum { USUAL_ROWS = 1024, USUAL_BLOCKS = 4, MESSAGE_BYTES = 1024 };

engine_request_t engine_request(const char *kernel) {
  return (engine_request_t){
      .settings = {.kernel = kernel,
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
static bool fit(engine_settings_t *settings, const attention_problem_t *problem,
                base_error_t *error) {
  num_engine_t *num = &settings->shape.num;
  num->design = strcmp(settings->kernel, "hfa") == 0 ? NUM_DESIGN_HFA : NUM_DESIGN_FA2;
  num->d = problem->dk;
  num->rows = kernel_size_or(num->rows, usual_rows(problem->keys, num->blocks));
  return num->rows % num->blocks == 0 ||
         base_fail(error, "--rows %zu: expected a multiple of --blocks, %zu", num->rows,
                   num->blocks);
}

bool engine_prepare(const engine_request_t *request, engine_run_t *run, base_error_t *error) {
  *run = (engine_run_t){.settings = request->settings, .judge = request->judge};
  const attention_problem_t *problem = &run->problem.attention;
  if (run->settings.trace != NULL && !run->settings.rtl) {
    return base_fail(error, "--trace: needs --impl rtl; the C model has no waveforms");
  }
  if (!engine_read(&request->input, &run->problem, error) ||
      !fit(&run->settings, problem, error)) {
    return false;
  }
  run->out = calloc(problem->rows * problem->dv, sizeof *run->out);
  return run->out != NULL || base_fail(error, "out of memory");
}

// --- the run ----------------------------------------------------------------------------------

engine_t *engine_settings_open(const engine_settings_t *settings, const engine_waves_t *waves,
                               base_error_t *error) {
  char message[MESSAGE_BYTES] = "";
  engine_t *engine =
      settings->rtl
          ? engine_open_rtl(&settings->shape, waves, settings->building, message, sizeof message)
          : engine_open_c(&settings->shape, settings->threads, message, sizeof message);
  if (engine == NULL) {
    base_fail(error, "%s: %s", settings->kernel, message);
  }
  return engine;
}

// A cycle of the engine is two nanoseconds in the file, its clock's halves one each.
static bool open_waves(const engine_settings_t *settings, engine_waves_t *waves,
                       base_error_t *error) {
  *waves = (engine_waves_t){.everything = settings->trace_scope_count > 0,
                            .from = settings->trace_from,
                            .to = settings->trace_to};
  if (settings->trace == NULL) {
    return true;
  }
  waves->waves = waves_new(&(waves_options_t){.path = settings->trace,
                                              .unit = "1ns",
                                              .per_cycle = 2,
                                              .scopes = settings->trace_scopes,
                                              .scope_count = settings->trace_scope_count,
                                              .keep = settings->trace_keep});
  return waves->waves != NULL || base_fail(error, "out of memory");
}

static bool end_waves(engine_waves_t *waves, bool badly, base_error_t *error) {
  const bool good = waves->waves == NULL || waves_end(waves->waves, badly) ||
                    base_fail(error, "trace: cannot write the waveforms");
  waves_delete(waves->waves);
  return good;
}

static void take(engine_run_t *run) {
  const engine_shape_t *shape = &run->settings.shape;
  const engine_cycles_t *cycles = &run->cycles;
  kernel_result_t *result = &run->result;
  result->time_us = (double)cycles->total / run->settings.clock_mhz;
  // 4 d for every pair of a query and a key that took part.
  result->flops = 4 * (uint64_t)shape->num.d * cycles->keys;
  // Keys that took part over those that the FAUs could have taken in the same cycles.
  result->fu = (double)cycles->keys /
               ((double)(shape->num.blocks * shape->queries) * (double)cycles->total);
}

static bool attend(engine_run_t *run, engine_t *engine, base_error_t *error) {
  char message[MESSAGE_BYTES] = "";
  const engine_job_t job = engine_problem_job(&run->problem, run->out);
  const double start = host_seconds();
  const bool good = engine_attention(engine, &job, &run->cycles, message, sizeof message);
  run->seconds = host_seconds() - start;
  take(run);
  return good || base_fail(error, "%s: %s", run->settings.kernel, message);
}

static base_exit_t simulate(engine_run_t *run, engine_waves_t *waves, base_error_t *error) {
  engine_t *engine =
      engine_settings_open(&run->settings, waves->waves == NULL ? NULL : waves, error);
  if (engine == NULL) {
    waves_delete(waves->waves);
    return BASE_BAD_INPUT;
  }
  const bool good = attend(run, engine, error);
  engine_close(engine);
  base_error_t ignored;
  const bool written = end_waves(waves, !good, good ? error : &ignored);
  return !good ? (host_interrupted() ? BASE_INTERRUPTED : BASE_STOPPED)
         : written ? BASE_OK
                   : BASE_BAD_INPUT;
}

base_exit_t engine_simulate(engine_run_t *run, base_error_t *error) {
  engine_waves_t waves;
  if (!open_waves(&run->settings, &waves, error)) {
    return BASE_BAD_INPUT;
  }
  host_hold_interrupts();
  const base_exit_t code = simulate(run, &waves, error);
  host_release_interrupts();
  return code;
}

base_exit_t engine_run(const engine_request_t *request, engine_run_t *run, base_error_t *error) {
  if (!engine_prepare(request, run, error)) {
    return BASE_BAD_INPUT;
  }
  const base_exit_t code = engine_simulate(run, error);
  return code != BASE_OK              ? code
         : !engine_judge(run, error) ? BASE_BAD_INPUT
                                      : engine_verdict(run, error);
}

// --- after it ---------------------------------------------------------------------------------

bool engine_write_out(const engine_run_t *run, bool f32, FILE *npy, base_error_t *error) {
  const attention_problem_t *problem = &run->problem.attention;
  const size_t count = problem->rows * problem->dv;
  npy_array_t array = {
      .type = NPY_U2, .dims = 2, .shape = {problem->rows, problem->dv}, .data = run->out};
  if (!f32) {
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

void engine_release(engine_run_t *run) {
  engine_problem_free(&run->problem);
  free(run->out);
}
