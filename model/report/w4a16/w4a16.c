// Figures 2 and 3 of the W4A16 paper: times of Split-K, data-parallel and FP16 over shapes and
// rows, with the weights in HBM and in L2; the number of slices; and, at one M, without the launch.
//
// Times are of simulations without arithmetic; a sample is run with it, too, and must take the same
// cycles and give the contract's bits.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "report/report_write.h"
#include "report/w4a16/shapes.h"

enum { SAMPLE_WEIGHTS = 12000000 };  // of a sample's shape at most

enum { SLICE_COUNTS = 5, SAMPLES_MAX = 3 };

// The simulations of a shape at an M.
enum {
  FP16,
  SPLITK,
  PARALLEL_128,
  PARALLEL_256,  // cold weights
  FP16_WARM,
  SPLITK_WARM,
  KINDS
};
enum { COLD_KINDS = FP16_WARM };
typedef struct kind {
  const char *kernel, *mode, *l2;
  unsigned tile_n;  // of data-parallel ones
} kind_t;

typedef struct entry {
  const report_shape_t *shape;
  size_t m;
  const report_outcome_t *of[KINDS];
} entry_t;

// At the report's middle M: by number of slices, and with cores that start at once.
typedef struct detail {
  const report_shape_t *shape;
  const report_outcome_t *automatic;
  const report_outcome_t *slices[SLICE_COUNTS];
  const report_outcome_t *at_once[COLD_KINDS];
} detail_t;

// A simulation with arithmetic, and the same without.
typedef struct sample {
  const report_shape_t *shape;
  const report_outcome_t *computed, *timed;
} sample_t;

typedef struct table {
  report_gemm_t gemm;
  entry_t *list;  // by shape, then by M
  size_t count;
  size_t middle_m;
  detail_t detail[REPORT_SHAPES_MAX];
  sample_t sample[SAMPLES_MAX];
  size_t samples;
} table_t;

static const unsigned slice_counts[SLICE_COUNTS] = {1, 2, 4, 8, 16};

static const kind_t kinds[KINDS] = {
    {"gemm", "fp16", "cold", 0},
    {"w4a16", "splitk", "cold", 0},
    {"w4a16", "dataparallel", "cold", 128},
    {"w4a16", "dataparallel", "cold", 256},
    {"gemm", "fp16", "warm", 0},
    {"w4a16", "splitk", "warm", 0},
};

// --- ratios -----------------------------------------------------------------------------------

static const report_outcome_t *better_parallel(const report_outcome_t *const *of) {
  return of[PARALLEL_128]->time_us <= of[PARALLEL_256]->time_us ? of[PARALLEL_128] : of[PARALLEL_256];
}

static double over_parallel(const report_outcome_t *const *of) { return report_over(better_parallel(of), of[SPLITK]); }

static double over_fp16(const report_outcome_t *const *of) { return report_over(of[FP16], of[SPLITK]); }

static double over_fp16_warm(const report_outcome_t *const *of) { return report_over(of[FP16_WARM], of[SPLITK_WARM]); }

static bool is_deep(const report_shape_t *shape) { return shape->k >= 2 * shape->n; }

typedef struct ranges {
  report_range_t deep, shallow;               // Split-K over data-parallel: K >= 2 N, and else
  report_range_t fp16, fp16_warm;             // W4A16 over FP16
  report_range_t rows;                        // time at the largest M over that at the least
  report_range_t deep_at_once, fp16_at_once;  // without the launch
  report_range_t automatic;                   // automatic slices over the best of slice_counts
} ranges_t;

static double best_slices(const detail_t *d, unsigned *slices) {
  double best = d->automatic->time_us;
  *slices = d->automatic->gemm.splits;
  for (size_t i = 0; i < SLICE_COUNTS; ++i) {
    if (d->slices[i]->time_us < best) {
      best = d->slices[i]->time_us;
      *slices = slice_counts[i];
    }
  }
  return best;
}

