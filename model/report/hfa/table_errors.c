// Table III of the H-FA paper: which approximation makes how much of the error. One at a time is
// removed; the error that goes with it is its contribution.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/hfa/hfa.h"
#include "report/report.h"
#include "report/report_write.h"

// The last three are the parts of MITCHELL.
typedef enum source { QUANTISED, MITCHELL, PWL, ADD, LOG, OUT, SOURCES } source_t;

static const source_t shared[] = {QUANTISED, MITCHELL, PWL};  // the paper's
enum { SHARED = sizeof shared / sizeof *shared };

static const struct {
  const char *name;
  num_hfa_sources_t it;
} sources[SOURCES] = {
    [QUANTISED] = {"quantised", {.quantised = true}},
    [MITCHELL] = {"mitchell", {.mitchell_add = true, .mitchell_log = true, .mitchell_out = true}},
    [PWL] = {"pwl", {.pwl = true}},
    [ADD] = {"mitchell_add", {.mitchell_add = true}},
    [LOG] = {"mitchell_log", {.mitchell_log = true}},
    [OUT] = {"mitchell_out", {.mitchell_out = true}},
};

static const struct {
  const char *name;
  double share[SHARED];
} papers[] = {
#define ROW(name, quantised, mitchell, pwl) {name, {quantised, mitchell, pwl}},
#include "report/hfa/table_errors.def"
#undef ROW
};
enum { PAPERS = sizeof papers / sizeof *papers };

// Sums of absolute errors over the sum of the golden's absolute values.
typedef struct row {
  const char *set;
  size_t blocks;
  char text[sizeof((report_queries_t *)NULL)->text];
  double all, none;
  double without[SOURCES], alone[SOURCES];
} row_t;

enum { BLOCKS = 2, ROWS = REPORT_SETS * BLOCKS };
static const size_t blocks[BLOCKS] = {1, 4};

typedef struct table {
  row_t list[ROWS];
} table_t;

// --- errors -----------------------------------------------------------------------------------

typedef struct work {
  const report_queries_t *queries;
  const num_hfa_sources_t *sources;
  size_t blocks;
  num_bf16_t *out;  // [queries,d]
} work_t;

static bool attend(void *context, size_t first, size_t end) {
  const work_t *work = context;
  return report_queries_hfa(work->queries, first, end, work->sources, work->blocks, work->out);
}

static double difference(const report_queries_t *queries, const num_bf16_t *out) {
  double sum = 0;
  for (size_t i = 0; i < queries->count; ++i) {
    for (size_t c = 0; c < queries->d; ++c) {
      const double value = num_bf16_to_f32(out[i * queries->d + c]);
      sum += fabs(value - queries->list[i].golden[c]);
    }
  }
  return sum;
}

static double golden_size(const report_queries_t *queries) {
  double sum = 0;
  for (size_t i = 0; i < queries->count; ++i) {
    for (size_t c = 0; c < queries->d; ++c) {
      sum += fabs(queries->list[i].golden[c]);
    }
  }
  return sum;
}

static bool measure(const report_queries_t *queries, size_t p, const num_hfa_sources_t *what, double *result,
                    base_error_t *error) {
  const size_t count = queries->count * queries->d;
  work_t work = {queries, what, p, malloc(count * sizeof *work.out)};
  if (work.out == NULL) {
    return base_fail(error, "report: out of memory");
  }
  const bool good = report_queries_each(queries, attend, &work, error);
  if (good) {
    *result = difference(queries, work.out) / golden_size(queries);
  }
  free(work.out);
  return good;
}

// Everything that H-FA approximates, without what is in `part`.
static num_hfa_sources_t all_but(const num_hfa_sources_t *part) {
  return (num_hfa_sources_t){.quantised = !part->quantised,
                             .pwl = !part->pwl,
                             .mitchell_add = !part->mitchell_add,
                             .mitchell_log = !part->mitchell_log,
                             .mitchell_out = !part->mitchell_out};
}

static bool fill_row(const report_queries_t *queries, row_t *row, base_error_t *error) {
  const num_hfa_sources_t none = {0};
  const num_hfa_sources_t all = all_but(&none);
  if (!measure(queries, row->blocks, &all, &row->all, error) ||
      !measure(queries, row->blocks, &none, &row->none, error)) {
    return false;
  }
  for (source_t s = 0; s < SOURCES; ++s) {
    const num_hfa_sources_t rest = all_but(&sources[s].it);
    if (!measure(queries, row->blocks, &rest, &row->without[s], error) ||
        !measure(queries, row->blocks, &sources[s].it, &row->alone[s], error)) {
      return false;
    }
  }
  return true;
}

