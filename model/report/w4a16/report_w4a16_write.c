// What the report on W4A16 says: ratios, tables, plot.
// SPDX-License-Identifier: Apache-2.0
#include <cJSON.h>
#include <math.h>

#include "base/json.h"
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

// --- JSON -------------------------------------------------------------------------------------

static cJSON *json_run(cJSON *list, const report_shape_t *shape, size_t m, const char *mode,
                       const char *l2, const report_outcome_t *o) {
  cJSON *row = json_add_row(list);
  json_add_count(row, "m", m);
  json_add_count(row, "n", shape->n);
  json_add_count(row, "k", shape->k);
  cJSON_AddStringToObject(row, "model", shape->model);
  cJSON_AddStringToObject(row, "mode", mode);
  json_add_count(row, "split_k", o->half.splits);
  json_add_count(row, "tile_n", o->half.tile_n);
  cJSON_AddStringToObject(row, "weights", l2);
  json_add_count(row, "cycles", o->cycles);
  cJSON_AddNumberToObject(row, "time_us", o->time_us);
  return row;
}

static void json_entry(const w4a16_entry_t *e, cJSON *list) {
  for (size_t i = 0; i < W4A16_KINDS; ++i) {
    cJSON *row = json_run(list, e->shape, e->m, w4a16_kinds[i].mode, w4a16_kinds[i].l2, e->of[i]);
    if (i == W4A16_SPLITK) {
      cJSON_AddNumberToObject(row, "over_dataparallel", over_parallel(e->of));
      cJSON_AddNumberToObject(row, "over_fp16", over_fp16(e->of));
    } else if (i == W4A16_SPLITK_WARM) {
      cJSON_AddNumberToObject(row, "over_fp16", over_fp16_warm(e->of));
    }
    cJSON_AddNullToObject(row, "paper");   // it gives ranges, see the summary
  }
}

static void json_paper(cJSON *root) {
  cJSON *paper = cJSON_AddObjectToObject(root, "paper");
  cJSON_AddNumberToObject(paper, "splitk_over_dataparallel_least", PAPER_SPLITK_LEAST);
  cJSON_AddNumberToObject(paper, "splitk_over_dataparallel_most", PAPER_SPLITK_MOST);
  cJSON_AddNumberToObject(paper, "over_fp16_most", PAPER_FP16_MOST);
}

static void json_summary(const w4a16_table_t *table, cJSON *root) {
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
  json_paper(summary);
}

static void json_details(const w4a16_table_t *table, cJSON *root) {
  cJSON *slices = cJSON_AddArrayToObject(root, "by_split_k");
  cJSON *at_once = cJSON_AddArrayToObject(root, "no_launch");
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const w4a16_detail_t *d = &table->detail[i];
    for (size_t s = 0; s < W4A16_SLICE_COUNTS; ++s) {
      json_run(slices, d->shape, table->middle_m, "splitk", "cold", d->slices[s]);
    }
    for (size_t s = 0; s < W4A16_COLD_KINDS; ++s) {
      json_run(at_once, d->shape, table->middle_m, w4a16_kinds[s].mode, w4a16_kinds[s].l2,
               d->at_once[s]);
    }
  }
}

static void json_samples(const w4a16_table_t *table, cJSON *root) {
  cJSON *list = cJSON_AddArrayToObject(root, "computed");
  for (size_t i = 0; i < table->samples; ++i) {
    const w4a16_sample_t *s = &table->sample[i];
    cJSON *row = json_run(list, s->shape, table->middle_m, "splitk", "cold", s->computed);
    cJSON_AddNumberToObject(row, "rel_fro", s->computed->half.error);
    json_add_count(row, "wrong_bits", s->computed->half.wrong_bits);
    json_add_count(row, "cycles_timing_only", s->timed->cycles);
  }
}

