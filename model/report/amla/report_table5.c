// Table 5 and figure 10: times of the AMLA kernel on the chip.  Each entry twice: with the config's
// constants, which are fitted to all of the table, and with those fitted to the rows of Sq = 2,
// which makes the rows of Sq = 1 a prediction.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "report/amla/report_fit.h"
#include "report/report_write.h"

enum { ENTRIES_MAX = 2 * REPORT_KEYS_MAX };

typedef struct row {
  size_t sq, sk;
  const report_entry_t *paper;               // NULL: not in the paper
  const report_outcome_t *ours, *predicted;  // of the jobs, which outlive the rows
} row_t;

// Errors against the paper over some rows, in %.
typedef struct summary {
  size_t count;
  double mean, largest;                      // of the absolute values
  const row_t *worst;
} summary_t;

typedef struct table {
  row_t list[ENTRIES_MAX];
  size_t count;
  unsigned long long batch;
  unsigned cores;
  bool functional;
} table_t;

// --- errors -----------------------------------------------------------------------------------

static double error_percent(const row_t *row, const report_outcome_t *outcome) {
  return row->paper == NULL ? NAN : 100 * (outcome->time_us / row->paper->time_us - 1);
}

static summary_t summarise(const table_t *table, size_t sq_from, bool predicted) {
  summary_t summary = {0};
  for (size_t i = 0; i < table->count; ++i) {
    const row_t *row = &table->list[i];
    const double error = fabs(error_percent(row, predicted ? row->predicted : row->ours));
    if (row->paper == NULL || (sq_from != 0 && row->sq != sq_from)) {
      continue;
    }
    ++summary.count;
    summary.mean += error;
    if (summary.worst == NULL || error > summary.largest) {
      summary.largest = error;
      summary.worst = row;
    }
  }
  summary.mean /= summary.count == 0 ? 1 : (double)summary.count;
  return summary;
}

// --- JSON -------------------------------------------------------------------------------------

static void json_row(const row_t *row, cJSON *list) {
  cJSON *object = json_add_row(list);
  cJSON_AddNumberToObject(object, "sq", (double)row->sq);
  cJSON_AddNumberToObject(object, "sk", (double)row->sk);
  cJSON_AddNumberToObject(object, "time_us", row->ours->time_us);
  cJSON_AddNumberToObject(object, "fu", row->ours->fu);
  cJSON_AddNumberToObject(object, "error_percent", error_percent(row, row->ours));
  cJSON *predicted = cJSON_AddObjectToObject(object, "fitted_to_sq2");
  cJSON_AddNumberToObject(predicted, "time_us", row->predicted->time_us);
  cJSON_AddNumberToObject(predicted, "fu", row->predicted->fu);
  cJSON_AddNumberToObject(predicted, "error_percent", error_percent(row, row->predicted));
  if (row->paper == NULL) {
    cJSON_AddNullToObject(object, "paper");
    return;
  }
  cJSON *paper = cJSON_AddObjectToObject(object, "paper");
  cJSON_AddNumberToObject(paper, "time_us", row->paper->time_us);
  cJSON_AddNumberToObject(paper, "fu", row->paper->fu / 100);
  cJSON *gpu = cJSON_AddObjectToObject(object, "paper_gpu");
  cJSON_AddNumberToObject(gpu, "time_us", row->paper->gpu_time_us);
  cJSON_AddNumberToObject(gpu, "fu", row->paper->gpu_fu / 100);
}

static void json_summary(cJSON *root, const char *name, const summary_t *summary) {
  cJSON *object = cJSON_AddObjectToObject(root, name);
  cJSON_AddNumberToObject(object, "entries", (double)summary->count);
  cJSON_AddNumberToObject(object, "mean_abs_error_percent", summary->mean);
  if (summary->worst != NULL) {
    cJSON *worst = cJSON_AddObjectToObject(object, "worst");
    cJSON_AddNumberToObject(worst, "sq", (double)summary->worst->sq);
    cJSON_AddNumberToObject(worst, "sk", (double)summary->worst->sk);
    cJSON_AddNumberToObject(worst, "abs_error_percent", summary->largest);
  }
}

