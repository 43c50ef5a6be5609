// Figures 2 and 3 of the W4A16 paper: times of Split-K, data-parallel and FP16 over shapes and rows,
// with the weights in HBM and in L2; the number of slices; and, at one M, without the launch.
//
// Times are of simulations without arithmetic; a sample is run with it, too, and must take the same
// cycles and give the contract's bits.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "report/w4a16/report_w4a16_table.h"

enum { SAMPLE_WEIGHTS = 12000000 };   // of a sample's shape at most

const unsigned w4a16_slice_counts[W4A16_SLICE_COUNTS] = {1, 2, 4, 8, 16};

const w4a16_kind_t w4a16_kinds[W4A16_KINDS] = {
    {"gemm --timing-only --l2 cold", "fp16", "cold"},
    {"w4a16 --timing-only --l2 cold", "splitk", "cold"},
    {"w4a16 --timing-only --l2 cold --mode dataparallel --tile-n 128", "dataparallel", "cold"},
    {"w4a16 --timing-only --l2 cold --mode dataparallel --tile-n 256", "dataparallel", "cold"},
    {"gemm --timing-only --l2 warm", "fp16", "warm"},
    {"w4a16 --timing-only --l2 warm", "splitk", "warm"},
};

// --- the simulations --------------------------------------------------------------------------

static const report_outcome_t *add(const w4a16_table_t *table, report_jobs_t *jobs,
                                   const report_shape_t *shape, size_t m, const char *words,
                                   base_error_t *error) {
  const report_job_t *job = report_gemm_add(&table->half, jobs, shape, m, words, error);
  return job == NULL ? NULL : &job->outcome;
}

static bool add_entries(w4a16_table_t *table, report_jobs_t *jobs, base_error_t *error) {
  for (size_t i = 0; i < table->count; ++i) {
    w4a16_entry_t *e = &table->list[i];
    for (size_t kind = 0; kind < W4A16_KINDS; ++kind) {
      e->of[kind] = add(table, jobs, e->shape, e->m, w4a16_kinds[kind].words, error);
      if (e->of[kind] == NULL) {
        return false;
      }
    }
    if (e->m == table->middle_m) {
      table->detail[i / table->half.rows].automatic = e->of[W4A16_SPLITK];
    }
  }
  return true;
}

static bool add_detail(w4a16_table_t *table, report_jobs_t *jobs, w4a16_detail_t *d,
                       base_error_t *error) {
  char words[160];
  for (size_t i = 0; i < W4A16_SLICE_COUNTS; ++i) {
    snprintf(words, sizeof words, "%s --split-k %u", w4a16_kinds[W4A16_SPLITK].words,
             w4a16_slice_counts[i]);
    d->slices[i] = add(table, jobs, d->shape, table->middle_m, words, error);
    if (d->slices[i] == NULL) {
      return false;
    }
  }
  for (size_t i = 0; i < W4A16_COLD_KINDS; ++i) {
    snprintf(words, sizeof words, "%s%s", w4a16_kinds[i].words, REPORT_NO_LAUNCH);
    d->at_once[i] = add(table, jobs, d->shape, table->middle_m, words, error);
    if (d->at_once[i] == NULL) {
      return false;
    }
  }
  return true;
}

// The first shapes that are small enough.
static bool add_samples(w4a16_table_t *table, report_jobs_t *jobs, base_error_t *error) {
  for (size_t i = 0; i < table->half.shapes && table->samples < W4A16_SAMPLES_MAX; ++i) {
    const w4a16_detail_t *d = &table->detail[i];
    if (d->shape->n * d->shape->k > SAMPLE_WEIGHTS) {
      continue;
    }
    report_job_t *job =
        report_gemm_add(&table->half, jobs, d->shape, table->middle_m, "w4a16 --l2 cold", error);
    if (job == NULL) {
      return false;
    }
    job->judged = true;
    table->sample[table->samples++] =
        (w4a16_sample_t){.shape = d->shape, .computed = &job->outcome, .timed = d->automatic};
  }
  return true;
}

static bool add_jobs(w4a16_table_t *table, report_jobs_t *jobs, base_error_t *error) {
  if (!add_entries(table, jobs, error)) {
    return false;
  }
  for (size_t i = 0; i < table->half.shapes; ++i) {
    if (!add_detail(table, jobs, &table->detail[i], error)) {
      return false;
    }
  }
  return add_samples(table, jobs, error);
}

static bool check_samples(const w4a16_table_t *table, base_exit_t *code, base_error_t *error) {
  for (size_t i = 0; i < table->samples; ++i) {
    const w4a16_sample_t *s = &table->sample[i];
    if (s->computed->cycles != s->timed->cycles || s->computed->half.wrong_bits != 0) {
      *code = BASE_OUT_OF_TOLERANCE;
      return base_fail(error,
                       "w4a16, N %zu, K %zu: computed, %llu cycles and %zu wrong values; "
                       "without arithmetic %llu cycles",
                       s->shape->n, s->shape->k, (unsigned long long)s->computed->cycles,
                       s->computed->half.wrong_bits, (unsigned long long)s->timed->cycles);
    }
  }
  return true;
}

static bool run_and_write(const report_context_t *context, w4a16_table_t *table, base_exit_t *code,
                          base_error_t *error) {
  report_jobs_t jobs;
  const size_t room = table->count * W4A16_KINDS +
                      table->half.shapes * (W4A16_SLICE_COUNTS + W4A16_COLD_KINDS) + W4A16_SAMPLES_MAX;
  report_files_t files = w4a16_files;
  files.data = table;
  if (!report_jobs_open(&jobs, room, context->options->quiet, error)) {
    return false;
  }
  const bool good = add_jobs(table, &jobs, error) &&
                    report_run_and_write(&jobs, false, &files, context->options->report_out, code,
                                         error) &&
                    check_samples(table, code, error);
  report_jobs_close(&jobs);
  return good;
}

bool report_w4a16(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static const size_t usual[] = {1, 8, 16, 32, 64};
  static w4a16_table_t table;
  memset(&table, 0, sizeof table);
  if (!report_gemm_read(context, usual, sizeof usual / sizeof *usual, &table.half, error)) {
    return false;
  }
  const report_gemm_t *half = &table.half;
  table.count = half->shapes * half->rows;
  table.middle_m = half->m[half->rows / 2];
  table.list = calloc(table.count, sizeof *table.list);
  if (table.list == NULL) {
    return base_fail(error, "report: out of memory");
  }
  for (size_t i = 0; i < table.count; ++i) {
    table.list[i].shape = &half->shape[i / half->rows];
    table.list[i].m = half->m[i % half->rows];
    table.detail[i / half->rows].shape = table.list[i].shape;
  }
  const bool good = run_and_write(context, &table, code, error);
  free(table.list);
  return good;
}
