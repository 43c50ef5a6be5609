// Figure 8(a) of the H-FA paper: time of a head against the number of blocks, in the RTL's cycles.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "host/parallel.h"
#include "num/num_rng.h"
#include "report/report.h"
#include "report/report_write.h"

enum { D = 64, KEYS = 1024, MORE = 64, MESSAGE_BYTES = 1024, ACC_CYCLES = 3 };

typedef struct row {
  size_t blocks;
  double paper;            // speed-up, 0: not said
  engine_cycles_t one;     // of one query
  engine_cycles_t many;    // of 1 + MORE queries
} row_t;

static const row_t rows[] = {
#define ROW(p, speedup) {.blocks = (p), .paper = (speedup)},
#include "report/hfa/report_fig8a.def"
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct figure {
  row_t list[ROWS];
  bool rtl;
} figure_t;

// --- what the cycles are made of --------------------------------------------------------------

// The merges, one after the other.
static uint64_t acc_cycles(const row_t *row) { return ACC_CYCLES * (row->blocks - 1); }

static uint64_t pipeline_cycles(const row_t *row) {
  return row->one.total - row->one.rows - acc_cycles(row);
}

// Of one more query, when many follow each other.
static double steady_cycles(const row_t *row) {
  return (double)(row->many.total - row->one.total) / MORE;
}

static double speedup(const figure_t *figure, const row_t *row) {
  return (double)figure->list[0].one.total / (double)row->one.total;
}

static double steady_speedup(const figure_t *figure, const row_t *row) {
  return steady_cycles(&figure->list[0]) / steady_cycles(row);
}

static double paper_speedup(const row_t *row) { return row->paper > 0 ? row->paper : NAN; }

// --- files ------------------------------------------------------------------------------------

static void write_json(const void *data, cJSON *root) {
  const figure_t *figure = data;
  cJSON_AddStringToObject(root, "impl", figure->rtl ? "rtl" : "c");
  cJSON_AddNumberToObject(root, "seq_kv", KEYS);
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < ROWS; ++i) {
    const row_t *row = &figure->list[i];
    cJSON *object = json_add_row(list);
    cJSON_AddNumberToObject(object, "d", D);
    cJSON_AddNumberToObject(object, "blocks", (double)row->blocks);
    cJSON_AddNumberToObject(object, "cycles", (double)row->one.total);
    cJSON_AddNumberToObject(object, "rows", (double)row->one.rows);
    cJSON_AddNumberToObject(object, "pipeline", (double)pipeline_cycles(row));
    cJSON_AddNumberToObject(object, "acc", (double)acc_cycles(row));
    cJSON_AddNumberToObject(object, "speedup", speedup(figure, row));
    cJSON_AddNumberToObject(object, "steady_cycles", steady_cycles(row));
    cJSON_AddNumberToObject(object, "steady_speedup", steady_speedup(figure, row));
    cJSON *paper = cJSON_AddObjectToObject(object, "paper");
    cJSON_AddNumberToObject(paper, "speedup", paper_speedup(row));
  }
}

// Within a tenth of it.
static const char *verdict(double ours, double paper) {
  return fabs(ours - paper) <= paper / 10 ? "reproduced" : "not reproduced";
}

static void write_claim(const figure_t *figure, FILE *file) {
  const row_t *one = &figure->list[0], *last = &figure->list[ROWS - 1];
  const double first = speedup(figure, last), steady = steady_speedup(figure, last);
  const uint64_t rest_one = pipeline_cycles(one) + acc_cycles(one);
  const uint64_t rest_last = pipeline_cycles(last) + acc_cycles(last);
  fprintf(file,
          "\n## The paper's claim\n\n\"Significant reduction in kernel execution time, by a factor of "
          "%.0f for %zu parallel KV sub-blocks.\" Reproduced means\nhere: within a tenth. For one query: "
          "**%s**, %.2f times: %llu of its %llu cycles with %zu blocks are the\npipeline and the merges, "
          "of %llu with one block %llu. For each of many queries that follow one another, where these do "
          "not show, it is %.2f times.\n",
          last->paper, last->blocks, verdict(first, last->paper), first,
          (unsigned long long)rest_last,
          (unsigned long long)last->one.total, last->blocks, (unsigned long long)one->one.total,
          (unsigned long long)rest_one,
          steady);
}

