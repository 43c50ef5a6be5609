// Ablation: rows of ablation.def at Sq = 1 and 2.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "report/amla/paper.h"
#include "report/report_write.h"

typedef enum mode { TIMING, DATA } run_mode_t;

typedef struct row {
  const char *name, *line;
  run_mode_t mode;
  const char *parameter;  // NULL: none is scaled
  double factor;
  const char *note;
} row_t;

static const row_t rows[] = {
#define ROW(name, line, mode, note, change) {name, line, mode, NULL, 1, note},
#define SCALED(name, line, section, parameter, factor, note) \
  {name, line, TIMING, #section "." #parameter, factor, note},
#include "report/amla/ablation.def"
#undef ROW
#undef SCALED
};
enum { ROWS = sizeof rows / sizeof *rows, TOKENS = 2 };

typedef struct result {
  const report_outcome_t *ours, *first;  // first: of the row it is compared with
  unsigned long long batch;
} result_t;

typedef struct table {
  result_t list[TOKENS][ROWS];
  double scaled[ROWS];  // the scaled parameter's value
  kernel_machine_t machine;
  size_t keys;
  unsigned long long batch;
  unsigned cores;
} table_t;

static void scaled_values(const config_t *config, double value[ROWS]) {
  size_t i = 0;
#define ROW(name, line, mode, note, change) value[i++] = 0;
#define SCALED(name, line, section, parameter, factor, note) value[i++] = (factor)*config->section.parameter;
#include "report/amla/ablation.def"
#undef ROW
#undef SCALED
}

static double ratio(const result_t *result) { return result->ours->time_us / result->first->time_us; }

// --- files ------------------------------------------------------------------------------------

static void put_result(const row_t *row, const result_t *result, size_t sq, cJSON *list) {
  report_row(list, TEXT("name", row->name), TEXT("run", row->line), NUMBER("sq", sq), NUMBER("batch", result->batch),
             NUMBER("cycles", result->ours->cycles), NUMBER("time_us", result->ours->time_us),
             NUMBER("fu", result->ours->fu), NUMBER("ratio", ratio(result)), TEXT("note", row->note));
}

// A line of the table: both numbers of query tokens, and all there is to note.
static void put_line(const table_t *table, size_t i, cJSON *list) {
  const row_t *row = &rows[i];
  cJSON *line = report_row(list, TEXT("name", row->name), TEXT("run", row->line));
  cJSON *tokens = cJSON_AddArrayToObject(line, "sq");
  for (size_t token = 0; token < TOKENS; ++token) {
    put_result(row, &table->list[token][i], token + 1, tokens);
  }
  if (row->parameter != NULL) {
    report_put_text(line, "note", "%s, %s = %.4g", row->note, row->parameter, table->scaled[i]);
  } else if (row->mode == DATA) {
    report_put_text(line, "note", "%s%son made-up data, which the time depends on, batch %llu", row->note,
                    row->note[0] == '\0' ? "" : "; ", table->list[0][i].batch);
  } else {
    report_put(line, TEXT("note", row->note));
  }
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  report_put(root, NUMBER("seq_kv", table->keys), NUMBER("cores", table->cores), NUMBER(".batch", table->batch));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  cJSON *lines = cJSON_AddArrayToObject(root, ".lines");
  for (size_t token = 0; token < TOKENS; ++token) {
    for (size_t i = 0; i < ROWS; ++i) {
      put_result(&rows[i], &table->list[token][i], token + 1, list);
    }
  }
  for (size_t i = 0; i < ROWS; ++i) {
    put_line(table, i, lines);
  }
}

// --- the simulations --------------------------------------------------------------------------

// Applies the changes that the row's line names.
static void change(report_job_t *job, size_t row) {
  attention_settings_t *a = &job->attention.settings;
  size_t i = 0;
#define ROW(name, line, mode, note, change) \
  if (i++ == row) {                         \
    change;                                 \
  }
#define SCALED(name, line, section, parameter, factor, note) ++i;
#include "report/amla/ablation.def"
#undef ROW
#undef SCALED
}

static const report_outcome_t *add(report_jobs_t *jobs, const table_t *table, size_t i, size_t sq, size_t batch) {
  const row_t *row = &rows[i];
  const bool base = strncmp(row->line, "base", strlen("base")) == 0;
  report_job_t *job = report_add(jobs, &table->machine, base ? "base" : "amla", "%.50s, Sq %zu%s", row->name, sq,
                                 batch == table->batch ? "" : ", smaller batch");
  job->attention.input.batch = batch;
  job->attention.input.seq_q = sq;
  job->attention.input.keys = table->keys;
  change(job, i);
  if (row->parameter != NULL) {
    report_job_set(job, "%s=%.9g", row->parameter, table->scaled[i]);
  }
  if (row->mode == DATA) {
    report_job_compute(job);
  }
  return &job->outcome;
}

static void add_rows(report_jobs_t *jobs, table_t *table, size_t sq) {
  const size_t small = table->batch < table->cores ? table->batch : table->cores;
  const report_outcome_t *first = NULL;
  const report_outcome_t *first_small = NULL;
  for (size_t i = 0; i < ROWS; ++i) {
    result_t *result = &table->list[sq - 1][i];
    const bool data = rows[i].mode == DATA;
    result->batch = data ? small : table->batch;
    if (data && first_small == NULL) {
      first_small = add(jobs, table, 0, sq, small);
    }
    result->ours = add(jobs, table, i, sq, result->batch);
    first = i == 0 ? result->ours : first;
    result->first = data ? first_small : first;
  }
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  add_rows(jobs, data, 1);
  add_rows(jobs, data, 2);
}

REPORT_TEMPLATE(ablation_text, "amla/ablation.md");
static const report_t ablation = {fill, ablation_text, add_jobs, NULL};

bool report_ablation(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  table_t table = {.batch = kernel_size_or(settings->batch, REPORT_PAPER_BATCH)};
  const config_t *config = &table.machine.soc.config;
  if (!report_machine(context, "ascend910", 0, &table.machine, error) ||
      !report_one_size(context, 16384, &table.keys, error)) {
    return false;
  }
  table.cores = config->soc.ai_cores;
  scaled_values(config, table.scaled);
  return report_simulate(context, &ablation, false, &table, code, error);
}