static void write_json(const void *data, cJSON *root) {
  const w4a16_table_t *table = data;
  json_add_count(root, "cores", table->half.machine.soc.config.soc.ai_cores);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < table->count; ++i) {
    json_entry(&table->list[i], list);
  }
  json_details(table, root);
  json_samples(table, root);
  json_summary(table, root);
}

// --- Markdown ---------------------------------------------------------------------------------

static void markdown_range(FILE *file, const char *what, const report_range_t *range) {
  fprintf(file, "- %s: ", what);
  report_range_text(range, file);
  fputc('\n', file);
}

static void markdown_summary(const w4a16_table_t *table, FILE *file) {
  const ranges_t r = ranges_of(table);
  markdown_range(file, "Split-K over data-parallel (the better tile) where K >= 2 N; the paper has "
                 "1.01 to 1.74", &r.deep);
  markdown_range(file, "elsewhere", &r.shallow);
  markdown_range(file, "W4A16 over FP16, weights in HBM; the paper has at most 1.48", &r.fp16);
  markdown_range(file, "the same, weights in L2 as far as they fit", &r.fp16_warm);
  markdown_range(file, "time at the largest M over that at the least", &r.rows);
  markdown_range(file, "time at the automatic S over that at the best S measured", &r.automatic);
  const config_soc_t *soc = &table->half.machine.soc.config.soc;
  const uint32_t a_die = soc->ai_cores / soc->dies;
  fprintf(file, "\nA launch takes %.1f us until the first AI core starts and %.1f more until the "
          "last one does. Without that,\nat M = %zu:\n\n",
          soc->launch_us, soc->skew_us * (a_die - 1), table->middle_m);
  markdown_range(file, "Split-K over data-parallel where K >= 2 N", &r.deep_at_once);
  markdown_range(file, "W4A16 over FP16, weights in HBM", &r.fp16_at_once);
}

static void markdown_entry(const w4a16_entry_t *e, FILE *file) {
  const report_outcome_t *const *of = e->of;
  fprintf(file, "| %s | %zu | %zu | %zu | %u x %u | %.1f | %.1f | %.1f | %.2f | %.1f | %.2f |"
          " %.1f | %.1f | %.2f |\n",
          e->shape->model, e->shape->n, e->shape->k, e->m, of[W4A16_SPLITK]->half.splits,
          of[W4A16_SPLITK]->half.tile_n, of[W4A16_SPLITK]->time_us, of[W4A16_PARALLEL_128]->time_us,
          of[W4A16_PARALLEL_256]->time_us, over_parallel(of), of[W4A16_FP16]->time_us,
          over_fp16(of), of[W4A16_SPLITK_WARM]->time_us, of[W4A16_FP16_WARM]->time_us,
          over_fp16_warm(of));
}

static void markdown_slices(const w4a16_table_t *table, FILE *file) {
  fprintf(file, "\n## Slices\n\nMicroseconds at M = %zu, cold weights, by S.\n\n"
          "| N | K | auto | its S | 1 | 2 | 4 | 8 | 16 | best S |\n"
          "|---|---|---|---|---|---|---|---|---|---|\n", table->middle_m);
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const w4a16_detail_t *d = &table->detail[i];
    unsigned best;
    best_slices(d, &best);
    fprintf(file, "| %zu | %zu | %.1f | %u |", d->shape->n, d->shape->k, d->automatic->time_us,
            d->automatic->half.splits);
    for (size_t s = 0; s < W4A16_SLICE_COUNTS; ++s) {
      fprintf(file, " %.1f |", d->slices[s]->time_us);
    }
    fprintf(file, " %u |\n", best);
  }
}

