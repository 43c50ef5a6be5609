// Ablation: rows of report_ablation.def at Sq = 1 and 2.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "report/report.h"
#include "report/report_write.h"

typedef enum mode { TIMING, DATA } run_mode_t;

typedef struct row {
  const char *name, *line;
  run_mode_t mode;
  const char *parameter;           // NULL: none is scaled
  double factor;
  const char *note;
} row_t;

static const row_t rows[] = {
#define ROW(name, line, mode, note, change) {name, line, mode, NULL, 1, note},
#define SCALED(name, line, section, parameter, factor, note) \
  {name, line, TIMING, #section "." #parameter, factor, note},
#include "report/amla/report_ablation.def"
#undef ROW
#undef SCALED
};
enum { ROWS = sizeof rows / sizeof *rows, TOKENS = 2 };

typedef struct result {
  const report_outcome_t *ours, *first;   // first: of the row it is compared with
  unsigned long long batch;
} result_t;

typedef struct table {
  result_t list[TOKENS][ROWS];
  double scaled[ROWS];             // the scaled parameter's value
  size_t keys;
  unsigned long long batch;
  unsigned cores;
} table_t;

static void scaled_values(const config_t *config, double value[ROWS]) {
  size_t i = 0;
#define ROW(name, line, mode, note, change) value[i++] = 0;
#define SCALED(name, line, section, parameter, factor, note) \
  value[i++] = (factor) * config->section.parameter;
#include "report/amla/report_ablation.def"
#undef ROW
#undef SCALED
}

static double ratio(const result_t *result) {
  return result->ours->time_us / result->first->time_us;
}

// --- files ------------------------------------------------------------------------------------

static void json_row(const row_t *row, const result_t *result, size_t sq, cJSON *list) {
  cJSON *object = json_add_row(list);
  cJSON_AddStringToObject(object, "name", row->name);
  cJSON_AddStringToObject(object, "run", row->line);
  cJSON_AddNumberToObject(object, "sq", (double)sq);
  cJSON_AddNumberToObject(object, "batch", (double)result->batch);
  cJSON_AddNumberToObject(object, "cycles", (double)result->ours->cycles);
  cJSON_AddNumberToObject(object, "time_us", result->ours->time_us);
  cJSON_AddNumberToObject(object, "fu", result->ours->fu);
  cJSON_AddNumberToObject(object, "ratio", ratio(result));
  cJSON_AddStringToObject(object, "note", row->note);
}

static void write_json(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON_AddNumberToObject(root, "seq_kv", (double)table->keys);
  cJSON_AddNumberToObject(root, "cores", table->cores);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t token = 0; token < TOKENS; ++token) {
    for (size_t i = 0; i < ROWS; ++i) {
      json_row(&rows[i], &table->list[token][i], token + 1, list);
    }
  }
}

static void markdown_row(const table_t *table, size_t i, FILE *file) {
  fprintf(file, "| %s |", rows[i].name);
  for (size_t token = 0; token < TOKENS; ++token) {
    const result_t *result = &table->list[token][i];
    fprintf(file, " %.1f | %.1f | %.3f |", result->ours->time_us, 100 * result->ours->fu,
            ratio(result));
  }
  fprintf(file, " %s", rows[i].note);
  if (rows[i].parameter != NULL) {
    fprintf(file, ", %s = %.4g", rows[i].parameter, table->scaled[i]);
  }
  if (rows[i].mode == DATA) {
    fprintf(file, "%son made-up data, which the time depends on, batch %llu",
            rows[i].note[0] == '\0' ? "" : "; ", table->list[0][i].batch);
  }
  fprintf(file, " | `%s` |\n", rows[i].line);
}

