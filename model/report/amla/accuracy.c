// Tables 3 and 4: accuracy on random inputs.  The kernels run on one AI core and store FP32.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/parse.h"
#include "report/report.h"
#include "report/report_write.h"

typedef struct pair {
  double base, amla;
} pair_t;

typedef struct row {
  unsigned table;
  const char *name;
  distribution_t distribution;
  pair_t paper;
  double gate, gate_f32;
} row_t;

static const row_t rows[] = {
#define ROW(table, name, kind, width, paper_base, paper_amla, gate, gate_f32) \
  {table, name, {DISTRIBUTION_##kind, width}, {paper_base, paper_amla}, gate, gate_f32},
#include "report/amla/accuracy.def"
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

// A row's means over its seeds.
typedef struct mean {
  pair_t bf16, f32;
} mean_t;

typedef struct table {
  unsigned number;
  kernel_machine_t machine;
  size_t seeds, keys;
  const row_t *row[ROWS];
  size_t count;
  const report_jobs_t *jobs;
} table_t;

// --- what was asked for -----------------------------------------------------------------------

static bool is_row(const row_t *row, const char *text) {
  distribution_t distribution;
  return strcmp(row->name, text) == 0 ||
         (parse_distribution(text, &distribution) && distribution.kind == row->distribution.kind &&
          distribution.width == row->distribution.width);
}

static bool asked_for(const report_settings_t *settings, unsigned number) {
  char name[16];
  snprintf(name, sizeof name, "table%u", number);
  for (size_t i = 0; i < settings->reports.count; ++i) {
    const char *word = settings->reports.item[i];
    if (strcmp(word, name) == 0 || strcmp(word, "all") == 0) {
      return true;
    }
  }
  return false;
}

// Each --dist must be in one of the tables asked for.
static bool check_only(const report_settings_t *settings, base_error_t *error) {
  for (size_t i = 0; i < settings->dist.count; ++i) {
    bool known = false;
    for (size_t j = 0; j < ROWS; ++j) {
      known = known || (asked_for(settings, rows[j].table) && is_row(&rows[j], settings->dist.item[i]));
    }
    if (!known) {
      return base_fail(error, "--dist: no '%s' in the tables asked for", settings->dist.item[i]);
    }
  }
  return true;
}

static void choose_rows(const report_settings_t *settings, table_t *table) {
  for (size_t i = 0; i < ROWS; ++i) {
    bool wanted = settings->dist.count == 0;
    for (size_t j = 0; j < settings->dist.count; ++j) {
      wanted = wanted || is_row(&rows[i], settings->dist.item[j]);
    }
    if (wanted && rows[i].table == table->number) {
      table->row[table->count++] = &rows[i];
    }
  }
}

// --- the simulations --------------------------------------------------------------------------

static void add_job(report_jobs_t *jobs, const table_t *table, const row_t *row, size_t seed, const char *kernel) {
  report_job_t *job = report_add(jobs, &table->machine, kernel, "%s seed %zu, %s", row->name, seed, kernel);
  job->attention.input.keys = table->keys;
  job->attention.input.made_up.distribution = row->distribution;
  job->attention.input.made_up.seed = seed;
  report_job_judge(job);
}

// Two jobs a seed, base and amla; all seeds of a row after one another.
static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  table->jobs = jobs;
  for (size_t i = 0; i < table->count; ++i) {
    for (size_t seed = 0; seed < table->seeds; ++seed) {
      add_job(jobs, table, table->row[i], seed, "base");
      add_job(jobs, table, table->row[i], seed, "amla");
    }
  }
}

// The job of row i and a seed.
static const report_job_t *job_of(const table_t *table, size_t i, size_t seed, bool amla) {
  return &table->jobs->list[2 * (i * table->seeds + seed) + amla];
}

static mean_t average(const table_t *table, size_t i) {
  const double share = 1 / (double)table->seeds;
  mean_t mean = {{0, 0}, {0, 0}};
  for (size_t seed = 0; seed < table->seeds; ++seed) {
    const report_outcome_t *base = &job_of(table, i, seed, false)->outcome;
    const report_outcome_t *amla = &job_of(table, i, seed, true)->outcome;
    mean.bf16.base += share * base->bf16;
    mean.bf16.amla += share * amla->bf16;
    mean.f32.base += share * base->f32;
    mean.f32.amla += share * amla->f32;
  }
  return mean;
}

// --- gates, of each seed ----------------------------------------------------------------------

static bool within(const report_job_t *job, double base, double amla, double gate, const char *what,
                   base_error_t *error) {
  return gate == 0 || amla <= gate * base ||
         base_fail(error, "%s: with %s output %.3e exceeds %.2f x base %.3e", job->name, what, amla, gate, base);
}

static bool gates_hold(const void *data, base_exit_t *code, base_error_t *error) {
  const table_t *table = data;
  *code = BASE_OUT_OF_TOLERANCE;
  for (size_t i = 0; i < table->count * table->seeds; ++i) {
    const row_t *row = table->row[i / table->seeds];
    const report_job_t *amla = job_of(table, 0, i, true);
    const report_outcome_t *base = &job_of(table, 0, i, false)->outcome;
    if (!within(amla, base->bf16, amla->outcome.bf16, row->gate, "BF16", error) ||
        !within(amla, base->f32, amla->outcome.f32, row->gate_f32, "FP32", error)) {
      return false;
    }
  }
  return true;
}

// --- files ------------------------------------------------------------------------------------

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  report_put(root, NUMBER(".number", table->number), NUMBER(".keys", table->keys),
             TEXT(".inputs", table->number == 3 ? "Gaussian" : "uniform"));
  report_put_text(root, ".seeds", "%zu seed%s", table->seeds, table->seeds == 1 ? "" : "s");
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < table->count; ++i) {
    const row_t *row = table->row[i];
    const mean_t mean = average(table, i);
    report_row(list, TEXT("dist", row->name), NUMBER("seq_kv", table->keys), NUMBER("seeds", table->seeds),
               NUMBER("base", mean.bf16.base), NUMBER("amla", mean.bf16.amla), NUMBER("base_f32", mean.f32.base),
               NUMBER("amla_f32", mean.f32.amla), NUMBER("paper/base", row->paper.base),
               NUMBER("paper/amla", row->paper.amla));
  }
}

REPORT_TEMPLATE(accuracy_text, "amla/accuracy.md");
static const report_t accuracy = {fill, accuracy_text, add_jobs, gates_hold};

bool report_accuracy(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  table_t table = {.number = (unsigned)(context->name[strlen("table")] - '0'),
                   .seeds = kernel_size_or(settings->seeds, 3)};
  if (!check_only(settings, error) || !report_machine(context, "ascend910_core", 1, &table.machine, error) ||
      !report_one_size(context, 8192, &table.keys, error)) {
    return false;
  }
  choose_rows(settings, &table);
  return table.count == 0 ||  // every --dist is in the other table
         report_simulate(context, &accuracy, false, &table, code, error);
}
