// Table III of the H-FA paper: which approximation makes how much of the error. One at a time is
// removed; the error that goes with it is its contribution.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/hfa/report_hfa.h"
#include "report/report.h"
#include "report/report_write.h"

// The last three are the parts of MITCHELL.
typedef enum source { QUANTISED, MITCHELL, PWL, ADD, LOG, OUT, SOURCES } source_t;

static const source_t shared[] = {QUANTISED, MITCHELL, PWL};   // the paper's
enum { SHARED = sizeof shared / sizeof *shared };

static const struct {
  const char *name, *text;
  num_hfa_sources_t it;
} sources[SOURCES] = {
    [QUANTISED] = {"quantised", "quantisation to 1/128", {.quantised = true}},
    [MITCHELL] = {"mitchell", "Mitchell",
                  {.mitchell_add = true, .mitchell_log = true, .mitchell_out = true}},
    [PWL] = {"pwl", "2^-D by pieces", {.pwl = true}},
    [ADD] = {"mitchell_add", "its log2(1 +- x) in additions", {.mitchell_add = true}},
    [LOG] = {"mitchell_log", "its log2 of v", {.mitchell_log = true}},
    [OUT] = {"mitchell_out", "its power of two of the result", {.mitchell_out = true}},
};

static const struct {
  const char *name;
  double share[SHARED];
} papers[] = {
#define ROW(name, quantised, mitchell, pwl) {name, {quantised, mitchell, pwl}},
#include "report/hfa/report_table_errors.def"
#undef ROW
};
enum { PAPERS = sizeof papers / sizeof *papers };

