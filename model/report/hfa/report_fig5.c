// Figure 5 of the H-FA paper: the inputs x of Mitchell's log2(1 +- x) = +- x, and its error there.
//
// x is 2^-|A-B| of an addition in the log domain, or the mantissa of a value v whose logarithm is
// taken; what the engine's recurrence meets is counted, an addition to nothing not being one.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "num/num_hfa.h"
#include "report/hfa/report_hfa.h"
#include "report/report.h"
#include "report/report_write.h"

enum { BINS = 64 };

// The paper's claims: the vast majority of the inputs is below the one, the error never above the
// other.
static const double claimed_input = 0.1;
static const double claimed_error = 0.08;
static const double vast_percent = 75;

typedef enum kind { ADD, SUBTRACT, MANTISSA, KINDS } kind_t;

static const struct {
  const char *name, *text;
} kinds[KINDS] = {
    [ADD] = {"add", "additions"},
    [SUBTRACT] = {"subtract", "subtractions"},
    [MANTISSA] = {"mantissa", "mantissas of v"},
};

typedef struct histogram {
  uint64_t bin[BINS];      // x from bin / BINS; the last one with 1
  double error_sum[BINS];
  uint64_t count, small;   // small: below claimed_input
  uint64_t large_error;    // above claimed_error
  uint64_t cancelled;      // 1 - 1: the error is infinite, and in no sum
  double error_max;
} histogram_t;

typedef struct counts {
  histogram_t of[KINDS];
} counts_t;

typedef struct set {
  const char *name;
  char text[sizeof ((report_queries_t *)NULL)->text];
  counts_t counts;
} set_t;

typedef struct figure {
  set_t list[REPORT_SETS];
} figure_t;

// --- counting ---------------------------------------------------------------------------------

static double mitchell_error(double x, bool subtract) {
  return subtract ? fabs(log2(1 - x) + x) : fabs(log2(1 + x) - x);
}

static void count(histogram_t *h, double x, double error) {
  const size_t bin = x < 1 ? (size_t)(x * BINS) : BINS - 1;
  h->bin[bin] += 1;
  h->count += 1;
  h->small += x < claimed_input;
  h->large_error += error > claimed_error;
  if (isinf(error)) {
    h->cancelled += 1;
  } else {
    h->error_sum[bin] += error;
    h->error_max = fmax(h->error_max, error);
  }
}

static void see_addition(void *context, double x, bool subtract) {
  counts_t *counts = context;
  count(&counts->of[subtract ? SUBTRACT : ADD], x, mitchell_error(x, subtract));
}

static void see_values(counts_t *counts, const num_bf16_t *v, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if ((num_hfa_log2(v[i]) & 0xffffu) != ((uint32_t)NUM_HFA_ZERO & 0xffffu)) {
      const double mantissa = (v[i] & 0x7f) / 128.0;
      count(&counts->of[MANTISSA], mantissa, mitchell_error(mantissa, false));
    }
  }
}

// Ranges of queries by different threads, each range's counts apart.
typedef struct work {
  const report_queries_t *queries;
  counts_t *counts;        // [queries]: a range uses its first query's
} work_t;

static bool attend(void *context, size_t first, size_t end) {
  const work_t *work = context;
  counts_t *counts = &work->counts[first];
  const num_hfa_sources_t h_fa = {.quantised = true, .pwl = true, .mitchell_add = true,
                                  .mitchell_log = true, .mitchell_out = true,
                                  .seen = see_addition, .context = counts};
  for (size_t i = first; i < end; ++i) {
    const report_query_t *query = &work->queries->list[i];
    see_values(counts, query->v, query->keys * work->queries->d);
  }
  return report_queries_hfa(work->queries, first, end, &h_fa, 1, NULL);
}

static void add_counts(histogram_t *sum, const histogram_t *part) {
  for (size_t i = 0; i < BINS; ++i) {
    sum->bin[i] += part->bin[i];
    sum->error_sum[i] += part->error_sum[i];
  }
  sum->count += part->count;
  sum->small += part->small;
  sum->large_error += part->large_error;
  sum->cancelled += part->cancelled;
  sum->error_max = fmax(sum->error_max, part->error_max);
}

static bool fill_set(const report_queries_t *queries, const char *name, set_t *set,
                     base_error_t *error) {
  *set = (set_t){.name = name};
  snprintf(set->text, sizeof set->text, "%s", queries->text);
  work_t work = {queries, calloc(queries->count, sizeof(counts_t))};
  if (work.counts == NULL) {
    return base_fail(error, "fig5: out of memory");
  }
  const bool good = report_queries_each(queries, attend, &work, error);
  for (size_t i = 0; i < queries->count; ++i) {
    for (kind_t kind = 0; kind < KINDS; ++kind) {
      add_counts(&set->counts.of[kind], &work.counts[i].of[kind]);
    }
  }
  free(work.counts);
  return good;
}

// --- the paper's claims -----------------------------------------------------------------------

static histogram_t all_kinds(const set_t *set) {
  histogram_t all = {.count = 0};
  for (kind_t kind = 0; kind < KINDS; ++kind) {
    add_counts(&all, &set->counts.of[kind]);
  }
  return all;
}

