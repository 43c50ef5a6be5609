// Figure 8(a) of the H-FA paper: time of a head against the number of blocks, in the RTL's cycles.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "host/parallel.h"
#include "num/num_rng.h"
#include "report/report.h"
#include "report/report_write.h"

enum { D = 64, KEYS = 1024, MORE = 64, ACC_CYCLES = 3 };

typedef struct row {
  size_t blocks;
  double paper;          // speed-up, 0: not said
  engine_cycles_t one;   // of one query
  engine_cycles_t many;  // of 1 + MORE queries
} row_t;

static const row_t rows[] = {
#define ROW(p, speedup) {.blocks = (p), .paper = (speedup)},
#include "report/hfa/fig8a.def"
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

static uint64_t pipeline_cycles(const row_t *row) { return row->one.total - row->one.rows - acc_cycles(row); }

// Cycles of one more query, when many follow each other.
static double steady_cycles(const row_t *row) { return (double)(row->many.total - row->one.total) / MORE; }

static double speedup(const figure_t *figure, const row_t *row) {
  return (double)figure->list[0].one.total / (double)row->one.total;
}

static double steady_speedup(const figure_t *figure, const row_t *row) {
  return steady_cycles(&figure->list[0]) / steady_cycles(row);
}

static double paper_speedup(const row_t *row) { return row->paper > 0 ? row->paper : NAN; }

// --- files ------------------------------------------------------------------------------------

// Within a tenth of it.
static const char *verdict(double ours, double paper) {
  return fabs(ours - paper) <= paper / 10 ? "reproduced" : "not reproduced";
}

static void fill(const void *data, cJSON *root) {
  const figure_t *figure = data;
  report_put(root, TEXT("impl", figure->rtl ? "rtl" : "c"), NUMBER("seq_kv", KEYS), NUMBER(".d", D),
             TEXT(".of", figure->rtl ? "Verilated RTL" : "C model"), NUMBER(".merge", ACC_CYCLES));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < ROWS; ++i) {
    const row_t *row = &figure->list[i];
    const uint64_t rest = pipeline_cycles(row) + acc_cycles(row);
    cJSON *object = report_row(
        list, NUMBER("d", D), NUMBER("blocks", row->blocks), NUMBER("cycles", row->one.total),
        NUMBER("rows", row->one.rows), NUMBER("pipeline", pipeline_cycles(row)), NUMBER("acc", acc_cycles(row)),
        NUMBER("speedup", speedup(figure, row)), NUMBER("steady_cycles", steady_cycles(row)),
        NUMBER("steady_speedup", steady_speedup(figure, row)), NUMBER("paper/speedup", paper_speedup(row)));
    report_put(object, NUMBER(".rest", rest), NUMBER(".time", 1 / speedup(figure, row)),
               NUMBER(".steady_time", 1 / steady_speedup(figure, row)), NUMBER(".paper_time", 1 / paper_speedup(row)));
    if (i == ROWS - 1) {
      report_put(root, TEXT(".verdict", verdict(speedup(figure, row), row->paper)));
    }
  }
}

REPORT_TEMPLATE(fig8a_text, "hfa/fig8a.md");
static const report_t report = {fill, fig8a_text, NULL, NULL};

// --- the runs ---------------------------------------------------------------------------------

typedef struct inputs {
  num_bf16_t q[(1 + MORE) * D], k[KEYS * D], v[KEYS * D], out[(1 + MORE) * D];
} inputs_t;

static void tell(void *context, const char *what) {
  (void)context;
  fprintf(stderr, "fig8a: %s\n", what);
}

static engine_t *open_engine(const report_context_t *context, size_t blocks, base_error_t *error) {
  const engine_shape_t shape = {.num = {.design = NUM_DESIGN_HFA, .d = D, .blocks = blocks, .rows = KEYS},
                                .queries = 1};
  base_error_t reason;
  engine_t *engine =
      context->settings->engine_rtl
          ? engine_open_rtl(&shape, NULL, (engine_progress_t){context->settings->quiet ? NULL : tell, NULL}, &reason)
          : engine_open_c(&shape, parallel_host_threads(), &reason);
  if (engine == NULL) {
    base_fail(error, "fig8a: %s", reason.text);
  }
  return engine;
}

static bool attend(engine_t *engine, inputs_t *in, size_t queries, engine_cycles_t *cycles, base_error_t *error) {
  base_error_t reason;
  const engine_job_t job = {.sq = queries, .s = KEYS, .q = in->q, .k = in->k, .v = in->v, .out = in->out};
  return engine_attention(engine, &job, cycles, &reason) || base_fail(error, "fig8a: %s", reason.text);
}

static bool run_row(const report_context_t *context, inputs_t *in, row_t *row, base_error_t *error) {
  engine_t *engine = open_engine(context, row->blocks, error);
  const bool good =
      engine != NULL && attend(engine, in, 1, &row->one, error) && attend(engine, in, 1 + MORE, &row->many, error);
  engine_close(engine);
  return good;
}

static bool run_rows(const report_context_t *context, figure_t *figure, base_exit_t *code, base_error_t *error) {
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
    good = report_step(context, i + 1, ROWS, what, code, error) && run_row(context, in, &figure->list[i], error);
  }
  free(in);
  return good;
}

bool report_fig8a(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  figure_t figure = {.rtl = context->settings->engine_rtl};
  *code = BASE_BAD_INPUT;
  return run_rows(context, &figure, code, error) && report_write(context, &report, &figure, error);
}