// The pipes of a cube core while it multiplies, and of a vector core, in us busy.
static void markdown_pipes(const w4a16_table_t *table, FILE *file) {
  const double mhz = table->half.machine.soc.config.soc.clock_mhz;
  fprintf(file,
          "\n## Why M has little effect\n\nMicroseconds that the pipes are busy, mean over cores, "
          "Split-K with cold weights: multiplying waits for MTE2,\nwhich loads B, and B is the same "
          "for every M; what grows is a's part, which each unit loads for itself, M rows\nbeside the "
          "columns of a tile. M, the pipe, is far from busy even at 64 rows. Dequantising does not "
          "see M at all.\n\n"
          "| N | K | M | time | cube MTE2 | MTE1 | M | FIX | vector MTE2 | V | MTE3 |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < table->count; ++i) {
    const w4a16_entry_t *e = &table->list[i];
    const report_gemm_outcome_t *h = &e->of[W4A16_SPLITK]->half;
    fprintf(file, "| %zu | %zu | %zu | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
            e->shape->n, e->shape->k, e->m, e->of[W4A16_SPLITK]->time_us,
            h->cube_busy[PIPE_MTE2] / mhz,
            h->cube_busy[PIPE_MTE1] / mhz, h->cube_busy[PIPE_M] / mhz,
            h->cube_busy[PIPE_FIX] / mhz, h->vector_busy[PIPE_MTE2] / mhz,
            h->vector_busy[PIPE_V] / mhz, h->vector_busy[PIPE_MTE3] / mhz);
  }
}

static void markdown_samples(const w4a16_table_t *table, FILE *file) {
  fprintf(file, "\n## Computed\n\nAll times above are without arithmetic. With it, at M = %zu:\n\n",
          table->middle_m);
  for (size_t i = 0; i < table->samples; ++i) {
    const w4a16_sample_t *s = &table->sample[i];
    fprintf(file, "- N %zu, K %zu: %llu cycles, without arithmetic %llu; %zu values differ from "
            "the contract's; error %.3g relative to FP64\n", s->shape->n, s->shape->k,
            (unsigned long long)s->computed->cycles, (unsigned long long)s->timed->cycles,
            s->computed->half.wrong_bits, s->computed->half.error);
  }
}

static void write_markdown(const void *data, FILE *file) {
  const w4a16_table_t *table = data;
  fprintf(file,
          "# W4A16 on one die: Split-K, data-parallel and FP16\n\n"
          "Groups of 128, zero points, on %u AI cores; us (`amalgam report w4a16`). S x n: slices "
          "and columns of a tile,\nby the cost model. The FP16 kernel may use tiles of 64 to 256 "
          "columns, whichever the same model finds best.\n\n",
          (unsigned)table->half.machine.soc.config.soc.ai_cores);
  markdown_summary(table, file);
  fprintf(file,
          "\n![plot](w4a16.svg)\n\n## Times\n\n"
          "| model | N | K | M | S x n | Split-K | data-parallel 128 | 256 | Split-K over the "
          "better | FP16 | W4A16 over it | Split-K, warm | FP16, warm | over it |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < table->count; ++i) {
    markdown_entry(&table->list[i], file);
  }
  markdown_slices(table, file);
  markdown_pipes(table, file);
  markdown_samples(table, file);
}

// Over shapes, at the middle M.
static void write_plot(const void *data, FILE *gnuplot) {
  const w4a16_table_t *table = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < table->count; ++i) {
    const w4a16_entry_t *e = &table->list[i];
    if (e->m == table->middle_m) {
      fprintf(gnuplot, "\"%zux%zu\" %g %g %g\n", e->shape->n, e->shape->k, over_parallel(e->of),
              over_fp16(e->of),
              over_fp16_warm(e->of));
    }
  }
  report_bars(gnuplot);
  fprintf(gnuplot,
          "set yrange [0:*]\nset ylabel 'times as fast, M = %zu'\n"
          "set xtics rotate by -60\nset key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'Split-K over data-parallel' lc rgb '#4477aa', "
          "'' using 3 title 'over FP16, cold' lc rgb '#cc6633', "
          "'' using 4 title 'over FP16, warm' lc rgb '#f2c9b0', 1 notitle lc rgb 'black'\n",
          table->middle_m);
}

const report_files_t w4a16_files = {.name = "w4a16", .json = write_json, .markdown = write_markdown,
                                    .plot = write_plot};
