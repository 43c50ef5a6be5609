// Where W4A16's bytes go: by phase, between cores and L2 and between L2 and HBM, beside FP16.  The
// dequantised weights go through memory once out and once in, eight times what their 4-bit form takes;
// that is what caps the gain.
// SPDX-License-Identifier: Apache-2.0
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/report_write.h"
#include "report/w4a16/report_w4a16.h"

enum { FP16, SEQUENTIAL, OVERLAPPED, KINDS };
static const struct {
  const char *kernel, *mode;
  enum w4a16_phases phases;
} kinds[KINDS] = {
    {"gemm", "fp16", W4A16_SEQUENTIAL},
    {"w4a16", "splitk", W4A16_SEQUENTIAL},
    {"w4a16", "overlap", W4A16_OVERLAPPED},
};

typedef struct entry {
  const report_shape_t *shape;
  const report_outcome_t *of[KINDS];
} entry_t;

typedef struct table {
  report_gemm_t half;
  entry_t list[REPORT_SHAPES_MAX];
} table_t;

// --- what the machine's rates allow -----------------------------------------------------------

// Microseconds of the slowest resource, for a kernel of ideal phases: bytes or cycles of each weight
// over all cores.
typedef struct bound {
  double fp16, dequantise, multiply;   // phases one after the other
  double overlapped;                   // both at once, which share L2
} bound_t;

static double largest(const double *of, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; ++i) {
    most = of[i] > most ? of[i] : most;
  }
  return most;
}

static bound_t bound_of(const config_t *c, const report_shape_t *shape) {
  const double weights = (double)shape->n * (double)shape->k;
  const double hbm = c->gm.hbm_gbps * c->gm.hbm_efficiency * c->soc.dies * 1e3;   // bytes/us
  const double l2 = c->gm.l2_gbps * c->soc.dies * 1e3;
  const double cubes = c->soc.ai_cores;
  const double vectors = cubes * c->soc.vector_cores;
  const double packed = 0.5 + 2 * 2.0 / 128;   // nibbles, and scales and zeros of groups of 128
  const double lanes = 0.5 * c->vector.repeat_bytes;
  const double v = (c->vector.cast_int4_cycles + 2 * c->vector.alu_cycles) / lanes /
                   (vectors * c->soc.clock_mhz);
  const double read = 2 / (cubes * c->cube.load_gbps * 1e3);
  const double fp16[] = {2 / hbm, 2 / l2, read};
  const double dequantise[] = {packed / hbm, (packed + 2) / l2,
                               packed / (vectors * c->vector.load_gbps * 1e3), v,
                               2 / (vectors * c->vector.store_gbps * 1e3)};
  const double multiply[] = {2 / l2, read};
  const double overlapped[] = {packed / hbm, (packed + 4) / l2, v, read};
  return (bound_t){.fp16 = weights * largest(fp16, 3),
                   .dequantise = weights * largest(dequantise, 5),
                   .multiply = weights * largest(multiply, 2),
                   .overlapped = weights * largest(overlapped, 4)};
}

// --- JSON -------------------------------------------------------------------------------------

static void json_phase(const entry_t *e, size_t m, size_t kind, const gemm_phase_t *phase,
                       double mhz, cJSON *list) {
  cJSON *row = json_add_row(list);
  json_add_count(row, "m", m);
  json_add_count(row, "n", e->shape->n);
  json_add_count(row, "k", e->shape->k);
  cJSON_AddStringToObject(row, "mode", kinds[kind].mode);
  json_add_count(row, "split_k", e->of[kind]->half.splits);
  cJSON_AddStringToObject(row, "phase", phase->name);
  cJSON_AddNumberToObject(row, "time_us", (double)phase->cycles / mhz);
  json_add_count(row, "hbm_read", phase->traffic.hbm_read);
  json_add_count(row, "hbm_write", phase->traffic.hbm_write);
  json_add_count(row, "l2_read", phase->traffic.l2_read);
  json_add_count(row, "l2_write", phase->traffic.l2_write);
  cJSON_AddNullToObject(row, "paper");
}