static void write_json(const void *data, cJSON *root) {
  const table_t *table = data;
  const summary_t all = summarise(table, 0, false);
  const summary_t prediction = summarise(table, 1, true);
  cJSON_AddNumberToObject(root, "batch", (double)table->batch);
  cJSON_AddNumberToObject(root, "cores", table->cores);
  cJSON_AddBoolToObject(root, "timing_only", !table->functional);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < table->count; ++i) {
    json_row(&table->list[i], list);
  }
  json_summary(root, "summary", &all);
  json_summary(root, "sq1_predicted_from_sq2", &prediction);
}

// --- Markdown ---------------------------------------------------------------------------------

static void markdown_row(const row_t *row, FILE *file) {
  const report_entry_t *paper = row->paper;
  fprintf(file, "| %zu | %zu | %.1f |", row->sq, row->sk, row->ours->time_us);
  report_cell(file, 0, paper == NULL ? NAN : paper->time_us);
  report_cell(file, 1, error_percent(row, row->ours));
  report_cell(file, 1, 100 * row->ours->fu);
  report_cell(file, 1, paper == NULL ? NAN : paper->fu);
  report_cell(file, 1, row->predicted->time_us);
  report_cell(file, 1, error_percent(row, row->predicted));
  report_cell(file, 0, paper == NULL ? NAN : paper->gpu_time_us);
  report_cell(file, 1, paper == NULL ? NAN : paper->gpu_fu);
  fputc('\n', file);
}

static void markdown_summary(FILE *file, const char *what, const summary_t *summary) {
  if (summary->count > 0) {
    fprintf(file, "- %s: mean absolute error %.1f %%, worst %.1f %% at Sq %zu, Sk %zu\n", what,
            summary->mean, summary->largest, summary->worst->sq, summary->worst->sk);
  }
}

static void markdown_constants(FILE *file) {
  fprintf(file, "Fitted constants: ");
  for (size_t i = 0; i < REPORT_FIT_COUNT; ++i) {
    fprintf(file, "%s`%s`", i == 0 ? "" : ", ", report_fits[i].name);
  }
  fprintf(file,
          ". \"ours\" has the config's values, fitted to all\ntwelve entries; \"from Sq = 2\" has "
          "values fitted to the entries of Sq = 2 alone, so that its rows of\nSq = 1 are a "
          "prediction.\n\n");
}

static void write_markdown(const void *data, FILE *file) {
  const table_t *table = data;
  const summary_t all = summarise(table, 0, false);
  const summary_t prediction = summarise(table, 1, true);
  fprintf(file,
          "# Table 5 of the AMLA paper: kernel times on the chip\n\n"
          "AMLA, 128 heads, batch %llu on %u AI cores (the paper: batch %d on 48), times in us, FU "
          "in %% of the peak\n(`amalgam report table5`).\n\n",
          table->batch, table->cores, REPORT_PAPER_BATCH);
  markdown_constants(file);
  fprintf(file,
          "| Sq | Sk | ours | paper | error, %% | FU | paper | from Sq = 2 | error, %% | "
          "GPU, paper | its FU |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < table->count; ++i) {
    markdown_row(&table->list[i], file);
  }
  fputc('\n', file);
  markdown_summary(file, "all entries", &all);
  markdown_summary(file, "Sq = 1 predicted from Sq = 2", &prediction);
  fprintf(file, "\n![plot](fig10.svg)\n");
}

// --- the plot of figure 10 --------------------------------------------------------------------

