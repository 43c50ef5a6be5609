// Table 2: arithmetic intensity.  The formulas count the KV cache alone; ours is FLOPs over all
// bytes that a simulation reads from HBM, the queries included, with nothing in L2 at the start.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/report.h"
#include "report/report_write.h"

typedef struct variant {
  const char *name;
  size_t q_heads, kv_heads, sq;
  bool mla;
  const char *paper_text;
  double paper;
} variant_t;

static const variant_t variants[] = {
#define VARIANT(name, q_heads, kv_heads, sq, mla, text, paper) \
  {name, q_heads, kv_heads, sq, mla, text, paper},
#include "report/amla/report_table2.def"
#undef VARIANT
};
enum { VARIANTS = sizeof variants / sizeof *variants };

typedef struct table {
  const report_outcome_t *measured[VARIANTS];   // NULL: no kernel for it
  size_t keys;
  unsigned long long batch;
} table_t;

// Section 2.4 of the paper; its N1 S1 is that of one KV head.
static double formula(const variant_t *variant) {
  const size_t rows = variant->q_heads * variant->sq;
  return variant->mla ? report_mla_intensity(rows) : (double)rows / (double)variant->kv_heads;
}

static double measured(const table_t *table, size_t i) {
  const report_outcome_t *outcome = table->measured[i];
  return outcome == NULL || outcome->hbm_read == 0
             ? NAN
             : (double)outcome->flops / (double)outcome->hbm_read;
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < VARIANTS; ++i) {
    const variant_t *variant = &variants[i];
    report_row(list, TEXT("variant", variant->name), NUMBER("q_heads", variant->q_heads),
               NUMBER("kv_heads", variant->kv_heads), NUMBER("sq", variant->sq),
               NUMBER("formula", formula(variant)), NUMBER("measured", measured(table, i)),
               NUMBER("paper/intensity", variant->paper), TEXT(".paper", variant->paper_text));
  }
  report_put(root, NUMBER("seq_kv", table->keys), NUMBER("batch", table->batch));
}

REPORT_TEMPLATE(table2_text, "amla/table2.md");
static const report_files_t files = {fill, table2_text};

static void add_jobs(report_jobs_t *jobs, const kernel_machine_t *machine, table_t *table) {
  for (size_t i = 0; i < VARIANTS; ++i) {
    const variant_t *variant = &variants[i];
    if (!variant->mla) {
      continue;
    }
    report_job_t *job = report_add(jobs, machine, "amla", "%s", variant->name);
    job->attention.settings.machine.soc.l2_warm = false;
    job->attention.input.heads = variant->q_heads;
    job->attention.input.batch = table->batch;
    job->attention.input.seq_q = variant->sq;
    job->attention.input.keys = table->keys;
    table->measured[i] = &job->outcome;
  }
}

bool report_table2(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  kernel_machine_t machine;
  report_jobs_t jobs;
  table_t table = {.batch = kernel_size_or(settings->batch, REPORT_PAPER_BATCH)};
  if (!report_machine(settings, "ascend910", 0, &machine, error) ||
      !report_one_size(context, 4096, &table.keys, error) ||
      !report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  add_jobs(&jobs, &machine, &table);
  const bool good = report_run_and_write(context, &jobs, false, &files, &table, code, error);
  report_jobs_close(&jobs);
  return good;
}
