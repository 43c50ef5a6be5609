// Energy of kernels and of a model's step on a die, by part of the chip.
// SPDX-License-Identifier: Apache-2.0
#include "report/report_write.h"

enum {
  RUNS = 0
#define RUN(label, kernel, units, unit, ...) +1
#include "report/energy/energy.def"
};

typedef struct table {
  kernel_machine_t machine;
  const report_outcome_t *run[RUNS];
} table_t;

static const struct {
  const char *label, *unit;
  double units;
} runs[RUNS] = {
#define RUN(label, kernel, units, unit, ...) {label, unit, units},
#include "report/energy/energy.def"
};

static void put_run(size_t i, const report_outcome_t *outcome, cJSON *list) {
  static const char *const kinds[JOULES_KINDS] = {"arithmetic", "buffers", "chip", "memory", "standing"};
  const joules_t *energy = &outcome->energy;
  cJSON *row = report_row(list, TEXT("run", runs[i].label), NUMBER("time_us", outcome->time_us),
                          NUMBER("total_j", energy->joules), NUMBER("low_j", energy->low),
                          NUMBER("high_j", energy->high), NUMBER("watts", joules_watts(energy)),
                          TEXT("unit", runs[i].unit), NUMBER("unit_j", energy->joules / runs[i].units));
  for (size_t kind = 0; kind < JOULES_KINDS; ++kind) {
    report_put(row, NUMBER(kinds[kind], energy->by_kind[kind] / energy->joules));
  }
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < RUNS; ++i) {
    put_run(i, table->run[i], list);
  }
}

static void product(report_job_t *job, size_t m, size_t n, size_t k) {
  job->gemm.input.m = m;
  job->gemm.input.n = n;
  job->gemm.input.k = k;
}

static void step(report_job_t *job, size_t batch, decode_weights_t weights) {
  job->decode.model.folder = "deepseek-v2-lite";
  job->decode.model.random = true;
  job->decode.timing = true;
  job->decode.steps = 1;
  job->decode.past = 1024;
  job->decode.batch = batch;
  job->decode.settings.weights = weights;
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  report_job_t *job;
  size_t i = 0;
#define RUN(label, kernel, units, unit, ...)                     \
  job = report_add(jobs, &table->machine, #kernel, "%s", label); \
  job->machine->soc.l2_warm = false;                             \
  __VA_ARGS__;                                                   \
  table->run[i++] = &job->outcome;
#include "report/energy/energy.def"
}

REPORT_TEMPLATE(energy_text, "energy/energy.md");
static const report_t energy = {fill, energy_text, add_jobs, NULL};

bool report_energy(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table;
  return report_machine(context, "ascend910_die", 0, &table.machine, error) &&
         report_simulate(context, &energy, false, &table, code, error);
}
