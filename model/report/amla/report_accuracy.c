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
#define ROW(table, name, kind, width, paper_base, paper_amla, gate, gate_f32)                  \
  {table, name, {DISTRIBUTION_##kind, width}, {paper_base, paper_amla}, gate, gate_f32},
#include "report/amla/report_accuracy.def"
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

// A row's means over its seeds.
typedef struct mean {
  const row_t *row;
  pair_t bf16, f32;
} mean_t;

typedef struct table {
  unsigned number;
  size_t seeds, keys;
  mean_t list[ROWS];
  size_t count;
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
      known = known ||
              (asked_for(settings, rows[j].table) && is_row(&rows[j], settings->dist.item[i]));
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
      table->list[table->count++].row = &rows[i];
    }
  }
}

// --- the simulations --------------------------------------------------------------------------

static void add_job(report_jobs_t *jobs, const kernel_machine_t *machine, const table_t *table,
                    const row_t *row, size_t seed, const char *kernel) {
  report_job_t *job =
      report_add(jobs, machine, kernel, "%s seed %zu, %s", row->name, seed, kernel);
  job->attention.input.keys = table->keys;
  job->attention.input.made_up.distribution = row->distribution;
  job->attention.input.made_up.seed = seed;
  report_job_judge(job);
}

// Two jobs a seed, base and amla; all seeds of a row after one another.
static void add_jobs(report_jobs_t *jobs, const kernel_machine_t *machine, const table_t *table) {
  for (size_t i = 0; i < table->count; ++i) {
    for (size_t seed = 0; seed < table->seeds; ++seed) {
      add_job(jobs, machine, table, table->list[i].row, seed, "base");
      add_job(jobs, machine, table, table->list[i].row, seed, "amla");
    }
  }
}

static void average(const report_jobs_t *jobs, table_t *table) {
  const double share = 1 / (double)table->seeds;
  for (size_t i = 0; i < jobs->count; i += 2) {
    const report_outcome_t *base = &jobs->list[i].outcome;
    const report_outcome_t *amla = &jobs->list[i + 1].outcome;
    mean_t *mean = &table->list[i / 2 / table->seeds];
    mean->bf16.base += share * base->bf16;
    mean->bf16.amla += share * amla->bf16;
    mean->f32.base += share * base->f32;
    mean->f32.amla += share * amla->f32;
  }
}

// --- gates, of each seed ----------------------------------------------------------------------

static bool within(const report_job_t *job, double base, double amla, double gate, const char *what,
                   base_error_t *error) {
  return gate == 0 || amla <= gate * base ||
         base_fail(error, "%s: with %s output %.3e exceeds %.2f x base %.3e", job->name, what, amla,
                   gate, base);
}

static bool gates_hold(const report_jobs_t *jobs, const table_t *table, base_error_t *error) {
  for (size_t i = 0; i < jobs->count; i += 2) {
    const row_t *row = table->list[i / 2 / table->seeds].row;
    const report_job_t *amla = &jobs->list[i + 1];
    const report_outcome_t *base = &jobs->list[i].outcome;
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
    const mean_t *mean = &table->list[i];
    report_row(list, TEXT("dist", mean->row->name), NUMBER("seq_kv", table->keys),
               NUMBER("seeds", table->seeds), NUMBER("base", mean->bf16.base),
               NUMBER("amla", mean->bf16.amla), NUMBER("base_f32", mean->f32.base),
               NUMBER("amla_f32", mean->f32.amla), NUMBER("paper/base", mean->row->paper.base),
               NUMBER("paper/amla", mean->row->paper.amla));
  }
}

REPORT_TEMPLATE(accuracy_text, "amla/accuracy.md");
static const report_files_t files = {fill, accuracy_text};

// --- the report -------------------------------------------------------------------------------

static bool simulate_and_write(const report_context_t *context, table_t *table, report_jobs_t *jobs,
                               base_exit_t *code, base_error_t *error) {
  if (!report_run(jobs, false, code, error)) {
    return false;
  }
  average(jobs, table);
  *code = BASE_BAD_INPUT;
  if (!report_write(context, &files, table, error)) {
    return false;
  }
  *code = BASE_OUT_OF_TOLERANCE;
  return gates_hold(jobs, table, error);
}

bool report_accuracy(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  kernel_machine_t machine;
  report_jobs_t jobs;
  table_t table = {.number = (unsigned)(context->name[strlen("table")] - '0'),
                   .seeds = kernel_size_or(settings->seeds, 3)};
  if (!check_only(settings, error) ||
      !report_machine(settings, "ascend910_core", 1, &machine, error) ||
      !report_one_size(context, 8192, &table.keys, error)) {
    return false;
  }
  choose_rows(settings, &table);
  if (table.count == 0) {
    return true;   // every --dist is in the other table
  }
  if (!report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  add_jobs(&jobs, &machine, &table);
  const bool good = simulate_and_write(context, &table, &jobs, code, error);
  report_jobs_close(&jobs);
  return good;
}
