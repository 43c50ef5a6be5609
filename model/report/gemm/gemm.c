// Products by tiles of one size, halved until every AI core has one, and by tiles that the cost model chooses.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "report/report_write.h"

typedef struct row {
  size_t m, n, k, cores;
  const report_outcome_t *halving, *chosen[GEMM_LAYOUTS];
} row_t;

typedef struct table {
  kernel_machine_t machine;
  row_t list[32];
  size_t count;
} table_t;

static const char *const layouts[GEMM_LAYOUTS] = {"nd", "dn", "nz"};

static void put_row(const row_t *row, cJSON *list) {
  const report_gemm_outcome_t *gemm = &row->chosen[GEMM_ND]->gemm;
  const gemm_cut_t *cut = &gemm->cut;
  char text[32];
  snprintf(text, sizeof text, "%u x %u x %u", cut->rows, cut->cols, cut->depth);
  cJSON *object =
      report_row(list, NUMBER("m", row->m), NUMBER("n", row->n), NUMBER("k", row->k), NUMBER("cores", row->cores),
                 NUMBER("halving_us", row->halving->time_us), NUMBER("chosen_us", row->chosen[GEMM_ND]->time_us),
                 NUMBER("saved_percent", 100 * (1 - row->chosen[GEMM_ND]->time_us / row->halving->time_us)),
                 TEXT("tile", text), NUMBER("split_k", gemm->splits),
                 TEXT("order", cut->order == GEMM_BY_COLUMNS ? "columns" : "rows"), NUMBER("estimate_us", cut->us));
  for (size_t i = GEMM_DN; i < GEMM_LAYOUTS; ++i) {
    char name[16];
    snprintf(name, sizeof name, "%s_us", layouts[i]);
    report_put(object, NUMBER(name, row->chosen[i]->time_us));
  }
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < table->count; ++i) {
    put_row(&table->list[i], list);
  }
  report_put(root, NUMBER(".launch_us", table->machine.soc.config.soc.launch_us));
}

static const report_outcome_t *add(report_jobs_t *jobs, const table_t *table, const row_t *row, enum gemm_layout layout,
                                   bool halving) {
  report_job_t *job = report_add(jobs, &table->machine, "gemm", "%zu x %zu x %zu, %s%s", row->m, row->n, row->k,
                                 layouts[layout], halving ? ", halving" : "");
  report_job_set(job, "soc.ai_cores=%zu", row->cores);
  job->gemm.input.m = row->m;
  job->gemm.input.n = row->n;
  job->gemm.input.k = row->k;
  job->gemm.input.layout = layout;
  job->gemm.settings.halving = halving;
  return &job->outcome;
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  for (size_t i = 0; i < table->count; ++i) {
    row_t *row = &table->list[i];
    row->halving = add(jobs, table, row, GEMM_ND, true);
    for (enum gemm_layout layout = GEMM_ND; layout < GEMM_LAYOUTS; ++layout) {
      row->chosen[layout] = add(jobs, table, row, layout, false);
    }
  }
}

REPORT_TEMPLATE(gemm_text, "gemm/gemm.md");
static const report_t gemm = {fill, gemm_text, add_jobs, NULL};

bool report_gemm(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static table_t table = {.list = {
#define PRODUCT(rows, cols, depth, used) {.m = (rows), .n = (cols), .k = (depth), .cores = (used)},
#include "report/gemm/gemm.def"
#undef PRODUCT
                          }};
  table.count = 0;
  while (table.list[table.count].m != 0) {
    ++table.count;
  }
  return report_machine(context, "ascend910_die", 0, &table.machine, error) &&
         report_simulate(context, &gemm, false, &table, code, error);
}
