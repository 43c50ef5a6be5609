// Search of the fitted constants: from the config's values, each up and down by its step while that
// helps, then half the step.
// SPDX-License-Identifier: Apache-2.0
#include "report/validation/fit.h"

#include <math.h>
#include <string.h>

#include "report/amla/paper.h"

enum { HALVINGS = 3, ROWS_MAX = 2 * REPORT_KEYS_MAX + 16, POINTS_MAX = 1000 };

enum {
  FITS = 0
#define FIT(section, name, step, low, high) +1
#include "report/validation/fit.def"
#undef FIT
};

static const struct {
  const char *name;  // "soc.skew_us"
  double step, low, high;
} fits[FITS] = {
#define FIT(section, name, step, low, high) {#section "." #name, step, low, high},
#include "report/validation/fit.def"
#undef FIT
};

static void values(const config_t *config, double value[FITS]) {
  size_t i = 0;
#define FIT(section, name, step, low, high) value[i++] = config->section.name;
#include "report/validation/fit.def"
#undef FIT
}

// A measurement: an entry of table 5, or a product, which has k > 0.
typedef struct row {
  size_t m, n, k;  // of an entry Sq and Sk
  double mhz, us;
} row_t;

typedef struct point {
  double value[FITS];
  double time_us[ROWS_MAX];
} point_t;

typedef struct search {
  const report_context_t *context;
  const kernel_machine_t *chip;
  kernel_machine_t die;
  row_t row[ROWS_MAX];
  size_t count;
  point_t tried[POINTS_MAX];
  size_t points;
  base_exit_t *code;
  base_error_t *reason;
} search_t;

// --- the rows ---------------------------------------------------------------------------------

static bool add_entries(search_t *search, const report_keys_t *keys, base_error_t *error) {
  for (size_t sq = 1; sq <= 2; ++sq) {
    for (size_t i = 0; i < keys->count; ++i) {
      const report_entry_t *entry = report_paper_entry(sq, keys->list[i]);
      if (entry == NULL) {
        return base_fail(error, "--fit: the paper has no entry of %zu keys", keys->list[i]);
      }
      search->row[search->count++] = (row_t){.m = sq, .n = entry->sk, .us = entry->time_us};
    }
  }
  return true;
}