static double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? NAN : 100 * (double)part / (double)whole;
}

static double mean_error(const histogram_t *h) {
  double sum = 0;
  for (size_t i = 0; i < BINS; ++i) {
    sum += h->error_sum[i];
  }
  return sum / (double)(h->count - h->cancelled);
}

static report_inputs_t inputs_of(const char *text, const histogram_t *h) {
  return (report_inputs_t){.text = text,
                           .count = (double)h->count,
                           .percent_small = percent(h->small, h->count),
                           .mean_error = mean_error(h),
                           .max_error = h->error_max,
                           .percent_large = percent(h->large_error, h->count)};
}

bool report_mitchell_inputs(const report_queries_t *queries, report_inputs_t inputs[REPORT_INPUTS],
                            base_error_t *error) {
  set_t set;
  if (!fill_set(queries, "", &set, error)) {
    return false;
  }
  const histogram_t all = all_kinds(&set);
  for (kind_t kind = 0; kind < KINDS; ++kind) {
    inputs[kind] = inputs_of(kinds[kind].text, &set.counts.of[kind]);
  }
  inputs[KINDS] = inputs_of("all", &all);
  return true;
}

// --- files ------------------------------------------------------------------------------------

static void json_bins(const set_t *set, kind_t kind, cJSON *list) {
  const histogram_t *h = &set->counts.of[kind];
  for (size_t i = 0; i < BINS; ++i) {
    cJSON *object = json_add_row(list);
    cJSON_AddStringToObject(object, "set", set->name);
    cJSON_AddStringToObject(object, "kind", kinds[kind].name);
    cJSON_AddNumberToObject(object, "x_from", (double)i / BINS);
    cJSON_AddNumberToObject(object, "x_to", (double)(i + 1) / BINS);
    cJSON_AddNumberToObject(object, "percent", percent(h->bin[i], h->count));
    cJSON_AddNumberToObject(object, "mean_error", h->error_sum[i] / (double)h->bin[i]);
  }
}

static void json_summary(const char *set, const char *kind, const histogram_t *h, cJSON *list) {
  cJSON *object = json_add_row(list);
  cJSON_AddStringToObject(object, "set", set);
  cJSON_AddStringToObject(object, "kind", kind);
  cJSON_AddNumberToObject(object, "inputs", (double)h->count);
  cJSON_AddNumberToObject(object, "percent_below_0.1", percent(h->small, h->count));
  cJSON_AddNumberToObject(object, "mean_error", mean_error(h));
  cJSON_AddNumberToObject(object, "max_error", h->error_max);
  cJSON_AddNumberToObject(object, "percent_above_0.08", percent(h->large_error, h->count));
  cJSON_AddNumberToObject(object, "cancelled", (double)h->cancelled);
}

static void write_json(const void *data, cJSON *root) {
  const figure_t *figure = data;
  cJSON *paper = cJSON_AddObjectToObject(root, "paper");
  cJSON_AddStringToObject(paper, "inputs", "the vast majority below 0.1");
  cJSON_AddNumberToObject(paper, "max_error", claimed_error);
  cJSON *summary = cJSON_AddArrayToObject(root, "summary");
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < REPORT_SETS; ++i) {
    const set_t *set = &figure->list[i];
    const histogram_t all = all_kinds(set);
    json_summary(set->name, "all", &all, summary);
    for (kind_t kind = 0; kind < KINDS; ++kind) {
      json_summary(set->name, kinds[kind].name, &set->counts.of[kind], summary);
      json_bins(set, kind, list);
    }
  }
}

static void markdown_row(FILE *file, const char *set, const char *kind, const histogram_t *h) {
  fprintf(file, "| %s | %s | %.3g |", set, kind, (double)h->count * 1e-6);
  report_cell(file, 1, percent(h->small, h->count));
  report_cell(file, 4, mean_error(h));
  report_cell(file, 3, h->error_max);
  report_cell(file, 2, percent(h->large_error, h->count));
  fprintf(file, " %llu |\n", (unsigned long long)h->cancelled);
}

static const char *verdict(bool holds) { return holds ? "**holds**" : "**does not hold**"; }

static void claim_cells(FILE *file, const histogram_t *h, bool inputs) {
  const double small = percent(h->small, h->count);
  if (inputs) {
    fprintf(file, " %.1f %%: %s |", small, verdict(small > vast_percent));
  } else {
    fprintf(file, " %.3f: %s |", h->error_max, verdict(h->error_max <= claimed_error));
  }
}

static void markdown_claims(const set_t *set, FILE *file) {
  const histogram_t all = all_kinds(set);
  for (int inputs = 1; inputs >= 0; --inputs) {
    fprintf(file, "| %s | %s |", set->name, inputs ? "most inputs < 0.1" : "error <= 0.08");
    for (kind_t kind = 0; kind < KINDS; ++kind) {
      claim_cells(file, &set->counts.of[kind], inputs != 0);
    }
    claim_cells(file, &all, inputs != 0);
    fputc('\n', file);
  }
}