static void write_json(const void *data, cJSON *root) {
  const table_t *table = data;
  const config_t *config = &table->half.machine.soc.config;
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  cJSON *bounds = cJSON_AddArrayToObject(root, "bounds");
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const entry_t *e = &table->list[i];
    for (size_t kind = 0; kind < KINDS; ++kind) {
      const report_gemm_outcome_t *h = &e->of[kind]->half;
      for (size_t p = 0; p < h->phases; ++p) {
        json_phase(e, table->half.m[0], kind, &h->phase[p], config->soc.clock_mhz, list);
      }
    }
    const bound_t b = bound_of(config, e->shape);
    cJSON *row = json_add_row(bounds);
    json_add_count(row, "n", e->shape->n);
    json_add_count(row, "k", e->shape->k);
    cJSON_AddNumberToObject(row, "fp16_us", b.fp16);
    cJSON_AddNumberToObject(row, "dequantise_us", b.dequantise);
    cJSON_AddNumberToObject(row, "multiply_us", b.multiply);
    cJSON_AddNumberToObject(row, "overlapped_us", b.overlapped);
  }
}

// --- Markdown ---------------------------------------------------------------------------------

static double mb(uint64_t bytes) { return (double)bytes * 1e-6; }

static void markdown_phase(const entry_t *e, const char *mode, const gemm_phase_t *phase,
                           double mhz, FILE *file) {
  const double weights = (double)e->shape->n * (double)e->shape->k;
  const soc_traffic_t *t = &phase->traffic;
  fprintf(file, "| %zu | %zu | %s | %s |", e->shape->n, e->shape->k, mode, phase->name);
  if (phase->cycles == 0) {
    fprintf(file, " with next |");
  } else {
    fprintf(file, " %.1f |", (double)phase->cycles / mhz);
  }
  fprintf(file, " %.1f | %.1f | %.1f | %.1f | %.2f |\n", mb(t->hbm_read), mb(t->hbm_write),
          mb(t->l2_read), mb(t->l2_write), (double)(t->l2_read + t->l2_write) / weights);
}

static void markdown_bounds(const table_t *table, FILE *file) {
  const config_t *config = &table->half.machine.soc.config;
  fprintf(file,
          "\n## What the rates allow\n\nThe slowest resource of each phase, no launch, no latency, "
          "no activations; B stays in L2. us, and times FP16.\n\n"
          "| N | K | FP16 | dequantise | multiply | W4A16 over FP16 at most | overlapped | at most | "
          "measured, with launch | overlapped |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const entry_t *e = &table->list[i];
    const bound_t b = bound_of(config, e->shape);
    fprintf(file, "| %zu | %zu | %.1f | %.1f | %.1f | %.2f | %.1f | %.2f | %.2f | %.2f |\n",
            e->shape->n, e->shape->k, b.fp16, b.dequantise, b.multiply,
            b.fp16 / (b.dequantise + b.multiply), b.overlapped, b.fp16 / b.overlapped,
            report_over(e->of[FP16], e->of[SEQUENTIAL]),
            report_over(e->of[FP16], e->of[OVERLAPPED]));
  }
}