static void write_plot(const void *data, FILE *gnuplot) {
  const table_t *table = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < table->count; ++i) {
    const row_t *row = &table->list[i];
    const report_entry_t *paper = row->paper;
    fprintf(gnuplot, "\"Sq %zu\\n%zu\" %g %g %g\n", row->sq, row->sk, 100 * row->ours->fu,
            paper == NULL ? 0 : paper->fu, paper == NULL ? 0 : paper->gpu_fu);
  }
  report_bars(gnuplot);
  fprintf(gnuplot,
          "set yrange [0:100]\n"
          "set ylabel 'FLOPS utilisation, %%'\nset key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'AMLA, ours' lc rgb '#cc6633', "
          "'' using 3 title 'AMLA, paper' lc rgb '#f2c9b0', "
          "'' using 4 title 'GPU, paper' lc rgb '#bbbbbb'\n");
}

// --- the simulations --------------------------------------------------------------------------

static report_job_t *add(report_jobs_t *jobs, const kernel_machine_t *machine, const row_t *row,
                         const table_t *table, const char *what) {
  report_job_t *job =
      report_add(jobs, machine, "amla", "Sq %zu, Sk %zu%s", row->sq, row->sk, what);
  job->attention.input.batch = table->batch;
  job->attention.input.seq_q = row->sq;
  job->attention.input.keys = row->sk;
  return job;
}

// Every entry with the config's constants, and with those of Sq = 2 unless they are the same.
static void add_jobs(report_jobs_t *jobs, const kernel_machine_t *machine, table_t *table) {
  double now[REPORT_FIT_COUNT];
  double sq2[REPORT_FIT_COUNT];
  report_fit_values(&machine->soc.config, now);
  bool same = true;
  for (size_t i = 0; i < REPORT_FIT_COUNT; ++i) {
    sq2[i] = report_fits[i].sq2;
    same = same && now[i] == sq2[i];
  }
  for (size_t i = 0; i < table->count; ++i) {
    row_t *row = &table->list[i];
    report_job_t *ours = add(jobs, machine, row, table, "");
    report_job_t *predicted = same ? ours : add(jobs, machine, row, table, ", from Sq 2");
    if (table->functional) {
      report_job_compute(ours);
    }
    if (!same) {
      report_fit_set(predicted, sq2);
    }
    row->ours = &ours->outcome;
    row->predicted = &predicted->outcome;
  }
}

static bool run_and_write(const report_context_t *context, const kernel_machine_t *machine,
                          table_t *table, base_exit_t *code, base_error_t *error) {
  report_jobs_t jobs;
  const report_files_t files = {.name = "table5", .plot_name = "fig10", .data = table,
                                .json = write_json, .markdown = write_markdown,
                                .plot = write_plot};
  if (!report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  add_jobs(&jobs, machine, table);
  const bool good = report_run_and_write(&jobs, table->functional, &files,
                                         context->settings->out, code, error);
  report_jobs_close(&jobs);
  return good;
}

bool report_table5(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_keys_t usual = {.list = {1024, 2048, 3072, 4096, 6144, 16384}, .count = 6};
  report_keys_t keys;
  kernel_machine_t machine;
  const report_settings_t *settings = context->settings;
  if (!report_machine(settings, "ascend910", 0, &machine, error) ||
      !report_keys(settings, &usual, &keys, error)) {
    return false;
  }
  if (settings->fit != REPORT_FIT_NO) {
    return report_fit_search(context, &machine, &keys, code, error);
  }
  table_t table = {.batch = kernel_size_or(settings->batch, REPORT_PAPER_BATCH),
                   .cores = machine.soc.config.soc.ai_cores,
                   .functional = settings->functional};
  for (size_t sq = 1; sq <= 2; ++sq) {
    for (size_t i = 0; i < keys.count; ++i) {
      table.list[table.count++] = (row_t){.sq = sq, .sk = keys.list[i],
                                          .paper = report_paper_entry(sq, keys.list[i])};
    }
  }
  return run_and_write(context, &machine, &table, code, error);
}
