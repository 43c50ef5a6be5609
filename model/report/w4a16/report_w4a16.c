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
    {"gemm", "fp16", "cold", 0},
    {"w4a16", "splitk", "cold", 0},
    {"w4a16", "dataparallel", "cold", 128},
    {"w4a16", "dataparallel", "cold", 256},
    {"gemm", "fp16", "warm", 0},
    {"w4a16", "splitk", "warm", 0},
};

// --- the simulations --------------------------------------------------------------------------

static report_job_t *add(const w4a16_table_t *table, report_jobs_t *jobs,
                         const report_shape_t *shape, size_t m, size_t kind) {
  const w4a16_kind_t *k = &w4a16_kinds[kind];
  char what[64];
  snprintf(what, sizeof what, "%s, %s", k->mode, k->l2);
  report_job_t *job = report_gemm_add(&table->half, jobs, k->kernel, what, shape, m);
  job->gemm.settings.machine.soc.l2_warm = strcmp(k->l2, "warm") == 0;
  job->gemm.settings.dataparallel = k->tile_n != 0;
  job->gemm.settings.tile_n = k->tile_n;
  return job;
}

static void add_entries(w4a16_table_t *table, report_jobs_t *jobs) {
  for (size_t i = 0; i < table->count; ++i) {
    w4a16_entry_t *e = &table->list[i];
    for (size_t kind = 0; kind < W4A16_KINDS; ++kind) {
      e->of[kind] = &add(table, jobs, e->shape, e->m, kind)->outcome;
    }
    if (e->m == table->middle_m) {
      table->detail[i / table->half.rows].automatic = e->of[W4A16_SPLITK];
    }
  }
}

static void add_detail(w4a16_table_t *table, report_jobs_t *jobs, w4a16_detail_t *d) {
  for (size_t i = 0; i < W4A16_SLICE_COUNTS; ++i) {
    report_job_t *job = add(table, jobs, d->shape, table->middle_m, W4A16_SPLITK);
    job->gemm.settings.splits = w4a16_slice_counts[i];
    d->slices[i] = &job->outcome;
  }
  for (size_t i = 0; i < W4A16_COLD_KINDS; ++i) {
    report_job_t *job = add(table, jobs, d->shape, table->middle_m, i);
    report_no_launch(job);
    d->at_once[i] = &job->outcome;
  }
}

// The first shapes that are small enough.
static void add_samples(w4a16_table_t *table, report_jobs_t *jobs) {
  for (size_t i = 0; i < table->half.shapes && table->samples < W4A16_SAMPLES_MAX; ++i) {
    const w4a16_detail_t *d = &table->detail[i];
    if (d->shape->n * d->shape->k > SAMPLE_WEIGHTS) {
      continue;
    }
    report_job_t *job = add(table, jobs, d->shape, table->middle_m, W4A16_SPLITK);
    report_job_judge(job);
    table->sample[table->samples++] =
        (w4a16_sample_t){.shape = d->shape, .computed = &job->outcome, .timed = d->automatic};
  }
}

static void add_jobs(w4a16_table_t *table, report_jobs_t *jobs) {
  add_entries(table, jobs);
  for (size_t i = 0; i < table->half.shapes; ++i) {
    add_detail(table, jobs, &table->detail[i]);
  }
  add_samples(table, jobs);
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
  if (!report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  add_jobs(table, &jobs);
  const bool good = report_run_and_write(context, &jobs, false, &w4a16_files, table, code, error) &&
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
