// What the report on W4A16 says: ratios, tables, plot.
// SPDX-License-Identifier: Apache-2.0
#include "report/w4a16/report_w4a16_table.h"

// --- ratios -----------------------------------------------------------------------------------

static const report_outcome_t *better_parallel(const report_outcome_t *const *of) {
  return of[W4A16_PARALLEL_128]->time_us <= of[W4A16_PARALLEL_256]->time_us ? of[W4A16_PARALLEL_128]
                                                               : of[W4A16_PARALLEL_256];
}

static double over_parallel(const report_outcome_t *const *of) {
  return report_over(better_parallel(of), of[W4A16_SPLITK]);
}

static double over_fp16(const report_outcome_t *const *of) {
  return report_over(of[W4A16_FP16], of[W4A16_SPLITK]);
}

static double over_fp16_warm(const report_outcome_t *const *of) {
  return report_over(of[W4A16_FP16_WARM], of[W4A16_SPLITK_WARM]);
}

static bool is_deep(const report_shape_t *shape) { return shape->k >= 2 * shape->n; }

typedef struct ranges {
  report_range_t deep, shallow;              // Split-K over data-parallel: K >= 2 N, and else
  report_range_t fp16, fp16_warm;            // W4A16 over FP16
  report_range_t rows;                       // time at the largest M over that at the least
  report_range_t deep_at_once, fp16_at_once; // without the launch
  report_range_t automatic;                  // automatic slices over the best of w4a16_slice_counts
} ranges_t;

static double best_slices(const w4a16_detail_t *d, unsigned *slices) {
  double best = d->automatic->time_us;
  *slices = d->automatic->half.splits;
  for (size_t i = 0; i < W4A16_SLICE_COUNTS; ++i) {
    if (d->slices[i]->time_us < best) {
      best = d->slices[i]->time_us;
      *slices = w4a16_slice_counts[i];
    }
  }
  return best;
}

static ranges_t ranges_of(const w4a16_table_t *table) {
  ranges_t r = {0};
  const size_t rows = table->half.rows;
  for (size_t i = 0; i < table->count; ++i) {
    const w4a16_entry_t *e = &table->list[i];
    report_range_add(is_deep(e->shape) ? &r.deep : &r.shallow, over_parallel(e->of), e->shape,
                     e->m);
    report_range_add(&r.fp16, over_fp16(e->of), e->shape, e->m);
    report_range_add(&r.fp16_warm, over_fp16_warm(e->of), e->shape, e->m);
    if (i % rows == rows - 1) {
      const w4a16_entry_t *least = &table->list[i + 1 - rows];
      report_range_add(&r.rows, report_over(e->of[W4A16_SPLITK], least->of[W4A16_SPLITK]), e->shape,
                       e->m);
    }
  }
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const w4a16_detail_t *d = &table->detail[i];
    unsigned slices;
    if (is_deep(d->shape)) {
      report_range_add(&r.deep_at_once, over_parallel(d->at_once), d->shape, table->middle_m);
    }
    report_range_add(&r.fp16_at_once, over_fp16(d->at_once), d->shape, table->middle_m);
    report_range_add(&r.automatic, d->automatic->time_us / best_slices(d, &slices), d->shape,
                     table->middle_m);
  }
  return r;
}

// --- the document -----------------------------------------------------------------------------

static cJSON *put_run(cJSON *list, const report_shape_t *shape, size_t m, const char *mode,
                      const char *l2, const report_outcome_t *o) {
  return report_row(list, NUMBER("m", m), NUMBER("n", shape->n), NUMBER("k", shape->k),
                    TEXT("model", shape->model), TEXT("mode", mode),
                    NUMBER("split_k", o->half.splits), NUMBER("tile_n", o->half.tile_n),
                    TEXT("weights", l2), NUMBER("cycles", o->cycles), NUMBER("time_us", o->time_us));
}

static void put_runs(const w4a16_entry_t *e, cJSON *list) {
  for (size_t i = 0; i < W4A16_KINDS; ++i) {
    cJSON *row = put_run(list, e->shape, e->m, w4a16_kinds[i].mode, w4a16_kinds[i].l2, e->of[i]);
    if (i == W4A16_SPLITK) {
      report_put(row, NUMBER("over_dataparallel", over_parallel(e->of)),
                 NUMBER("over_fp16", over_fp16(e->of)));
    } else if (i == W4A16_SPLITK_WARM) {
      report_put(row, NUMBER("over_fp16", over_fp16_warm(e->of)));
    }
    report_put(row, NOTHING("paper"));   // it gives ranges, see the summary
  }
}