static ranges_t ranges_of(const table_t *table) {
  ranges_t r = {0};
  const size_t rows = table->gemm.rows;
  for (size_t i = 0; i < table->count; ++i) {
    const entry_t *e = &table->list[i];
    report_range_add(is_deep(e->shape) ? &r.deep : &r.shallow, over_parallel(e->of), e->shape, e->m);
    report_range_add(&r.fp16, over_fp16(e->of), e->shape, e->m);
    report_range_add(&r.fp16_warm, over_fp16_warm(e->of), e->shape, e->m);
    if (i % rows == rows - 1) {
      const entry_t *least = &table->list[i + 1 - rows];
      report_range_add(&r.rows, report_over(e->of[SPLITK], least->of[SPLITK]), e->shape, e->m);
    }
  }
  for (size_t i = 0; i < table->gemm.shapes; ++i) {
    const detail_t *d = &table->detail[i];
    unsigned slices;
    if (is_deep(d->shape)) {
      report_range_add(&r.deep_at_once, over_parallel(d->at_once), d->shape, table->middle_m);
    }
    report_range_add(&r.fp16_at_once, over_fp16(d->at_once), d->shape, table->middle_m);
    report_range_add(&r.automatic, d->automatic->time_us / best_slices(d, &slices), d->shape, table->middle_m);
  }
  return r;
}

// --- the document -----------------------------------------------------------------------------

static cJSON *put_run(cJSON *list, const report_shape_t *shape, size_t m, const char *mode, const char *l2,
                      const report_outcome_t *o) {
  return report_row(list, NUMBER("m", m), NUMBER("n", shape->n), NUMBER("k", shape->k), TEXT("model", shape->model),
                    TEXT("mode", mode), NUMBER("split_k", o->gemm.splits), NUMBER("tile_n", o->gemm.tile_n),
                    TEXT("weights", l2), NUMBER("cycles", o->cycles), NUMBER("time_us", o->time_us));
}

static void put_runs(const entry_t *e, cJSON *list) {
  for (size_t i = 0; i < KINDS; ++i) {
    cJSON *row = put_run(list, e->shape, e->m, kinds[i].mode, kinds[i].l2, e->of[i]);
    if (i == SPLITK) {
      report_put(row, NUMBER("over_dataparallel", over_parallel(e->of)), NUMBER("over_fp16", over_fp16(e->of)));
    } else if (i == SPLITK_WARM) {
      report_put(row, NUMBER("over_fp16", over_fp16_warm(e->of)));
    }
    report_put(row, NOTHING("paper"));  // it gives ranges, see the summary
  }
}

// A line of the tables: all runs of an entry, and the us that pipes are busy.
static void put_entry(const entry_t *e, double mhz, bool middle, cJSON *list) {
  const report_gemm_outcome_t *h = &e->of[SPLITK]->gemm;
  cJSON *row = report_row(
      list, TEXT("model", e->shape->model), NUMBER("n", e->shape->n), NUMBER("k", e->shape->k), NUMBER("m", e->m),
      NUMBER("middle", middle), NUMBER("cube/mte2", h->cube_busy[PIPE_MTE2] / mhz),
      NUMBER("cube/mte1", h->cube_busy[PIPE_MTE1] / mhz), NUMBER("cube/m", h->cube_busy[PIPE_M] / mhz),
      NUMBER("cube/fix", h->cube_busy[PIPE_FIX] / mhz), NUMBER("vector/mte2", h->vector_busy[PIPE_MTE2] / mhz),
      NUMBER("vector/v", h->vector_busy[PIPE_V] / mhz), NUMBER("vector/mte3", h->vector_busy[PIPE_MTE3] / mhz));
  put_runs(e, cJSON_AddArrayToObject(row, "run"));
}