// FP16 with FP32 results, on as many cores as a die has.
static void add_squares(search_t *search) {
#define PRODUCT(source, kind, launch, chip, m_, n_, k_, type, layout, tiles, cores, clock, time, conditions) \
  if (strcmp(#kind, "CALIBRATION") == 0 && strcmp(#launch, "SINGLE") == 0) {                                 \
    search->row[search->count++] = (row_t){.m = (m_), .n = (n_), .k = (k_), .mhz = (clock), .us = (time)};   \
  }
#include "report/validation/validation.def"
}

static report_job_t *add_job(report_jobs_t *jobs, const search_t *search, const row_t *row) {
  if (row->k == 0) {
    report_job_t *job = report_add(jobs, search->chip, "amla", "fit");
    job->attention.input.batch = kernel_size_or(search->context->settings->batch, REPORT_PAPER_BATCH);
    job->attention.input.seq_q = row->m;
    job->attention.input.keys = row->n;
    return job;
  }
  report_job_t *job = report_add(jobs, &search->die, "gemm", "fit");
  job->gemm.input.m = row->m;
  job->gemm.input.n = row->n;
  job->gemm.input.k = row->k;
  job->gemm.settings.out_f32 = true;
  job->gemm.settings.splits = GEMM_SPLITS_AUTO;
  report_job_set(job, "soc.clock_mhz=%g", row->mhz);
  return job;
}

static bool simulate(search_t *search, point_t *point) {
  report_jobs_t jobs;
  report_settings_t settings = *search->context->settings;
  settings.quiet = true;  // of the jobs
  if (!report_jobs_open(&jobs, &settings, search->reason)) {
    return false;
  }
  for (size_t i = 0; i < search->count; ++i) {
    report_job_t *job = add_job(&jobs, search, &search->row[i]);
    for (size_t j = 0; j < FITS; ++j) {
      report_job_set(job, "%s=%.9g", fits[j].name, point->value[j]);
    }
  }
  const bool good = report_run(&jobs, false, search->code, search->reason);
  for (size_t i = 0; good && i < search->count; ++i) {
    point->time_us[i] = jobs.list[i].outcome.time_us;
  }
  report_jobs_close(&jobs);
  return good;
}

// --- the error of a point ---------------------------------------------------------------------

static double row_error(const search_t *search, const point_t *point, size_t i) {
  return point->time_us[i] / search->row[i].us - 1;
}

// The error of all rows but one; without: SIZE_MAX leaves none out.
static double error_of(const search_t *search, const point_t *point, size_t without, bool largest) {
  double sum = 0, most = 0;
  size_t count = 0;
  for (size_t i = 0; i < search->count; ++i) {
    const double error = fabs(row_error(search, point, i));
    if (i != without) {
      sum += error;
      most = fmax(most, error);
      ++count;
    }
  }
  return largest ? most : sum / (double)(count == 0 ? 1 : count);
}

static const point_t *best_of(const search_t *search, size_t without) {
  const bool largest = search->context->settings->fit_largest;
  const point_t *best = &search->tried[0];
  for (size_t i = 1; i < search->points; ++i) {
    if (error_of(search, &search->tried[i], without, largest) < error_of(search, best, without, largest)) {
      best = &search->tried[i];
    }
  }
  return best;
}

// --- the search -------------------------------------------------------------------------------

static void tell(const search_t *search, const point_t *point, double error) {
  if (search->context->settings->quiet) {
    return;
  }
  fprintf(stderr, "%zu:", search->points);
  for (size_t i = 0; i < FITS; ++i) {
    fprintf(stderr, " %s=%.9g", fits[i].name, point->value[i]);
  }
  fprintf(stderr, ": %.3f %%\n", 100 * error);
}

static bool evaluate(search_t *search, const double value[FITS], double *error) {
  point_t *point = &search->tried[search->points];
  memcpy(point->value, value, sizeof point->value);
  if (!simulate(search, point)) {
    return false;
  }
  ++search->points;
  *error = error_of(search, point, SIZE_MAX, search->context->settings->fit_largest);
  tell(search, point, *error);
  return true;
}

typedef struct place {
  double value[FITS], error;
} place_t;

// One constant, in steps while they help.
static bool walk(search_t *search, size_t which, double step, place_t *best, bool *better) {
  while (search->points < POINTS_MAX) {
    place_t next = *best;
    next.value[which] = fmin(fmax(best->value[which] + step, fits[which].low), fits[which].high);
    if (next.value[which] == best->value[which]) {
      return true;
    }
    if (!evaluate(search, next.value, &next.error)) {
      return false;
    }
    if (next.error >= best->error) {
      return true;
    }
    *best = next;
    *better = true;
  }
  return true;
}

static bool descend(search_t *search) {
  place_t best;
  values(&search->chip->soc.config, best.value);
  if (!evaluate(search, best.value, &best.error)) {
    return false;
  }
  for (int halvings = 0; halvings < HALVINGS && search->points < POINTS_MAX;) {
    bool better = false;
    for (size_t i = 0; i < FITS; ++i) {
      const double step = ldexp(fits[i].step, -halvings);
      bool up = false;
      if (!walk(search, i, step, &best, &up) || (!up && !walk(search, i, -step, &best, &better))) {
        return false;
      }
      better = better || up;
    }
    halvings += !better;
  }
  return true;
}

// --- the result -------------------------------------------------------------------------------

// The error of a row's prediction by the others: by the point, among all that were tried, that is best for them.
static double predicted_error(const search_t *search, size_t row) {
  return row_error(search, best_of(search, row), row);
}

static void print(const search_t *search) {
  const point_t *best = best_of(search, SIZE_MAX);
  double mean = 0, largest = 0;
  for (size_t i = 0; i < FITS; ++i) {
    printf("%s %.9g\n", fits[i].name, best->value[i]);
  }
  for (size_t i = 0; i < search->count; ++i) {
    const row_t *row = &search->row[i];
    const double predicted = predicted_error(search, i);
    printf(row->k == 0 ? "Sq %zu Sk %-5zu " : "%zu x %-5zu    ", row->m, row->n);
    printf("%7.1f us, measured %6.1f, %+.2f %%, without it %+.2f %%\n", best->time_us[i], row->us,
           100 * row_error(search, best, i), 100 * predicted);
    mean += fabs(predicted) / (double)search->count;
    largest = fmax(largest, fabs(predicted));
  }
  printf("absolute error of %zu rows: mean %.2f %%, largest %.2f %%\n", search->count,
         100 * error_of(search, best, SIZE_MAX, false), 100 * error_of(search, best, SIZE_MAX, true));
  printf("each predicted by the others: mean %.2f %%, largest %.2f %%\n", 100 * mean, 100 * largest);
}

bool report_fit_search(const report_context_t *context, const kernel_machine_t *chip, base_exit_t *code,
                       base_error_t *error) {
  const report_keys_t usual = {.list = {1024, 2048, 3072, 4096, 6144, 16384}, .count = 6};
  static search_t search;
  search = (search_t){.context = context, .chip = chip, .code = code, .reason = error};
  report_keys_t keys;
  if (!report_keys(context->settings, &usual, &keys, error) || !add_entries(&search, &keys, error) ||
      !report_config(context->settings, "ascend910_die", &search.die, error)) {
    return false;
  }
  if (context->settings->fit == REPORT_FIT_ALL) {
    add_squares(&search);
  }
  if (!descend(&search)) {
    return false;
  }
  print(&search);
  return true;
}
