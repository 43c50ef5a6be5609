// Figure 5 of the H-FA paper: the inputs x of Mitchell's log2(1 +- x) = +- x, and its error there.
//
// x is 2^-|A-B| of an addition in the log domain, or the mantissa of a value v whose logarithm is
// taken; what the engine's recurrence meets is counted, an addition to nothing not being one.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "num/engine/num_hfa.h"
#include "report/hfa/hfa.h"
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
  uint64_t bin[BINS];  // x from bin / BINS; the last one with 1
  double error_sum[BINS];
  uint64_t count, small;  // small: below claimed_input
  uint64_t large_error;   // above claimed_error
  uint64_t cancelled;     // 1 - 1: the error is infinite, and in no sum
  double error_max;
} histogram_t;

typedef struct counts {
  histogram_t of[KINDS];
} counts_t;

typedef struct set {
  const char *name;
  char text[sizeof((report_queries_t *)NULL)->text];
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
  counts_t *counts;  // [queries]: a range uses its first query's
} work_t;

static bool attend(void *context, size_t first, size_t end) {
  const work_t *work = context;
  counts_t *counts = &work->counts[first];
  const num_hfa_sources_t h_fa = {.quantised = true,
                                  .pwl = true,
                                  .mitchell_add = true,
                                  .mitchell_log = true,
                                  .mitchell_out = true,
                                  .seen = see_addition,
                                  .context = counts};
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

static bool fill_set(const report_queries_t *queries, const char *name, set_t *set, base_error_t *error) {
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

static double percent(uint64_t part, uint64_t whole) { return whole == 0 ? NAN : 100 * (double)part / (double)whole; }

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

static void put_bins(const set_t *set, kind_t kind, cJSON *list) {
  const histogram_t *h = &set->counts.of[kind];
  for (size_t i = 0; i < BINS; ++i) {
    report_row(list, TEXT("set", set->name), TEXT("kind", kinds[kind].name), NUMBER("x_from", (double)i / BINS),
               NUMBER("x_to", (double)(i + 1) / BINS), NUMBER("percent", percent(h->bin[i], h->count)),
               NUMBER("mean_error", h->error_sum[i] / (double)h->bin[i]));
  }
}

static const char *verdict(bool holds) { return holds ? "**holds**" : "**does not hold**"; }

static void put_summary(const char *set, const char *kind, const char *text, const histogram_t *h, cJSON *list) {
  report_row(list, TEXT("set", set), TEXT("kind", kind), NUMBER("inputs", h->count),
             NUMBER("percent_below_0.1", percent(h->small, h->count)), NUMBER("mean_error", mean_error(h)),
             NUMBER("max_error", h->error_max), NUMBER("percent_above_0.08", percent(h->large_error, h->count)),
             NUMBER("cancelled", h->cancelled), TEXT(".text", text));
}

static void put_claims(cJSON *set, const char *kind, const histogram_t *h) {
  cJSON *claims = cJSON_AddObjectToObject(set, kind);
  const double small = percent(h->small, h->count);
  report_put_text(claims, "inputs", "%.1f %%: %s", small, verdict(small > vast_percent));
  report_put_text(claims, "error", "%.3f: %s", h->error_max, verdict(h->error_max <= claimed_error));
}

// The heights of all kinds' bins.
static void put_heights(const set_t *set, cJSON *list) {
  for (size_t bin = 0; bin < BINS; ++bin) {
    cJSON *row = report_row(list, NUMBER("x", ((double)bin + 0.5) / BINS));
    for (kind_t kind = 0; kind < KINDS; ++kind) {
      const histogram_t *h = &set->counts.of[kind];
      report_put(row, NUMBER(kinds[kind].name, h->count == 0 ? 0 : percent(h->bin[bin], h->count)));
    }
  }
}

static void fill(const void *data, cJSON *root) {
  const figure_t *figure = data;
  report_put(root, TEXT("paper/inputs", "the vast majority below 0.1"), NUMBER("paper/max_error", claimed_error),
             NUMBER(".vast", vast_percent));
  cJSON *summary = cJSON_AddArrayToObject(root, "summary");
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  cJSON *lines = cJSON_AddArrayToObject(root, ".summaries");  // kinds first
  cJSON *sets = cJSON_AddArrayToObject(root, ".sets");
  for (size_t i = 0; i < REPORT_SETS; ++i) {
    const set_t *set = &figure->list[i];
    const histogram_t all = all_kinds(set);
    cJSON *object = report_row(sets, NUMBER("number", i), TEXT("name", set->name), TEXT("text", set->text));
    put_heights(set, cJSON_AddArrayToObject(object, "bins"));
    put_summary(set->name, "all", "all", &all, summary);
    for (kind_t kind = 0; kind < KINDS; ++kind) {
      const histogram_t *h = &set->counts.of[kind];
      put_summary(set->name, kinds[kind].name, kinds[kind].text, h, summary);
      put_summary(set->name, kinds[kind].name, kinds[kind].text, h, lines);
      put_claims(object, kinds[kind].name, h);
      put_bins(set, kind, list);
    }
    put_summary(set->name, "all", "all", &all, lines);
    put_claims(object, "all", &all);
  }
}

REPORT_TEMPLATE(fig5_text, "hfa/fig5.md");
static const report_t report = {fill, fig5_text, NULL, NULL};

// --- the report -------------------------------------------------------------------------------

bool report_fig5(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  figure_t figure;
  report_queries_t queries;
  const size_t seeds = kernel_size_or(context->settings->seeds, 8);
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
  return report_write(context, &report, &figure, error);
}