static void put_details(const table_t *table, cJSON *root) {
  cJSON *slices = cJSON_AddArrayToObject(root, "by_split_k");
  cJSON *at_once = cJSON_AddArrayToObject(root, "no_launch");
  cJSON *lines = cJSON_AddArrayToObject(root, ".slices");
  for (size_t i = 0; i < table->gemm.shapes; ++i) {
    const detail_t *d = &table->detail[i];
    unsigned best;
    best_slices(d, &best);
    cJSON *line =
        report_row(lines, NUMBER("n", d->shape->n), NUMBER("k", d->shape->k), NUMBER("time_us", d->automatic->time_us),
                   NUMBER("split_k", d->automatic->gemm.splits), NUMBER("best", best));
    cJSON *by = cJSON_AddArrayToObject(line, "by");
    for (size_t s = 0; s < SLICE_COUNTS; ++s) {
      put_run(slices, d->shape, table->middle_m, "splitk", "cold", d->slices[s]);
      put_run(by, d->shape, table->middle_m, "splitk", "cold", d->slices[s]);
    }
    for (size_t s = 0; s < COLD_KINDS; ++s) {
      put_run(at_once, d->shape, table->middle_m, kinds[s].mode, kinds[s].l2, d->at_once[s]);
    }
  }
}

static void put_samples(const table_t *table, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "computed");
  for (size_t i = 0; i < table->samples; ++i) {
    const sample_t *s = &table->sample[i];
    report_put(put_run(list, s->shape, table->middle_m, "splitk", "cold", s->computed),
               NUMBER("rel_fro", s->computed->gemm.error), NUMBER("wrong_bits", s->computed->gemm.wrong_bits),
               NUMBER("cycles_timing_only", s->timed->cycles));
  }
}

static void put_summary(const table_t *table, cJSON *root) {
  const ranges_t r = ranges_of(table);
  cJSON *summary = cJSON_AddObjectToObject(root, "summary");
  report_range_json(&r.deep, summary, "splitk_over_dataparallel_k_2n");
  report_range_json(&r.shallow, summary, "splitk_over_dataparallel_other");
  report_range_json(&r.fp16, summary, "over_fp16_cold");
  report_range_json(&r.fp16_warm, summary, "over_fp16_warm");
  report_range_json(&r.rows, summary, "largest_m_over_least");
  report_range_json(&r.automatic, summary, "auto_over_best_split_k");
  report_range_json(&r.deep_at_once, summary, "splitk_over_dataparallel_k_2n_no_launch");
  report_range_json(&r.fp16_at_once, summary, "over_fp16_cold_no_launch");
  report_put(summary, NUMBER("paper/splitk_over_dataparallel_least", PAPER_SPLITK_LEAST),
             NUMBER("paper/splitk_over_dataparallel_most", PAPER_SPLITK_MOST),
             NUMBER("paper/over_fp16_most", PAPER_FP16_MOST));
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  const config_soc_t *soc = &table->gemm.machine.soc.config.soc;
  const uint32_t a_die = soc->ai_cores / soc->dies;
  const double before_last = soc->skew_us * (a_die - 1);  // us, an AI core one core
  report_put(root, NUMBER("cores", soc->ai_cores), NUMBER(".m", table->middle_m), NUMBER(".launch_us", soc->launch_us),
             NUMBER(".cube_only_us", before_last), NUMBER(".all_us", before_last * (1 + soc->vector_cores)));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  cJSON *entries = cJSON_AddArrayToObject(root, ".entries");
  for (size_t i = 0; i < table->count; ++i) {
    const entry_t *e = &table->list[i];
    put_runs(e, list);
    put_entry(e, soc->clock_mhz, e->m == table->middle_m, entries);
  }
  put_details(table, root);
  put_samples(table, root);
  put_summary(table, root);
}

// --- the simulations --------------------------------------------------------------------------

static report_job_t *add(const table_t *table, report_jobs_t *jobs, const report_shape_t *shape, size_t m,
                         size_t kind) {
  const kind_t *k = &kinds[kind];
  char what[64];
  snprintf(what, sizeof what, "%s, %s", k->mode, k->l2);
  report_job_t *job = report_gemm_add(&table->gemm, jobs, k->kernel, what, shape, m);
  job->gemm.settings.machine.soc.l2_warm = strcmp(k->l2, "warm") == 0;
  job->gemm.settings.dataparallel = k->tile_n != 0;
  job->gemm.settings.tile_n = k->tile_n;
  return job;
}

