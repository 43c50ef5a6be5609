// The errors of H-FA and FA-2 against attention in FP64, by shape and by width of the scores.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "num/golden/num_attention.h"
#include "num/engine/num_engine.h"
#include "report/hfa/queries.h"
#include "report/report.h"
#include "report/report_write.h"

enum { KEYS = 1024, PER_SEED = 8 };

typedef enum engine_kind { MITCHELL, CORRECTED, FA2, ENGINES } engine_kind_t;

static const struct {
  const char *name;
  num_engine_t it;  // without its shape
} engines[ENGINES] = {
    [MITCHELL] = {"mitchell", {.design = NUM_DESIGN_HFA}},
    [CORRECTED] = {"corrected", {.design = NUM_DESIGN_HFA, .hfa = {.corrected = true}}},
    [FA2] = {"fa2", {.design = NUM_DESIGN_FA2}},
};

typedef struct row {
  size_t d, blocks;
  unsigned sigma;
  double error[ENGINES];  // means over the queries; of what is expected, 0: none
} row_t;

static const row_t expectations[] = {
#define ROW(d, blocks, sigma, mitchell, corrected, fa2) {d, blocks, sigma, {mitchell, corrected, fa2}},
#include "report/hfa/accuracy.def"
#undef ROW
};
enum { EXPECTATIONS = sizeof expectations / sizeof *expectations };

static const size_t widths[] = {32, 64, 128};
static const size_t blocks[] = {1, 2, 4, 8};
static const unsigned sigmas[] = {1, 4, 8};
#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { SETS = COUNT(widths) * COUNT(sigmas), ROWS = SETS * COUNT(blocks) };

typedef struct table {
  row_t list[ROWS];
  size_t seeds;
} table_t;

static double expected(const row_t *row, engine_kind_t engine) {
  for (size_t i = 0; i < EXPECTATIONS; ++i) {
    const row_t *e = &expectations[i];
    if (e->d == row->d && e->blocks == row->blocks && e->sigma == row->sigma && e->error[engine] > 0) {
      return e->error[engine];
    }
  }
  return NAN;
}

// --- errors -----------------------------------------------------------------------------------

typedef struct work {
  const report_queries_t *queries;
  num_engine_t engine;
  double *error;  // [queries]
} work_t;

static double judge(const report_query_t *query, const num_bf16_t *out, float *values, size_t d) {
  num_error_t error;
  num_bf16_to_f32_n(out, values, d);
  num_error(query->golden, values, d, &error);
  return error.rel_fro;
}

static bool attend(void *context, size_t first, size_t end) {
  const work_t *work = context;
  const size_t d = work->engine.d;
  num_element_t *scratch = malloc(2 * (d + 1) * sizeof *scratch);
  num_bf16_t *out = malloc(d * sizeof *out);
  float *values = malloc(d * sizeof *values);
  const bool good = scratch != NULL && out != NULL && values != NULL;
  for (size_t i = first; good && i < end; ++i) {
    const report_query_t *query = &work->queries->list[i];
    num_engine_attention(&work->engine, query->scaled, query->k, query->v, NULL, query->keys, out, scratch);
    work->error[i] = judge(query, out, values, d);
  }
  free(scratch);
  free(out);
  free(values);
  return good;
}

static bool measure(const report_queries_t *queries, engine_kind_t engine, row_t *row, base_error_t *error) {
  work_t work = {queries, engines[engine].it, malloc(queries->count * sizeof(double))};
  work.engine.d = row->d;
  work.engine.blocks = row->blocks;
  work.engine.rows = KEYS;
  if (work.error == NULL || !report_queries_each(queries, attend, &work, error)) {
    free(work.error);
    return base_fail(error, "report: out of memory");
  }
  row->error[engine] = 0;
  for (size_t i = 0; i < queries->count; ++i) {
    row->error[engine] += work.error[i] / (double)queries->count;
  }
  free(work.error);
  return true;
}

static bool fill_set(size_t seeds, size_t d, unsigned sigma, row_t *rows, base_error_t *error) {
  report_queries_t queries;
  if (!report_queries_normal(d, KEYS, sigma, seeds, PER_SEED, &queries, error)) {
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < COUNT(blocks); ++i) {
    rows[i] = (row_t){.d = d, .blocks = blocks[i], .sigma = sigma};
    for (engine_kind_t engine = 0; good && engine < ENGINES; ++engine) {
      good = measure(&queries, engine, &rows[i], error);
    }
  }
  report_queries_free(&queries);
  return good;
}

// --- files ------------------------------------------------------------------------------------

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  report_put(root, NUMBER("seq_kv", KEYS), NUMBER("seeds", table->seeds), NUMBER("queries", table->seeds * PER_SEED),
             NUMBER(".per_seed", PER_SEED));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < ROWS; ++i) {
    const row_t *row = &table->list[i];
    cJSON *object = report_row(list, NUMBER("d", row->d), NUMBER("blocks", row->blocks), NUMBER("sigma", row->sigma));
    for (engine_kind_t engine = 0; engine < ENGINES; ++engine) {
      report_put(object, NUMBER(engines[engine].name, row->error[engine]));
    }
    cJSON *wanted = cJSON_AddObjectToObject(object, "expected");
    for (engine_kind_t engine = 0; engine < ENGINES; ++engine) {
      report_put(wanted, NUMBER(engines[engine].name, expected(row, engine)));
    }
  }
}

REPORT_TEMPLATE(accuracy_text, "hfa/accuracy.md");
static const report_t report = {fill, accuracy_text, NULL, NULL};

// --- the report -------------------------------------------------------------------------------

bool report_engine_accuracy(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  table_t table = {.seeds = kernel_size_or(context->settings->seeds, 16)};
  *code = BASE_BAD_INPUT;
  for (size_t i = 0; i < SETS; ++i) {
    const unsigned sigma = sigmas[i / COUNT(widths)];
    const size_t d = widths[i % COUNT(widths)];
    char what[48];
    snprintf(what, sizeof what, "sigma %u, d %zu", sigma, d);
    if (!report_step(context, i + 1, SETS, what, code, error) ||
        !fill_set(table.seeds, d, sigma, table.list + i * COUNT(blocks), error)) {
      return false;
    }
  }
  return report_write(context, &report, &table, error);
}
