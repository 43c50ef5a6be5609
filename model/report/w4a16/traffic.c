// Traffic of W4A16: by phase, between cores and L2 and between L2 and HBM, beside FP16.  The
// dequantised weights go through memory once out and once in, eight times what their 4-bit form
// takes; that is what caps the gain.
// SPDX-License-Identifier: Apache-2.0
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/report_write.h"
#include "report/w4a16/shapes.h"

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
  report_gemm_t gemm;
  entry_t list[REPORT_SHAPES_MAX];
} table_t;

// --- what the machine's rates allow -----------------------------------------------------------

// Microseconds of the slowest resource, for a kernel of ideal phases: bytes or cycles of each
// weight over all cores.
typedef struct bound {
  double fp16, dequantise, multiply;  // phases one after the other
  double overlapped;                  // both at once, which share L2
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
  const double hbm = c->gm.hbm_gbps * c->gm.hbm_efficiency * c->soc.dies * 1e3;  // bytes/us
  const double l2 = c->gm.l2_gbps * c->soc.dies * 1e3;
  const double cubes = c->soc.ai_cores;
  const double vectors = cubes * c->soc.vector_cores;
  const double packed = 0.5 + 2 * 2.0 / 128;  // nibbles, and scales and zeros of groups of 128
  const double lanes = 0.5 * c->vector.repeat_bytes;
  const double v = (c->vector.cast_int4_cycles + 2 * c->vector.alu_cycles) / lanes / (vectors * c->soc.clock_mhz);
  const double read = 2 / (cubes * c->cube.load_gbps * 1e3);
  const double fp16[] = {2 / hbm, 2 / l2, read};
  const double dequantise[] = {packed / hbm, (packed + 2) / l2, packed / (vectors * c->vector.load_gbps * 1e3), v,
                               2 / (vectors * c->vector.store_gbps * 1e3)};
  const double multiply[] = {2 / l2, read};
  const double overlapped[] = {packed / hbm, (packed + 4) / l2, v, read};
  return (bound_t){.fp16 = weights * largest(fp16, 3),
                   .dequantise = weights * largest(dequantise, 5),
                   .multiply = weights * largest(multiply, 2),
                   .overlapped = weights * largest(overlapped, 4)};
}

// --- files ------------------------------------------------------------------------------------

static void put_phase(const entry_t *e, size_t m, size_t kind, const gemm_phase_t *phase, double mhz, cJSON *list) {
  const soc_traffic_t *t = &phase->traffic;
  const double weights = (double)e->shape->n * (double)e->shape->k;
  const double us = (double)phase->cycles / mhz;
  cJSON *row =
      report_row(list, NUMBER("m", m), NUMBER("n", e->shape->n), NUMBER("k", e->shape->k),
                 TEXT("mode", kinds[kind].mode), NUMBER("split_k", e->of[kind]->gemm.splits),
                 TEXT("phase", phase->name), NUMBER("time_us", us), NUMBER("hbm_read", t->hbm_read),
                 NUMBER("hbm_write", t->hbm_write), NUMBER("l2_read", t->l2_read), NUMBER("l2_write", t->l2_write),
                 NOTHING("paper"), NUMBER(".a_weight", (double)(t->l2_read + t->l2_write) / weights));
  if (phase->cycles == 0) {
    report_put(row, TEXT(".us", "with next"));
  } else {
    report_put_text(row, ".us", "%.1f", us);
  }
}

// Bytes of all phases for each weight.
static double through(const entry_t *e, size_t kind, bool hbm) {
  const report_gemm_outcome_t *h = &e->of[kind]->gemm;
  uint64_t bytes = 0;
  for (size_t p = 0; p < h->phases; ++p) {
    const soc_traffic_t *t = &h->phase[p].traffic;
    bytes += hbm ? t->hbm_read + t->hbm_write : t->l2_read + t->l2_write;
  }
  return (double)bytes / ((double)e->shape->n * (double)e->shape->k);
}

static void put_bounds(const config_t *config, const entry_t *e, cJSON *list) {
  const bound_t b = bound_of(config, e->shape);
  report_row(list, NUMBER("n", e->shape->n), NUMBER("k", e->shape->k), NUMBER("fp16_us", b.fp16),
             NUMBER("dequantise_us", b.dequantise), NUMBER("multiply_us", b.multiply),
             NUMBER("overlapped_us", b.overlapped), NUMBER(".most", b.fp16 / (b.dequantise + b.multiply)),
             NUMBER(".most_overlapped", b.fp16 / b.overlapped),
             NUMBER(".measured", report_over(e->of[FP16], e->of[SEQUENTIAL])),
             NUMBER(".measured_overlapped", report_over(e->of[FP16], e->of[OVERLAPPED])),
             NUMBER(".fp16_hbm", through(e, FP16, true)), NUMBER(".fp16_l2", through(e, FP16, false)),
             NUMBER(".hbm", through(e, SEQUENTIAL, true)), NUMBER(".l2", through(e, SEQUENTIAL, false)));
}

static void fill(const void *data, cJSON *root) {
  const table_t *table = data;
  const config_t *config = &table->gemm.machine.soc.config;
  report_put(root, NUMBER(".m", table->gemm.m[0]), NUMBER(".cores", config->soc.ai_cores),
             NUMBER(".l2_mb", config->gm.l2_mb));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  cJSON *bounds = cJSON_AddArrayToObject(root, "bounds");
  for (size_t i = 0; i < table->gemm.shapes; ++i) {
    const entry_t *e = &table->list[i];
    for (size_t kind = 0; kind < KINDS; ++kind) {
      const report_gemm_outcome_t *h = &e->of[kind]->gemm;
      for (size_t p = 0; p < h->phases; ++p) {
        put_phase(e, table->gemm.m[0], kind, &h->phase[p], config->soc.clock_mhz, list);
      }
    }
    put_bounds(config, e, bounds);
  }
}

// --- the simulations --------------------------------------------------------------------------

static void add_jobs(report_jobs_t *jobs, void *data) {
  table_t *table = data;
  for (size_t i = 0; i < table->gemm.shapes; ++i) {
    entry_t *e = &table->list[i];
    e->shape = &table->gemm.shape[i];
    for (size_t kind = 0; kind < KINDS; ++kind) {
      report_job_t *job =
          report_gemm_add(&table->gemm, jobs, kinds[kind].kernel, kinds[kind].mode, e->shape, table->gemm.m[0]);
      job->gemm.settings.phases = kinds[kind].phases;
      e->of[kind] = &job->outcome;
    }
  }
}

REPORT_TEMPLATE(traffic_text, "w4a16/traffic.md");
static const report_t traffic = {fill, traffic_text, add_jobs, NULL};

bool report_w4a16_traffic(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  static const size_t usual[] = {16};
  static table_t table;
  memset(&table, 0, sizeof table);
  return report_gemm_read(context, usual, 1, &table.gemm, error) &&
         report_simulate(context, &traffic, false, &table, code, error);
}