static void add_entries(table_t *table, report_jobs_t *jobs) {
  for (size_t i = 0; i < table->count; ++i) {
    entry_t *e = &table->list[i];
    for (size_t kind = 0; kind < KINDS; ++kind) {
      e->of[kind] = &add(table, jobs, e->shape, e->m, kind)->outcome;
    }
    if (e->m == table->middle_m) {
      table->detail[i / table->gemm.rows].automatic = e->of[SPLITK];
    }
  }
}

static void add_detail(table_t *table, report_jobs_t *jobs, detail_t *d) {
  for (size_t i = 0; i < SLICE_COUNTS; ++i) {
    report_job_t *job = add(table, jobs, d->shape, table->middle_m, SPLITK);
    job->gemm.settings.splits = slice_counts[i];
    d->slices[i] = &job->outcome;
  }
  for (size_t i = 0; i < COLD_KINDS; ++i) {
    report_job_t *job = add(table, jobs, d->shape, table->middle_m, i);
    report_no_launch(job);
    d->at_once[i] = &job->outcome;
  }
}

// The first shapes that are small enough.
static void add_samples(table_t *table, report_jobs_t *jobs) {
  for (size_t i = 0; i < table->gemm.shapes && table->samples < SAMPLES_MAX; ++i) {
    const detail_t *d = &table->detail[i];
    if (d->shape->n * d->shape->k > SAMPLE_WEIGHTS) {
      continue;
    }
    report_job_t *job = add(table, jobs, d->shape, table->middle_m, SPLITK);
    report_job_judge(job);
    table->sample[table->samples++] = (sample_t){.shape = d->shape, .computed = &job->outcome, .timed = d->automatic};
  }
}

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  add_entries(table, jobs);
  for (size_t i = 0; i < table->gemm.shapes; ++i) {
    add_detail(table, jobs, &table->detail[i]);
  }
  add_samples(table, jobs);
}

static bool check_samples(const void *data, base_exit_t *code, base_error_t *error) {
  const table_t *table = data;
  for (size_t i = 0; i < table->samples; ++i) {
    const sample_t *s = &table->sample[i];
    if (s->computed->cycles != s->timed->cycles || s->computed->gemm.wrong_bits != 0) {
      *code = BASE_OUT_OF_TOLERANCE;
      return base_fail(error,
                       "w4a16, N %zu, K %zu: computed, %llu cycles and %zu wrong values; "
                       "without arithmetic %llu cycles",
                       s->shape->n, s->shape->k, (unsigned long long)s->computed->cycles, s->computed->gemm.wrong_bits,
                       (unsigned long long)s->timed->cycles);
    }
  }
  return true;
}

REPORT_TEMPLATE(w4a16_text, "w4a16/w4a16.md");
static const report_t w4a16 = {fill, w4a16_text, add_jobs, check_samples};

bool report_w4a16(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static const size_t usual[] = {1, 8, 16, 32, 64};
  static table_t table;
  memset(&table, 0, sizeof table);
  if (!report_gemm_read(context, usual, sizeof usual / sizeof *usual, &table.gemm, error)) {
    return false;
  }
  const report_gemm_t *gemm = &table.gemm;
  table.count = gemm->shapes * gemm->rows;
  table.middle_m = gemm->m[gemm->rows / 2];
  table.list = calloc(table.count, sizeof *table.list);
  if (table.list == NULL) {
    return base_fail(error, "report: out of memory");
  }
  for (size_t i = 0; i < table.count; ++i) {
    table.list[i].shape = &gemm->shape[i / gemm->rows];
    table.list[i].m = gemm->m[i % gemm->rows];
    table.detail[i / gemm->rows].shape = table.list[i].shape;
  }
  const bool good = report_simulate(context, &w4a16, false, &table, code, error);
  free(table.list);
  return good;
}
