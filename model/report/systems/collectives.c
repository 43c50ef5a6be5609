// Collectives of the dies of the shipped systems, beside times that others have measured.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/report_write.h"

static const struct {
  const char *label, *system;
  enum collective_op op;
  uint64_t bytes;
  unsigned type;
  double measured_us, measured_gbps;
} runs[] = {
#define RUN(label, system, op, bytes, type, us, gbps) {label, system, COLLECTIVE_##op, bytes, TYPE_##type, us, gbps},
#include "report/systems/collectives.def"
};
enum { RUNS = sizeof runs / sizeof *runs };

typedef struct table {
  kernel_machine_t machine;
  system_t system[RUNS];
  const report_outcome_t *run[RUNS];
} table_t;

static double measured(double value) { return value > 0 ? value : NAN; }

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < RUNS; ++i) {
    const report_outcome_t *run = table->run[i];
    report_row(list, TEXT("run", runs[i].label), TEXT("system", runs[i].system), NUMBER("dies", table->system[i].dies),
               NUMBER("bytes", runs[i].bytes), NUMBER("time_us", run->time_us), NUMBER("bus_gbps", run->bus_gbps),
               NUMBER("measured_us", measured(runs[i].measured_us)),
               NUMBER("measured_gbps", measured(runs[i].measured_gbps)),
               NUMBER("off", run->bus_gbps / measured(runs[i].measured_gbps) - 1));
  }
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  for (size_t i = 0; i < RUNS; ++i) {
    report_job_t *job = report_add(jobs, &table->machine, "collective", "%s", runs[i].label);
    job->collective.system = table->system[i];
    job->collective.system_name = runs[i].system;
    job->collective.op = runs[i].op;
    job->collective.bytes = runs[i].bytes;
    job->collective.type = runs[i].type;
    table->run[i] = &job->outcome;
  }
}

REPORT_TEMPLATE(collectives_text, "systems/collectives.md");
static const report_t collectives = {fill, collectives_text, add_jobs, NULL};

static bool open_systems(table_t *table, base_error_t *error) {
  for (size_t i = 0; i < RUNS; ++i) {
    if (!system_open(runs[i].system, &table->system[i], error)) {
      return false;
    }
  }
  return true;
}

bool report_collectives(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table;
  return report_machine(context, "ascend910_die", 0, &table.machine, error) && open_systems(&table, error) &&
         report_simulate(context, &collectives, false, &table, code, error);
}
