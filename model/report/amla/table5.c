// Table 5 and figure 10: times of the AMLA kernel on the chip.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "report/amla/paper.h"
#include "report/report_write.h"

enum { ENTRIES_MAX = 2 * REPORT_KEYS_MAX };

typedef struct row {
  size_t sq, sk;
  const report_entry_t *paper;   // NULL: not in the paper
  const report_outcome_t *ours;  // of the job, which outlives the row
} row_t;

// Errors against the paper over some rows, in %.
typedef struct summary {
  size_t count;
  double mean, largest;  // of the absolute values
  const row_t *worst;
} summary_t;

typedef struct table {
  row_t list[ENTRIES_MAX];
  size_t count;
  kernel_machine_t machine;
  unsigned long long batch;
  unsigned cores;
  bool functional;
} table_t;

// --- errors -----------------------------------------------------------------------------------

static double error_percent(const row_t *row) {
  return row->paper == NULL ? NAN : 100 * (row->ours->time_us / row->paper->time_us - 1);
}

static summary_t summarise(const table_t *table) {
  summary_t summary = {0};
  for (size_t i = 0; i < table->count; ++i) {
    const row_t *row = &table->list[i];
    const double error = fabs(error_percent(row));
    if (row->paper == NULL) {
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

// --- the document -----------------------------------------------------------------------------

static void put_row(const row_t *row, cJSON *list) {
  const report_entry_t *paper = row->paper;
  cJSON *object =
      report_row(list, NUMBER("sq", row->sq), NUMBER("sk", row->sk), NUMBER(".paper_fu", paper == NULL ? 0 : paper->fu),
                 NUMBER(".gpu_fu", paper == NULL ? 0 : paper->gpu_fu));
  report_put(object, NUMBER("time_us", row->ours->time_us), NUMBER("fu", row->ours->fu),
             NUMBER("error_percent", error_percent(row)));
  if (paper == NULL) {
    report_put(object, NOTHING("paper"));
    return;
  }
  report_put(object, NUMBER("paper/time_us", paper->time_us), NUMBER("paper/fu", paper->fu / 100),
             NUMBER("paper_gpu/time_us", paper->gpu_time_us), NUMBER("paper_gpu/fu", paper->gpu_fu / 100));
}

static void put_summary(cJSON *root, const char *name, const summary_t *summary) {
  cJSON *object = report_put(cJSON_AddObjectToObject(root, name), NUMBER("entries", summary->count),
                             NUMBER("mean_abs_error_percent", summary->mean));
  if (summary->worst != NULL) {
    report_put(object, NUMBER("worst/sq", summary->worst->sq), NUMBER("worst/sk", summary->worst->sk),
               NUMBER("worst/abs_error_percent", summary->largest));
  }
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  const summary_t all = summarise(table);
  report_put(root, NUMBER("batch", table->batch), NUMBER("cores", table->cores),
             FLAG("timing_only", !table->functional), NUMBER(".paper_batch", REPORT_PAPER_BATCH));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < table->count; ++i) {
    put_row(&table->list[i], list);
  }
  put_summary(root, "summary", &all);
}

// --- the simulations --------------------------------------------------------------------------

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  for (size_t i = 0; i < table->count; ++i) {
    row_t *row = &table->list[i];
    report_job_t *job = report_add(jobs, &table->machine, "amla", "Sq %zu, Sk %zu", row->sq, row->sk);
    job->attention.input.batch = table->batch;
    job->attention.input.seq_q = row->sq;
    job->attention.input.keys = row->sk;
    if (table->functional) {
      report_job_compute(job);
    }
    row->ours = &job->outcome;
  }
}

REPORT_TEMPLATE(table5_text, "amla/table5.md");
static const report_t table5 = {fill, table5_text, add_jobs, NULL};

bool report_table5(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_keys_t usual = {.list = {1024, 2048, 3072, 4096, 6144, 16384}, .count = 6};
  const report_settings_t *settings = context->settings;
  report_keys_t keys;
  table_t table = {.batch = kernel_size_or(settings->batch, REPORT_PAPER_BATCH), .functional = settings->functional};
  if (!report_machine(context, "ascend910", 0, &table.machine, error) || !report_keys(settings, &usual, &keys, error)) {
    return false;
  }
  table.cores = table.machine.soc.config.soc.ai_cores;
  for (size_t sq = 1; sq <= 2; ++sq) {
    for (size_t i = 0; i < keys.count; ++i) {
      table.list[table.count++] = (row_t){.sq = sq, .sk = keys.list[i], .paper = report_paper_entry(sq, keys.list[i])};
    }
  }
  return report_simulate(context, &table5, table.functional, &table, code, error);
}