static void write_markdown(const void *data, FILE *file) {
  const figure_t *figure = data;
  fprintf(file,
          "# Figure 8(a) of the H-FA paper: time against blocks of keys\n\n"
          "H-FA, %d keys, d %d, cycles of the %s (`amalgam report fig8a`), keys and values already "
          "in the engine. One query\ntakes a cycle for each of the 1024 / P rows, the way through "
          "the pipeline, and %d cycles for each merge. Of many\nqueries the next one's rows follow "
          "at once, and the rest does not show.\n\n"
          "| P | one query | rows | pipeline | merges | speed-up | paper | each of many | speed-up "
          "|\n|---|---|---|---|---|---|---|---|---|\n",
          KEYS, D, figure->rtl ? "Verilated RTL" : "C model", ACC_CYCLES);
  for (size_t i = 0; i < ROWS; ++i) {
    const row_t *row = &figure->list[i];
    fprintf(file, "| %zu | %llu | %llu | %llu | %llu | %.2f |", row->blocks,
            (unsigned long long)row->one.total, (unsigned long long)row->one.rows,
            (unsigned long long)pipeline_cycles(row), (unsigned long long)acc_cycles(row),
            speedup(figure, row));
    report_cell(file, 0, paper_speedup(row));
    fprintf(file, " %.1f | %.2f |\n", steady_cycles(row), steady_speedup(figure, row));
  }
  write_claim(figure, file);
  fprintf(file, "\n![plot](fig8a.svg)\n");
}

static void write_plot(const void *data, FILE *gnuplot) {
  const figure_t *figure = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < ROWS; ++i) {
    const row_t *row = &figure->list[i];
    fprintf(gnuplot, "%zu %g %g ", row->blocks, 1 / speedup(figure, row),
            1 / steady_speedup(figure, row));
    fprintf(gnuplot, row->paper > 0 ? "%g\n" : "NaN\n", 1 / row->paper);
  }
  report_bars(gnuplot);
  fprintf(gnuplot,
          "set yrange [0:1.1]\n"
          "set xlabel 'blocks P'\nset ylabel 'time, of one block'\n"
          "set key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'one query' lc rgb '#cc6633', "
          "'' using 3 title 'each of many' lc rgb '#4477aa', "
          "'' using 4 title 'paper' lc rgb '#f2c9b0'\n");
}

// --- the runs ---------------------------------------------------------------------------------

typedef struct inputs {
  num_bf16_t q[(1 + MORE) * D], k[KEYS * D], v[KEYS * D], out[(1 + MORE) * D];
} inputs_t;

static void tell(const char *what) { fprintf(stderr, "fig8a: %s\n", what); }

static engine_t *open_engine(const report_context_t *context, size_t blocks, base_error_t *error) {
  const engine_shape_t shape = {
      .num = {.design = NUM_DESIGN_HFA, .d = D, .blocks = blocks, .rows = KEYS}, .queries = 1};
  char message[MESSAGE_BYTES] = "";
  engine_t *engine =
      context->settings->engine_rtl
          ? engine_open_rtl(&shape, NULL, context->settings->quiet ? NULL : tell, message,
                            sizeof message)
          : engine_open_c(&shape, parallel_host_threads(), message, sizeof message);
  if (engine == NULL) {
    base_fail(error, "fig8a: %s", message);
  }
  return engine;
}

static bool attend(engine_t *engine, inputs_t *in, size_t queries, engine_cycles_t *cycles,
                   base_error_t *error) {
  char message[MESSAGE_BYTES] = "";
  const engine_job_t job = {.sq = queries, .s = KEYS, .q = in->q, .k = in->k, .v = in->v,
                            .out = in->out};
  return engine_attention(engine, &job, cycles, message, sizeof message) ||
         base_fail(error, "fig8a: %s", message);
}

static bool run_row(const report_context_t *context, inputs_t *in, row_t *row,
                    base_error_t *error) {
  engine_t *engine = open_engine(context, row->blocks, error);
  const bool good = engine != NULL && attend(engine, in, 1, &row->one, error) &&
                    attend(engine, in, 1 + MORE, &row->many, error);
  engine_close(engine);
  return good;
}

static bool run_rows(const report_context_t *context, figure_t *figure, base_exit_t *code,
                     base_error_t *error) {
  inputs_t *in = malloc(sizeof *in);
  bool good = in != NULL || base_fail(error, "fig8a: out of memory");
  if (good) {
    num_rng_normal_bf16(0, 0, 0, sizeof in->q / sizeof *in->q, 1 / sqrt(D), in->q);
    num_rng_normal_bf16(0, 1, 0, sizeof in->k / sizeof *in->k, 1, in->k);
    num_rng_normal_bf16(0, 2, 0, sizeof in->v / sizeof *in->v, 1, in->v);
  }
  for (size_t i = 0; good && i < ROWS; ++i) {
    char what[32];
    snprintf(what, sizeof what, "P %zu", rows[i].blocks);
    figure->list[i] = rows[i];
    good = report_step(context, i + 1, ROWS, what, code, error) &&
           run_row(context, in, &figure->list[i], error);
  }
  free(in);
  return good;
}

bool report_fig8a(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  figure_t figure = {.rtl = context->settings->engine_rtl};
  const report_files_t files = {.name = context->name, .data = &figure, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  *code = BASE_BAD_INPUT;
  return run_rows(context, &figure, code, error) &&
         report_write(&files, context->settings->out, error);
}
