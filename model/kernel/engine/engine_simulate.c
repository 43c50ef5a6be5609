// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "host/host.h"
#include "host/interrupt.h"
#include "kernel/engine/engine.h"

engine_t *engine_settings_open(const engine_settings_t *settings, const engine_waves_t *waves, base_error_t *error) {
  base_error_t reason;
  engine_t *engine = settings->rtl ? engine_open_rtl(&settings->shape, waves, settings->building, &reason)
                                   : engine_open_c(&settings->shape, settings->threads, &reason);
  if (engine == NULL) {
    base_fail(error, "%s: %s", settings->kernel, reason.text);
  }
  return engine;
}

// A cycle of the engine is two nanoseconds in the file, its clock's halves one each.
static bool open_waves(const engine_settings_t *settings, engine_waves_t *waves, base_error_t *error) {
  *waves = (engine_waves_t){
      .everything = settings->trace_scope_count > 0, .from = settings->trace_from, .to = settings->trace_to};
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
                    base_fail(error, "trace: cannot write: %s", strerror(errno));
  waves_delete(waves->waves);
  return good;
}

static void take(engine_run_t *run) {
  const engine_shape_t *shape = &run->settings.shape;
  const engine_cycles_t *cycles = &run->cycles;
  kernel_result_t *result = &run->kernel.result;
  result->time_us = (double)cycles->total / run->settings.clock_mhz;
  // 4 d for every pair of a query and a key that took part.
  result->flops = 4 * (uint64_t)shape->num.d * cycles->keys;
  // Keys that took part over those that the FAUs could have taken in the same cycles.
  result->soc.cycles = cycles->total;
  result->soc.work.engine[shape->num.design] = (uint64_t)shape->num.d * cycles->keys;
  result->fu = (double)cycles->keys / ((double)(shape->num.blocks * shape->queries) * (double)cycles->total);
}

static bool attend(engine_run_t *run, engine_t *engine, base_error_t *error) {
  base_error_t reason;
  const engine_job_t job = engine_problem_job(&run->problem, run->out);
  const double start = host_seconds();
  const bool good = engine_attention(engine, &job, &run->cycles, &reason);
  run->seconds = host_seconds() - start;
  take(run);
  return good || base_fail(error, "%s: %s", run->settings.kernel, reason.text);
}

static base_exit_t simulate(engine_run_t *run, engine_waves_t *waves, base_error_t *error) {
  engine_t *engine = engine_settings_open(&run->settings, waves->waves == NULL ? NULL : waves, error);
  if (engine == NULL) {
    waves_delete(waves->waves);
    return BASE_BAD_INPUT;
  }
  const bool good = attend(run, engine, error);
  engine_close(engine);
  base_error_t ignored;
  const bool written = end_waves(waves, !good, good ? error : &ignored);
  return !good ? (host_interrupted() ? BASE_INTERRUPTED : BASE_STOPPED) : written ? BASE_OK : BASE_BAD_INPUT;
}

base_exit_t engine_simulate(kernel_run_t *kernel, base_error_t *error) {
  engine_run_t *run = (engine_run_t *)kernel;
  engine_waves_t waves;
  if (!open_waves(&run->settings, &waves, error)) {
    return BASE_BAD_INPUT;
  }
  host_hold_interrupts();
  const base_exit_t code = simulate(run, &waves, error);
  host_release_interrupts();
  return code;
}