static void write_markdown(const void *data, FILE *file) {
  const figure_t *figure = data;
  fprintf(file,
          "# Figure 5 of the H-FA paper: what Mitchell's approximation is given\n\n"
          "Inputs x of log2(1 +- x) = +- x in H-FA's recurrence, one block (`amalgam report fig5`): "
          "2^-|A-B| of every\naddition, those of numbers of different sign apart, and the mantissas "
          "of the values. Error: |log2(1 +- x) -+ x|.\n\n");
  for (size_t i = 0; i < REPORT_SETS; ++i) {
    fprintf(file, "- %s: %s\n", figure->list[i].name, figure->list[i].text);
  }
  fprintf(file,
          "\n| data | inputs | million | x < 0.1, %% | mean error | largest | error > 0.08, %% | x "
          "= 1, subtracted |\n|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < REPORT_SETS; ++i) {
    const set_t *set = &figure->list[i];
    const histogram_t all = all_kinds(set);
    for (kind_t kind = 0; kind < KINDS; ++kind) {
      markdown_row(file, set->name, kinds[kind].text, &set->counts.of[kind]);
    }
    markdown_row(file, set->name, "all", &all);
  }
  fprintf(file,
          "\n## The paper's claims\n\n"
          "The vast majority of the inputs (here: more than %.0f %%) is below 0.1, and the error is "
          "at most 0.08.\n\n"
          "| data | claim | additions | subtractions | mantissas of v | all |\n"
          "|---|---|---|---|---|---|\n", vast_percent);
  for (size_t i = 0; i < REPORT_SETS; ++i) {
    markdown_claims(&figure->list[i], file);
  }
  fprintf(file,
          "\nlog2(1 + x) - x is at most 0.0861, at x = 0.443. log2(1 - x) + x has no bound: it grows "
          "as x comes near 1, where the\nsum cancels; what cancels exactly (the last column) is "
          "left out of mean and largest. Nor is an error of 0.08 the\nresult's: each addition's "
          "stays in the sum, and in l, where all terms are positive, all of them have one sign.\n\n"
          "![plot](fig5.svg)\n");
}

static void plot_set(FILE *gnuplot, size_t i, const set_t *set) {
  fprintf(gnuplot, "$set%zu << EOD\n", i);
  for (size_t bin = 0; bin < BINS; ++bin) {
    fprintf(gnuplot, "%g", ((double)bin + 0.5) / BINS);
    for (kind_t kind = 0; kind < KINDS; ++kind) {
      const histogram_t *h = &set->counts.of[kind];
      fprintf(gnuplot, " %g", h->count == 0 ? 0 : percent(h->bin[bin], h->count));
    }
    fputc('\n', gnuplot);
  }
  fprintf(gnuplot, "EOD\n");
}

static void write_plot(const void *data, FILE *gnuplot) {
  const figure_t *figure = data;
  for (size_t i = 0; i < REPORT_SETS; ++i) {
    plot_set(gnuplot, i, &figure->list[i]);
  }
  fprintf(gnuplot,
          "set multiplot layout 1,2\nset xrange [0:1]\nset logscale y\nset yrange [0.01:100]\n"
          "set ylabel '%% of the inputs'\nset xlabel 'x'\nset y2range [0:0.3]\nset y2tics\n"
          "set ytics nomirror\nset y2label 'error'\nset key top center font ',9'\nset samples 500\n");
  for (size_t i = 0; i < REPORT_SETS; ++i) {
    fprintf(gnuplot,
            "set title '%s'\n"
            "plot $set%zu using 1:2 with histeps lw 2 lc rgb '#4477aa' title 'additions', "
            "'' using 1:3 with histeps lw 2 lc rgb '#cc6633' title 'subtractions', "
            "'' using 1:4 with histeps lw 2 lc rgb '#777777' title 'mantissas of v', "
            "abs(log(1 + x) / log(2) - x) axes x1y2 dt 2 lc rgb '#4477aa' title 'error of 1 + x', "
            "(x < 0.999 ? abs(log(1 - x) / log(2) + x) : NaN) axes x1y2 dt 2 lc rgb '#cc6633' "
            "title 'error of 1 - x'\n",
            figure->list[i].name, i);
  }
  fprintf(gnuplot, "unset multiplot\n");
}

// --- the report -------------------------------------------------------------------------------

bool report_fig5(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  figure_t figure;
  report_queries_t queries;
  const size_t seeds = kernel_size_or(context->settings->seeds, 8);
  const report_files_t files = {.name = context->name, .data = &figure, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  *code = BASE_BAD_INPUT;
  for (report_set_t set = 0; set < REPORT_SETS; ++set) {
    const char *name = report_set_names[set];
    if (!report_step(context, set + 1, REPORT_SETS, name, code, error) ||
        !report_queries_set(set, seeds, &queries, error)) {
      return false;
    }
    const bool good = fill_set(&queries, name, &figure.list[set], error);
    report_queries_free(&queries);
    if (!good) {
      return false;
    }
  }
  return report_write(&files, context->settings->out, error);
}