static void write_markdown(const void *data, FILE *file) {
  const table_t *table = data;
  fprintf(file,
          "# What each part is worth\n\n"
          "128 heads, %zu keys, batch %llu on %u AI cores (`amalgam report ablation`); us, FLOPS "
          "utilisation in %%, and time over\nthat of the first row.\n\n"
          "| | Sq 1, us | FU | ratio | Sq 2, us | FU | ratio | note | run |\n"
          "|---|---|---|---|---|---|---|---|---|\n",
          table->keys, table->batch, table->cores);
  for (size_t i = 0; i < ROWS; ++i) {
    markdown_row(table, i, file);
  }
  fprintf(file, "\n![plot](ablation.svg)\n");
}

static void write_plot(const void *data, FILE *gnuplot) {
  const table_t *table = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < ROWS; ++i) {
    fprintf(gnuplot, "\"%s\" %g %g\n", rows[i].name, 100 * table->list[0][i].ours->fu,
            100 * table->list[1][i].ours->fu);
  }
  report_bars(gnuplot);
  fprintf(gnuplot,
          "set yrange [0:100]\n"
          "set xtics rotate by -35\nset rmargin 12\nset ylabel 'FLOPS utilisation, %%'\n"
          "set key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'Sq = 1' lc rgb '#cc6633', "
          "'' using 3 title 'Sq = 2' lc rgb '#4477aa'\n");
}

// --- the simulations --------------------------------------------------------------------------

// What the row's line says.
static void change(report_job_t *job, size_t row) {
  attention_settings_t *a = &job->attention.settings;
  size_t i = 0;
#define ROW(name, line, mode, note, change) \
  if (i++ == row) {                         \
    change;                                 \
  }
#define SCALED(name, line, section, parameter, factor, note) ++i;
#include "report/amla/report_ablation.def"
#undef ROW
#undef SCALED
}

static const report_outcome_t *add(report_jobs_t *jobs, const kernel_machine_t *machine,
                                   const table_t *table, size_t i, size_t sq, size_t batch) {
  const row_t *row = &rows[i];
  const bool base = strncmp(row->line, "base", strlen("base")) == 0;
  report_job_t *job = report_add(jobs, machine, base ? "base" : "amla", "%.50s, Sq %zu%s",
                                 row->name, sq, batch == table->batch ? "" : ", smaller batch");
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

static void add_rows(report_jobs_t *jobs, const kernel_machine_t *machine, table_t *table,
                     size_t sq) {
  const size_t small = table->batch < table->cores ? table->batch : table->cores;
  const report_outcome_t *first = NULL;
  const report_outcome_t *first_small = NULL;
  for (size_t i = 0; i < ROWS; ++i) {
    result_t *result = &table->list[sq - 1][i];
    const bool data = rows[i].mode == DATA;
    result->batch = data ? small : table->batch;
    if (data && first_small == NULL) {
      first_small = add(jobs, machine, table, 0, sq, small);
    }
    result->ours = add(jobs, machine, table, i, sq, result->batch);
    first = i == 0 ? result->ours : first;
    result->first = data ? first_small : first;
  }
}

static bool run_and_write(const report_context_t *context, const kernel_machine_t *machine,
                          table_t *table, base_exit_t *code, base_error_t *error) {
  report_jobs_t jobs;
  const report_files_t files = {.name = context->name, .data = table, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  if (!report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  add_rows(&jobs, machine, table, 1);
  add_rows(&jobs, machine, table, 2);
  const bool good = report_run_and_write(&jobs, false, &files, context->settings->out, code,
                                         error);
  report_jobs_close(&jobs);
  return good;
}

bool report_ablation(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  kernel_machine_t machine;
  table_t table = {.batch = kernel_size_or(settings->batch, REPORT_PAPER_BATCH)};
  if (!report_machine(settings, "ascend910", 0, &machine, error) ||
      !report_one_size(context, 16384, &table.keys, error)) {
    return false;
  }
  table.cores = machine.soc.config.soc.ai_cores;
  scaled_values(&machine.soc.config, table.scaled);
  return run_and_write(context, &machine, &table, code, error);
}
