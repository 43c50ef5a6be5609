// Search of the fitted constants: from the config's values, each up and down by its step while that
// helps, then half the step.
// SPDX-License-Identifier: Apache-2.0
#include "report/amla/fit.h"

#include <math.h>
#include <string.h>

#include "report/amla/paper.h"

enum { HALVINGS = 4, ENTRIES_MAX = 2 * REPORT_KEYS_MAX };

const report_fit_t report_fits[REPORT_FIT_COUNT] = {
#define FIT(section, name, step, low, high, sq2) {#section "." #name, step, low, high, sq2},
#include "report/amla/fit.def"
#undef FIT
};

void report_fit_values(const config_t *config, double value[REPORT_FIT_COUNT]) {
  size_t i = 0;
#define FIT(section, name, step, low, high, sq2) value[i++] = config->section.name;
#include "report/amla/fit.def"
#undef FIT
}

void report_fit_set(report_job_t *job, const double value[REPORT_FIT_COUNT]) {
  for (size_t i = 0; i < REPORT_FIT_COUNT; ++i) {
    report_job_set(job, "%s=%.9g", report_fits[i].name, value[i]);
  }
}

typedef struct point {
  double value[REPORT_FIT_COUNT];
  double error;                    // of the kind that is made small
} point_t;

typedef struct search {
  const report_context_t *context;
  const kernel_machine_t *machine;
  const report_entry_t *entry[ENTRIES_MAX];
  size_t count;
  double time_us[ENTRIES_MAX];     // of the point last simulated
  unsigned points;
  base_exit_t *code;
  base_error_t *reason;
} search_t;

// --- the error of a point ---------------------------------------------------------------------

static void errors(const search_t *search, double *mean, double *largest) {
  *mean = 0;
  *largest = 0;
  for (size_t i = 0; i < search->count; ++i) {
    const double ratio = search->time_us[i] / search->entry[i]->time_us;
    *mean += fabs(ratio - 1) / (double)search->count;
    *largest = fmax(*largest, fabs(ratio - 1));
  }
}

static double error_now(const search_t *search) {
  double mean, largest;
  errors(search, &mean, &largest);
  return search->context->settings->fit_largest ? largest : mean;
}

static bool simulate(search_t *search, const double value[REPORT_FIT_COUNT]) {
  report_jobs_t jobs;
  report_settings_t settings = *search->context->settings;
  settings.quiet = true;   // of the jobs
  if (!report_jobs_open(&jobs, &settings, search->reason)) {
    return false;
  }
  for (size_t i = 0; i < search->count; ++i) {
    report_job_t *job = report_add(&jobs, search->machine, "amla", "fit");
    job->attention.input.batch = kernel_size_or(settings.batch, REPORT_PAPER_BATCH);
    job->attention.input.seq_q = search->entry[i]->sq;
    job->attention.input.keys = search->entry[i]->sk;
    report_fit_set(job, value);
  }
  const bool good = report_run(&jobs, false, search->code, search->reason);
  for (size_t i = 0; good && i < search->count; ++i) {
    search->time_us[i] = jobs.list[i].outcome.time_us;
  }
  report_jobs_close(&jobs);
  return good;
}

static void tell(const search_t *search, const point_t *point) {
  if (search->context->settings->quiet) {
    return;
  }
  fprintf(stderr, "%u:", search->points);
  for (size_t i = 0; i < REPORT_FIT_COUNT; ++i) {
    fprintf(stderr, " %s=%.9g", report_fits[i].name, point->value[i]);
  }
  fprintf(stderr, ": %.3f %%\n", 100 * point->error);
}

static bool evaluate(search_t *search, point_t *point) {
  if (!simulate(search, point->value)) {
    return false;
  }
  point->error = error_now(search);
  ++search->points;
  tell(search, point);
  return true;
}

// --- the search -------------------------------------------------------------------------------

// One constant, in steps while they help.
static bool walk(search_t *search, size_t which, double step, point_t *best, bool *better) {
  const report_fit_t *fit = &report_fits[which];
  for (;;) {
    point_t next = *best;
    next.value[which] = fmin(fmax(best->value[which] + step, fit->low), fit->high);
    if (next.value[which] == best->value[which]) {
      return true;
    }
    if (!evaluate(search, &next)) {
      return false;
    }
    if (next.error >= best->error) {
      return true;
    }
    *best = next;
    *better = true;
  }
}

static bool descend(search_t *search, point_t *best) {
  if (!evaluate(search, best)) {
    return false;
  }
  for (int halvings = 0; halvings < HALVINGS;) {
    bool better = false;
    for (size_t i = 0; i < REPORT_FIT_COUNT; ++i) {
      const double step = ldexp(report_fits[i].step, -halvings);
      bool up = false;
      if (!walk(search, i, step, best, &up) ||
          (!up && !walk(search, i, -step, best, &better))) {
        return false;
      }
      better = better || up;
    }
    halvings += !better;
  }
  return true;
}

static bool report_best(search_t *search, point_t *best) {
  double mean, largest;
  if (!evaluate(search, best)) {   // once more, for the times
    return false;
  }
  for (size_t i = 0; i < REPORT_FIT_COUNT; ++i) {
    printf("%s %.9g\n", report_fits[i].name, best->value[i]);
  }
  errors(search, &mean, &largest);
  for (size_t i = 0; i < search->count; ++i) {
    const double time_us = search->time_us[i];
    printf("Sq %zu Sk %-5zu  %7.1f us, paper %4.0f, %+.2f %%\n", search->entry[i]->sq,
           search->entry[i]->sk, time_us, search->entry[i]->time_us,
           100 * (time_us / search->entry[i]->time_us - 1));
  }
  printf("absolute error of %zu entries: mean %.2f %%, largest %.2f %%\n", search->count,
         100 * mean, 100 * largest);
  return true;
}

bool report_fit_search(const report_context_t *context, const kernel_machine_t *machine,
                       const report_keys_t *keys, base_exit_t *code, base_error_t *error) {
  search_t search = {.context = context, .machine = machine, .code = code, .reason = error};
  point_t best;
  for (size_t sq = context->settings->fit == REPORT_FIT_SQ2 ? 2 : 1; sq <= 2; ++sq) {
    for (size_t i = 0; i < keys->count; ++i) {
      const report_entry_t *entry = report_paper_entry(sq, keys->list[i]);
      if (entry == NULL) {
        return base_fail(error, "--fit: the paper has no entry of %zu keys", keys->list[i]);
      }
      search.entry[search.count++] = entry;
    }
  }
  report_fit_values(&machine->soc.config, best.value);
  return descend(&search, &best) && report_best(&search, &best);
}