// Sums of absolute errors over the sum of the golden's absolute values.
typedef struct row {
  const char *set;
  size_t blocks;
  char text[sizeof ((report_queries_t *)NULL)->text];
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
  num_bf16_t *out;         // [queries,d]
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

static bool measure(const report_queries_t *queries, size_t p, const num_hfa_sources_t *what,
                    double *result, base_error_t *error) {
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

bool report_errors(const report_queries_t *queries, size_t p, report_errors_t *errors,
                   base_error_t *error) {
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

static void json_values(cJSON *row, const char *name, const double values[SOURCES]) {
  cJSON *object = cJSON_AddObjectToObject(row, name);
  for (source_t s = 0; s < SOURCES; ++s) {
    cJSON_AddNumberToObject(object, sources[s].name, values[s]);
  }
}

static void json_row(const row_t *row, cJSON *list) {
  double shares[SOURCES];
  for (source_t s = 0; s < SOURCES; ++s) {
    shares[s] = share(row, s);
  }
  cJSON *object = json_add_row(list);
  cJSON_AddStringToObject(object, "set", row->set);
  cJSON_AddStringToObject(object, "queries", row->text);
  cJSON_AddNumberToObject(object, "blocks", (double)row->blocks);
  cJSON_AddNumberToObject(object, "error", row->all);
  cJSON_AddNumberToObject(object, "error_without_all", row->none);
  json_values(object, "error_without", row->without);
  json_values(object, "error_alone", row->alone);
  json_values(object, "share_percent", shares);
  cJSON_AddNullToObject(object, "paper");
}

static void json_paper(size_t i, cJSON *list) {
  cJSON *object = json_add_row(list);
  cJSON_AddStringToObject(object, "set", papers[i].name);
  cJSON *paper = cJSON_AddObjectToObject(object, "paper");
  for (size_t j = 0; j < SHARED; ++j) {
    cJSON_AddNumberToObject(paper, sources[shared[j]].name, papers[i].share[j]);
  }
}

static void write_json(const void *data, cJSON *root) {
  const table_t *table = data;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < ROWS; ++i) {
    json_row(&table->list[i], list);
  }
  for (size_t i = 0; i < PAPERS; ++i) {
    json_paper(i, list);
  }
}

static void markdown_shares(const table_t *table, FILE *file) {
  fprintf(file,
          "## Contributions\n\n"
          "Removing an approximation takes some of the error away: its contribution, in %% of the "
          "sum of the first three.\nA negative one makes up for errors of others: without it the "
          "error is larger, and in the sum it counts as 0.\n\n"
          "| inputs | P |");
  for (source_t s = 0; s < SOURCES; ++s) {
    fprintf(file, " %s |", sources[s].text);
  }
  fprintf(file, "\n|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < ROWS; ++i) {
    const row_t *row = &table->list[i];
    fprintf(file, "| %s | %zu |", row->set, row->blocks);
    for (source_t s = 0; s < SOURCES; ++s) {
      report_cell(file, 1, share(row, s));
    }
    fputc('\n', file);
  }
  for (size_t i = 0; i < PAPERS; ++i) {
    fprintf(file, "| paper: %s | |", papers[i].name);
    for (size_t j = 0; j < SHARED; ++j) {
      report_cell(file, 1, papers[i].share[j]);
    }
    fprintf(file, " | | |\n");
  }
}

static void markdown_errors(const table_t *table, FILE *file) {
  fprintf(file,
          "\n## Errors\n\n"
          "Sum of |o - FP64| over sum of |FP64|, x 1e-3: of H-FA, of H-FA without one of its "
          "approximations, and with\nthat one alone.\n\n"
          "| inputs | P | | H-FA |");
  for (source_t s = 0; s < SOURCES; ++s) {
    fprintf(file, " %s |", sources[s].text);
  }
  fprintf(file, " none at all |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < ROWS; ++i) {
    const row_t *row = &table->list[i];
    fprintf(file, "| %s | %zu | without | %.1f |", row->set, row->blocks, 1e3 * row->all);
    for (source_t s = 0; s < SOURCES; ++s) {
      report_cell(file, 1, 1e3 * row->without[s]);
    }
    fprintf(file, " %.1f |\n| | | alone | |", 1e3 * row->none);
    for (source_t s = 0; s < SOURCES; ++s) {
      report_cell(file, 1, 1e3 * row->alone[s]);
    }
    fprintf(file, " |\n");
  }
}

static void write_markdown(const void *data, FILE *file) {
  const table_t *table = data;
  fprintf(file,
          "# Table III of the H-FA paper: where the error comes from\n\n"
          "H-FA's recurrence in FP64, each approximation on or off (`amalgam report "
          "table_errors`); with all of them on it is\nthe engine's, bit for bit. P: blocks of keys, "
          "merged in the end.\n\n");
  for (size_t i = 0; i < ROWS; i += BLOCKS) {
    fprintf(file, "- %s: %s\n", table->list[i].set, table->list[i].text);
  }
  fputc('\n', file);
  markdown_shares(table, file);
  markdown_errors(table, file);
  fprintf(file,
          "\n## What is removed\n\n"
          "- quantisation: differences of scores are multiplied by log2(e) itself, as far apart as "
          "they are; logarithms are\n  not rounded to 1/128 and have no limits.\n"
          "- 2^-D by pieces: 2^-D is exact; where logarithms are quantised, log2(1 +- x) is "
          "rounded to 1/128.\n"
          "- Mitchell: all three. In additions log2(1 +- x) is exact, and what cancels is 0; "
          "log2|v| is exact; the\n  result is 2 to the difference of two logarithms. Rounded to "
          "1/128 where logarithms are quantised.\n"
          "- In any case inputs, scores, their differences and the result are BF16: that is the "
          "error with none at all.\n\n"
          "![plot](table_errors.svg)\n");
}

static void write_plot(const void *data, FILE *gnuplot) {
  const table_t *table = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < ROWS; ++i) {
    const row_t *row = &table->list[i];
    fprintf(gnuplot, "\"%s\\nP %zu\" %g %g %g\n", row->set, row->blocks,
            fmax(share(row, QUANTISED), 0), fmax(share(row, MITCHELL), 0),
            fmax(share(row, PWL), 0));
  }
  for (size_t i = 0; i < PAPERS; ++i) {
    const size_t model = strcspn(papers[i].name, " ");   // "MODEL / BENCHMARK"
    fprintf(gnuplot, "\"paper:\\n%.*s\" %g %g %g\n", (int)model, papers[i].name,
            papers[i].share[0], papers[i].share[1], papers[i].share[2]);
  }
  fprintf(gnuplot,
          "EOD\nset style data histograms\nset style histogram rowstacked\n"
          "set style fill solid border -1\nset boxwidth 0.6\nset yrange [0:100]\nset grid ytics\n"
          "set xtics font ',9'\nset ylabel 'share of the error, %%'\n"
          "set key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'quantisation' lc rgb '#4477aa', "
          "'' using 3 title 'Mitchell' lc rgb '#cc6633', "
          "'' using 4 title '2^{-D} by pieces' lc rgb '#bbbbbb'\n");
}

// --- the report -------------------------------------------------------------------------------

static bool fill_set(const report_context_t *context, const report_queries_t *queries,
                     const char *name, row_t rows[BLOCKS], size_t step, base_exit_t *code,
                     base_error_t *error) {
  for (size_t i = 0; i < BLOCKS; ++i) {
    rows[i] = (row_t){.set = name, .blocks = blocks[i]};
    snprintf(rows[i].text, sizeof rows[i].text, "%s", queries->text);
    char what[48];
    snprintf(what, sizeof what, "%s, P %zu", name, blocks[i]);
    if (!report_step(context, step + i, ROWS, what, code, error) ||
        !fill_row(queries, &rows[i], error)) {
      return false;
    }
  }
  return true;
}

bool report_table_errors(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  table_t table;
  report_queries_t queries;
  const size_t seeds = kernel_size_or(context->settings->seeds, 8);
  const report_files_t files = {.name = context->name, .data = &table, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  *code = BASE_BAD_INPUT;
  for (report_set_t set = 0; set < REPORT_SETS; ++set) {
    if (!report_queries_set(set, seeds, &queries, error)) {
      return false;
    }
    const bool good = fill_set(context, &queries, report_set_names[set],
                               table.list + set * BLOCKS, 1 + set * BLOCKS, code, error);
    report_queries_free(&queries);
    if (!good) {
      return false;
    }
  }
  return report_write(&files, context->settings->out, error);
}