// --- shares -----------------------------------------------------------------------------------

static double contribution(const row_t *row, source_t s) { return row->all - row->without[s]; }

// In percent of the three's. One whose removal makes the error larger counts as nothing in the sum.
static double share(const row_t *row, source_t s) {
  double sum = 0;
  for (size_t i = 0; i < SHARED; ++i) {
    sum += fmax(contribution(row, shared[i]), 0);
  }
  return 100 * contribution(row, s) / sum;
}

bool report_errors(const report_queries_t *queries, size_t p, report_errors_t *errors, base_error_t *error) {
  const num_hfa_sources_t none = {0};
  const num_hfa_sources_t all = all_but(&none);
  row_t row = {.blocks = p};
  if (!measure(queries, p, &all, &row.all, error)) {
    return false;
  }
  for (size_t i = 0; i < SHARED; ++i) {
    const num_hfa_sources_t rest = all_but(&sources[shared[i]].it);
    if (!measure(queries, p, &rest, &row.without[shared[i]], error)) {
      return false;
    }
  }
  *errors = (report_errors_t){.error = row.all,
                              .quantised = share(&row, QUANTISED),
                              .mitchell = share(&row, MITCHELL),
                              .pwl = share(&row, PWL)};
  return true;
}

// --- files ------------------------------------------------------------------------------------

static void put_values(cJSON *row, const char *name, const double values[SOURCES]) {
  cJSON *object = cJSON_AddObjectToObject(row, name);
  for (source_t s = 0; s < SOURCES; ++s) {
    report_put(object, NUMBER(sources[s].name, values[s]));
  }
}

static void put_row(const row_t *row, cJSON *list) {
  double shares[SOURCES];
  for (source_t s = 0; s < SOURCES; ++s) {
    shares[s] = share(row, s);
  }
  cJSON *object = report_row(list, TEXT("set", row->set), TEXT("queries", row->text), NUMBER("blocks", row->blocks),
                             NUMBER("error", row->all), NUMBER("error_without_all", row->none));
  put_values(object, "error_without", row->without);
  put_values(object, "error_alone", row->alone);
  put_values(object, "share_percent", shares);
  report_put(object, NOTHING("paper"), TEXT(".by", "us"), NUMBER(".quantised", fmax(shares[QUANTISED], 0)),
             NUMBER(".mitchell", fmax(shares[MITCHELL], 0)), NUMBER(".pwl", fmax(shares[PWL], 0)));
}

// "MODEL / BENCHMARK"
static void put_paper(size_t i, cJSON *list) {
  cJSON *object = report_row(list, TEXT("set", papers[i].name));
  cJSON *paper = cJSON_AddObjectToObject(object, "paper");
  for (size_t j = 0; j < SHARED; ++j) {
    report_put(paper, NUMBER(sources[shared[j]].name, papers[i].share[j]));
  }
  report_put(object, TEXT(".by", "paper"));
  report_put_text(object, ".model", "%.*s", (int)strcspn(papers[i].name, " "), papers[i].name);
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < ROWS; ++i) {
    put_row(&table->list[i], list);
  }
  for (size_t i = 0; i < PAPERS; ++i) {
    put_paper(i, list);
  }
}

REPORT_TEMPLATE(table_errors_text, "hfa/table_errors.md");
static const report_t report = {fill, table_errors_text, NULL, NULL};

// --- the report -------------------------------------------------------------------------------

static bool fill_set(const report_context_t *context, const report_queries_t *queries, const char *name,
                     row_t rows[BLOCKS], size_t step, base_exit_t *code, base_error_t *error) {
  for (size_t i = 0; i < BLOCKS; ++i) {
    rows[i] = (row_t){.set = name, .blocks = blocks[i]};
    snprintf(rows[i].text, sizeof rows[i].text, "%s", queries->text);
    char what[48];
    snprintf(what, sizeof what, "%s, P %zu", name, blocks[i]);
    if (!report_step(context, step + i, ROWS, what, code, error) || !fill_row(queries, &rows[i], error)) {
      return false;
    }
  }
  return true;
}

bool report_table_errors(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  table_t table;
  report_queries_t queries;
  const size_t seeds = kernel_size_or(context->settings->seeds, 8);
  *code = BASE_BAD_INPUT;
  for (report_set_t set = 0; set < REPORT_SETS; ++set) {
    if (!report_queries_set(set, seeds, &queries, error)) {
      return false;
    }
    const bool good =
        fill_set(context, &queries, report_set_names[set], table.list + set * BLOCKS, 1 + set * BLOCKS, code, error);
    report_queries_free(&queries);
    if (!good) {
      return false;
    }
  }
  return report_write(context, &report, &table, error);
}
