// Table 2: arithmetic intensity.  The formulas count the KV cache alone; ours is FLOPs over all
// bytes that a simulation reads from HBM, the queries included, with nothing in L2 at the start.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/amla/paper.h"
#include "report/report_write.h"

typedef struct variant {
  const char *name;
  size_t q_heads, kv_heads, sq;
  bool mla;
  const char *paper_text;
  double paper;
} variant_t;

static const variant_t variants[] = {
#define VARIANT(name, q_heads, kv_heads, sq, mla, text, paper) {name, q_heads, kv_heads, sq, mla, text, paper},
#include "report/amla/table2.def"
#undef VARIANT
};
enum { VARIANTS = sizeof variants / sizeof *variants };

typedef struct table {
  const report_outcome_t *measured[VARIANTS];  // NULL: no kernel for it
  kernel_machine_t machine;
  size_t keys, batch;
} table_t;

// Section 2.4 of the paper; its N1 S1 is that of one KV head.
static double formula(const variant_t *variant) {
  const size_t rows = variant->q_heads * variant->sq;
  return variant->mla ? report_mla_intensity(rows) : (double)rows / (double)variant->kv_heads;
}

static double measured(const table_t *table, size_t i) {
  const report_outcome_t *outcome = table->measured[i];
  return outcome == NULL || outcome->hbm_read == 0 ? NAN : (double)outcome->flops / (double)outcome->hbm_read;
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < VARIANTS; ++i) {
    const variant_t *variant = &variants[i];
    report_row(list, TEXT("variant", variant->name), NUMBER("q_heads", variant->q_heads),
               NUMBER("kv_heads", variant->kv_heads), NUMBER("sq", variant->sq), NUMBER("formula", formula(variant)),
               NUMBER("measured", measured(table, i)), NUMBER("paper/intensity", variant->paper),
               TEXT(".paper", variant->paper_text));
  }
  report_put(root, NUMBER("seq_kv", table->keys), NUMBER("batch", table->batch));
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  for (size_t i = 0; i < VARIANTS; ++i) {
    const variant_t *variant = &variants[i];
    if (!variant->mla) {
      continue;
    }
    report_job_t *job = report_add(jobs, &table->machine, "amla", "%s", variant->name);
    job->attention.settings.machine.soc.l2_warm = false;
    job->attention.input.heads = variant->q_heads;
    job->attention.input.batch = table->batch;
    job->attention.input.seq_q = variant->sq;
    job->attention.input.keys = table->keys;
    table->measured[i] = &job->outcome;
  }
}

REPORT_TEMPLATE(table2_text, "amla/table2.md");
static const report_t table2 = {fill, table2_text, add_jobs, NULL};

bool report_table2(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  table_t table = {.batch = kernel_size_or(context->settings->batch, REPORT_PAPER_BATCH)};
  return report_machine(context, "ascend910", 0, &table.machine, error) &&
         report_one_size(context, 4096, &table.keys, error) &&
         report_simulate(context, &table2, false, &table, code, error);
}