static void write_markdown(const void *data, FILE *file) {
  const table_t *table = data;
  const double mhz = table->half.machine.soc.config.soc.clock_mhz;
  fprintf(file,
          "# W4A16: bytes by level and phase\n\n"
          "M = %zu, groups of 128, zero points, weights in HBM, %u AI cores (`amalgam report "
          "w4a16_traffic`). MB between\nHBM and L2, and between L2 and the cores; the last column "
          "is bytes through L2 for each weight.\n\n"
          "FP16 reads 2 bytes a weight from HBM. W4A16 reads 0.53, but then writes 2 and reads 2 "
          "through L2: the round trip.\nWhere B and the nibbles do not fit into L2 (%u MiB a die), "
          "part of B goes on to HBM and comes back, and the gain is gone.\n\n"
          "| N | K | mode | phase | us | HBM read | HBM write | L2 read | L2 write | B a weight |\n"
          "|---|---|---|---|---|---|---|---|---|---|\n",
          table->half.m[0], (unsigned)table->half.machine.soc.config.soc.ai_cores,
          (unsigned)table->half.machine.soc.config.gm.l2_mb);
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const entry_t *e = &table->list[i];
    for (size_t kind = 0; kind < KINDS; ++kind) {
      const report_gemm_outcome_t *h = &e->of[kind]->half;
      for (size_t p = 0; p < h->phases; ++p) {
        markdown_phase(e, kinds[kind].mode, &h->phase[p], mhz, file);
      }
    }
  }
  markdown_bounds(table, file);
  fprintf(file, "\n![plot](w4a16_traffic.svg)\n");
}

static uint64_t through_l2(const report_gemm_outcome_t *h) {
  uint64_t bytes = 0;
  for (size_t p = 0; p < h->phases; ++p) {
    bytes += h->phase[p].traffic.l2_read + h->phase[p].traffic.l2_write;
  }
  return bytes;
}

static uint64_t through_hbm(const report_gemm_outcome_t *h) {
  uint64_t bytes = 0;
  for (size_t p = 0; p < h->phases; ++p) {
    bytes += h->phase[p].traffic.hbm_read + h->phase[p].traffic.hbm_write;
  }
  return bytes;
}

static void write_plot(const void *data, FILE *gnuplot) {
  const table_t *table = data;
  fprintf(gnuplot, "$data << EOD\n");
  for (size_t i = 0; i < table->half.shapes; ++i) {
    const entry_t *e = &table->list[i];
    const double weights = (double)e->shape->n * (double)e->shape->k;
    fprintf(gnuplot, "\"%zux%zu\" %g %g %g %g\n", e->shape->n, e->shape->k,
            (double)through_hbm(&e->of[FP16]->half) / weights,
            (double)through_l2(&e->of[FP16]->half) / weights,
            (double)through_hbm(&e->of[SEQUENTIAL]->half) / weights,
            (double)through_l2(&e->of[SEQUENTIAL]->half) / weights);
  }
  report_bars(gnuplot);
  fprintf(gnuplot,
          "set yrange [0:*]\nset ylabel 'bytes a weight'\nset xtics rotate by -60\n"
          "set key outside top center horizontal\n"
          "plot $data using 2:xtic(1) title 'FP16, HBM' lc rgb '#bbbbbb', "
          "'' using 3 title 'L2' lc rgb '#777777', "
          "'' using 4 title 'W4A16, HBM' lc rgb '#f2c9b0', '' using 5 title 'L2' lc rgb "
          "'#cc6633'\n");
}

// --- the simulations --------------------------------------------------------------------------

static void add_jobs(table_t *table, report_jobs_t *jobs) {
  for (size_t i = 0; i < table->half.shapes; ++i) {
    entry_t *e = &table->list[i];
    e->shape = &table->half.shape[i];
    for (size_t kind = 0; kind < KINDS; ++kind) {
      report_job_t *job = report_gemm_add(&table->half, jobs, kinds[kind].kernel, kinds[kind].mode,
                                          e->shape, table->half.m[0]);
      job->gemm.settings.phases = kinds[kind].phases;
      e->of[kind] = &job->outcome;
    }
  }
}

bool report_w4a16_traffic(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static const size_t usual[] = {16};
  static table_t table;
  report_jobs_t jobs;
  const report_files_t files = {.name = "w4a16_traffic", .data = &table, .json = write_json,
                                .markdown = write_markdown, .plot = write_plot};
  memset(&table, 0, sizeof table);
  if (!report_gemm_read(context, usual, 1, &table.half, error) ||
      !report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  add_jobs(&table, &jobs);
  const bool good = report_run_and_write(&jobs, false, &files, context->settings->out, code,
                                         error);
  report_jobs_close(&jobs);
  return good;
}
