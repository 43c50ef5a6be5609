// An attention engine as Verilated RTL, as RTL in Icarus and as a C model: simulated cycles per
// second of the host, opening and building aside.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "cli/bench/bench_section.h"
#include "engine/engine.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "host/parallel.h"
#include "num/num_rng.h"

enum { D_MAX = 64, KEYS_MAX = 1024, QUERIES_MAX = 256, MESSAGE_BYTES = 1024 };

// --size full and quick.
static const struct {
  size_t d, blocks, keys;
} shapes[] = {{D_MAX, 4, KEYS_MAX}, {16, 2, 32}};

typedef struct inputs {
  num_bf16_t q[QUERIES_MAX * D_MAX], k[KEYS_MAX * D_MAX], v[KEYS_MAX * D_MAX];
  num_bf16_t out[QUERIES_MAX * D_MAX];
} inputs_t;

static engine_t *open_rtl(const engine_shape_t *shape, char *message, size_t size) {
  return engine_open_rtl(shape, NULL, NULL, message, size);
}

static engine_t *open_c_1(const engine_shape_t *shape, char *message, size_t size) {
  return engine_open_c(shape, 1, message, size);
}

static engine_t *open_c(const engine_shape_t *shape, char *message, size_t size) {
  return engine_open_c(shape, parallel_host_threads(), message, size);
}

// The first is what the others are compared with.
static const struct {
  const char *title, *name;
  engine_t *(*open)(const engine_shape_t *shape, char *message, size_t size);
  size_t queries, keys;    // at most
} ways[] = {
    {"Verilated RTL", "rtl", open_rtl, QUERIES_MAX, KEYS_MAX},
    {"RTL in Icarus", "icarus", engine_open_icarus, 2, 64},
    {"C model, 1 thread", "c_1_thread", open_c_1, QUERIES_MAX, KEYS_MAX},
    {"C model, all threads", "c", open_c, QUERIES_MAX, KEYS_MAX},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const struct {
  const char *name;
  num_design_t design;
} designs[] = {{"hfa", NUM_DESIGN_HFA}, {"fa2", NUM_DESIGN_FA2}, {"expmul", NUM_DESIGN_EXPMUL}};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

// Cycles per second of one run; 0, and why in message, if it failed.
static double speed(engine_t *engine, inputs_t *in, size_t queries, size_t keys, char *message) {
  engine_cycles_t cycles;
  const engine_job_t job = {.sq = queries, .s = keys, .q = in->q, .k = in->k, .v = in->v,
                            .out = in->out};
  const double start = host_seconds();
  if (!engine_attention(engine, &job, &cycles, message, MESSAGE_BYTES)) {
    return 0;
  }
  return (double)(cycles.load + cycles.total) / (host_seconds() - start);
}

static bool measure(const bench_t *bench, num_design_t design, size_t way, inputs_t *in,
                    double *result, base_error_t *error) {
  char message[MESSAGE_BYTES] = "";
  const engine_shape_t shape = {.num = {.design = design,
                                        .d = shapes[bench->quick].d,
                                        .blocks = shapes[bench->quick].blocks,
                                        .rows = shapes[bench->quick].keys},
                                .queries = 1};
  const size_t queries = bench->quick ? 2 : ways[way].queries;
  const size_t keys = least(ways[way].keys, shape.num.rows);
  engine_t *engine = ways[way].open(&shape, message, sizeof message);
  *result = engine == NULL ? 0 : speed(engine, in, queries, keys, message);
  engine_close(engine);
  return *result > 0 || base_fail(error, "bench: %s: %s", ways[way].title, message);
}

static void show(const bench_t *bench, const char *design, const double speeds[WAYS]) {
  cJSON *engine = cJSON_GetObjectItem(bench->root, "engine");
  cJSON *object = cJSON_AddObjectToObject(engine, design);
  for (size_t i = 0; i < WAYS; ++i) {
    const double ratio = bench_ratio(speeds[i], speeds[0]);
    bench_print(bench, "  %-4s %-22s%14.0f", design, ways[i].title, speeds[i]);
    bench_print(bench, "%15.3g\n", ratio);
    cJSON *way = cJSON_AddObjectToObject(object, ways[i].name);
    bench_put(way, "cycles_per_second", speeds[i]);
    bench_put(way, "ratio_to_rtl", ratio);
  }
}

static bool run_designs(const bench_t *bench, inputs_t *in, base_error_t *error) {
  for (size_t i = 0; i < sizeof designs / sizeof *designs; ++i) {
    double speeds[WAYS];
    for (size_t way = 0; way < WAYS; ++way) {
      if (!measure(bench, designs[i].design, way, in, &speeds[way], error)) {
        return false;
      }
    }
    show(bench, designs[i].name, speeds);
  }
  return true;
}

bool bench_engine(const bench_t *bench, base_error_t *error) {
  inputs_t *in = malloc(sizeof *in);
  if (in == NULL) {
    return base_fail(error, "out of memory");
  }
  num_rng_normal_bf16(0, 0, 0, QUERIES_MAX * D_MAX, 1 / sqrt(D_MAX), in->q);
  num_rng_normal_bf16(0, 1, 0, KEYS_MAX * D_MAX, 1, in->k);
  num_rng_normal_bf16(0, 2, 0, KEYS_MAX * D_MAX, 1, in->v);
  cJSON_AddObjectToObject(bench->root, "engine");
  bench_print(bench, "\nattention engines, d %zu, %zu blocks\n  %-27s%14s%15s\n",
              shapes[bench->quick].d, shapes[bench->quick].blocks, "", "cycles/s", "x Verilated");
  host_hold_interrupts();
  const bool good = run_designs(bench, in, error);
  host_release_interrupts();
  free(in);
  return good;
}