// A line of the tables: all runs of an entry, and the us that pipes are busy.
static void put_entry(const w4a16_entry_t *e, double mhz, bool middle, cJSON *list) {
  const report_gemm_outcome_t *h = &e->of[W4A16_SPLITK]->half;
  cJSON *row = report_row(
      list, TEXT("model", e->shape->model), NUMBER("n", e->shape->n), NUMBER("k", e->shape->k),
      NUMBER("m", e->m), NUMBER("middle", middle), NUMBER("cube/mte2", h->cube_busy[PIPE_MTE2] / mhz),
      NUMBER("cube/mte1", h->cube_busy[PIPE_MTE1] / mhz), NUMBER("cube/m", h->cube_busy[PIPE_M] / mhz),
      NUMBER("cube/fix", h->cube_busy[PIPE_FIX] / mhz),
      NUMBER("vector/mte2", h->vector_busy[PIPE_MTE2] / mhz),
      NUMBER("vector/v", h->vector_busy[PIPE_V] / mhz),
      NUMBER("vector/mte3", h->vector_busy[PIPE_MTE3] / mhz));
  put_runs(e, cJSON_AddArrayToObject(row, "run"));
}

static void put_details(const w4a16_table_t *table, cJSON *root) {
  cJSON *slices = cJSON_AddArrayToObject(root, "by_split_k");
  cJSON *at_once = cJSON_AddArrayToObject(root, "no_launch");
  cJSON *lines = cJSON_AddArrayToObject(root, ".slices");
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const w4a16_detail_t *d = &table->detail[i];
    unsigned best;
    best_slices(d, &best);
    cJSON *line = report_row(lines, NUMBER("n", d->shape->n), NUMBER("k", d->shape->k),
                             NUMBER("time_us", d->automatic->time_us),
                             NUMBER("split_k", d->automatic->half.splits), NUMBER("best", best));
    cJSON *by = cJSON_AddArrayToObject(line, "by");
    for (size_t s = 0; s < W4A16_SLICE_COUNTS; ++s) {
      put_run(slices, d->shape, table->middle_m, "splitk", "cold", d->slices[s]);
      put_run(by, d->shape, table->middle_m, "splitk", "cold", d->slices[s]);
    }
    for (size_t s = 0; s < W4A16_COLD_KINDS; ++s) {
      put_run(at_once, d->shape, table->middle_m, w4a16_kinds[s].mode, w4a16_kinds[s].l2,
              d->at_once[s]);
    }
  }
}

static void put_samples(const w4a16_table_t *table, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "computed");
  for (size_t i = 0; i < table->samples; ++i) {
    const w4a16_sample_t *s = &table->sample[i];
    report_put(put_run(list, s->shape, table->middle_m, "splitk", "cold", s->computed),
               NUMBER("rel_fro", s->computed->half.error),
               NUMBER("wrong_bits", s->computed->half.wrong_bits),
               NUMBER("cycles_timing_only", s->timed->cycles));
  }
}

static void put_summary(const w4a16_table_t *table, cJSON *root) {
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
  const w4a16_table_t *table = data;
  const config_soc_t *soc = &table->half.machine.soc.config.soc;
  const uint32_t a_die = soc->ai_cores / soc->dies;
  report_put(root, NUMBER("cores", soc->ai_cores), NUMBER(".m", table->middle_m),
             NUMBER(".launch_us", soc->launch_us), NUMBER(".skew_us", soc->skew_us * (a_die - 1)));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  cJSON *entries = cJSON_AddArrayToObject(root, ".entries");
  for (size_t i = 0; i < table->count; ++i) {
    const w4a16_entry_t *e = &table->list[i];
    put_runs(e, list);
    put_entry(e, soc->clock_mhz, e->m == table->middle_m, entries);
  }
  put_details(table, root);
  put_samples(table, root);
  put_summary(table, root);
}

REPORT_TEMPLATE(w4a16_text, "w4a16/w4a16.md");
const report_files_t w4a16_files = {fill, w4a16_text};
