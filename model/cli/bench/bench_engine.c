// An attention engine as Verilated RTL, with and without waveforms, as RTL in Icarus and as a C model:
// simulated cycles per second of the host, opening and building aside.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE  // asprintf
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cli/bench/bench_section.h"
#include "engine/engine.h"
#include "host/files.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "host/parallel.h"
#include "num/num_rng.h"

enum { D_MAX = 64, KEYS_MAX = 1024, QUERIES_MAX = 256 };

// --size full and quick.
static const struct { size_t d, blocks, keys; } shapes[] = {{D_MAX, 4, KEYS_MAX}, {16, 2, 32}};

typedef struct inputs {
  num_bf16_t q[QUERIES_MAX * D_MAX], k[KEYS_MAX * D_MAX], v[KEYS_MAX * D_MAX];
  num_bf16_t out[QUERIES_MAX * D_MAX];
} inputs_t;

static engine_t *open_rtl(const engine_shape_t *shape, const engine_waves_t *waves, base_error_t *error) {
  return engine_open_rtl(shape, waves, (engine_progress_t){0}, error);
}

static engine_t *open_icarus(const engine_shape_t *shape, const engine_waves_t *waves, base_error_t *error) {
  (void)waves;
  return engine_open_icarus(shape, error);
}

static engine_t *open_c_1(const engine_shape_t *shape, const engine_waves_t *waves, base_error_t *error) {
  (void)waves;
  return engine_open_c(shape, 1, error);
}

static engine_t *open_c(const engine_shape_t *shape, const engine_waves_t *waves, base_error_t *error) {
  (void)waves;
  return engine_open_c(shape, parallel_host_threads(), error);
}

// The first is what the others are compared with.
static const struct {
  const char *title, *name;
  engine_t *(*open)(const engine_shape_t *shape, const engine_waves_t *waves, base_error_t *error);
  size_t queries, keys;  // at most
  bool waves;
} ways[] = {
    {"Verilated RTL", "rtl", open_rtl, QUERIES_MAX, KEYS_MAX, false},
    {"RTL with waveforms", "rtl_waveforms", open_rtl, QUERIES_MAX, KEYS_MAX, true},
    {"RTL in Icarus", "icarus", open_icarus, 2, 64, false},
    {"C model, 1 thread", "c_1_thread", open_c_1, QUERIES_MAX, KEYS_MAX, false},
    {"C model, all threads", "c", open_c, QUERIES_MAX, KEYS_MAX, false},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const struct {
  const char *name;
  num_design_t design;
} designs[] = {{"hfa", NUM_DESIGN_HFA}, {"fa2", NUM_DESIGN_FA2}, {"expmul", NUM_DESIGN_EXPMUL}};

// Cycles per second of one run, with its waveforms written; 0, and why in error, if it failed.
static double speed(engine_t *engine, waves_t *waves, const engine_job_t *job, base_error_t *error) {
  engine_cycles_t cycles;
  const double start = host_seconds();
  if (!engine_attention(engine, job, &cycles, error)) {
    return 0;
  }
  if (waves != NULL && !waves_end(waves, false)) {
    base_fail(error, "trace: cannot write: %s", strerror(errno));
    return 0;
  }
  return (double)(cycles.load + cycles.total) / (host_seconds() - start);
}

static bool measure(const bench_t *bench, num_design_t design, size_t way, const char *trace, inputs_t *in,
                    double *result, base_error_t *error) {
  base_error_t reason;
  const engine_shape_t shape = {.num = {.design = design,
                                        .d = shapes[bench->quick].d,
                                        .blocks = shapes[bench->quick].blocks,
                                        .rows = shapes[bench->quick].keys},
                                .queries = 1};
  const engine_job_t job = {.sq = bench->quick ? 2 : ways[way].queries,
                            .s = smaller(ways[way].keys, shape.num.rows),
                            .q = in->q,
                            .k = in->k,
                            .v = in->v,
                            .out = in->out};
  waves_t *waves = ways[way].waves ? waves_new(&(waves_options_t){.path = trace, .unit = "1ns", .per_cycle = 2}) : NULL;
  if (ways[way].waves && waves == NULL) {
    return base_fail(error, "out of memory");
  }
  const engine_waves_t outline = {.waves = waves, .to = UINT64_MAX};
  engine_t *engine = ways[way].open(&shape, waves == NULL ? NULL : &outline, &reason);
  *result = engine == NULL ? 0 : speed(engine, waves, &job, &reason);
  engine_close(engine);
  waves_delete(waves);
  return *result > 0 || base_fail(error, "bench: %s: %s", ways[way].title, reason.text);
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

static bool run_designs(const bench_t *bench, const char *trace, inputs_t *in, base_error_t *error) {
  for (size_t i = 0; i < sizeof designs / sizeof *designs; ++i) {
    double speeds[WAYS];
    for (size_t way = 0; way < WAYS; ++way) {
      if (!measure(bench, designs[i].design, way, trace, in, &speeds[way], error)) {
        return false;
      }
    }
    show(bench, designs[i].name, speeds);
  }
  return true;
}

// The waveforms are in a folder of their own, for as long as the bench takes.
static bool run_with_traces(const bench_t *bench, inputs_t *in, base_error_t *error) {
  char *folder = host_new_folder(), *trace = NULL;
  const bool good = (folder != NULL && asprintf(&trace, "%s/waves.fst", folder) >= 0)
                        ? run_designs(bench, trace, in, error)
                        : base_fail(error, "bench: no folder for waveforms");
  if (folder != NULL) {
    host_remove_folder(folder);
  }
  free(trace);
  free(folder);
  return good;
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
  bench_print(bench, "\nattention engines, d %zu, %zu blocks\n  %-27s%14s%15s\n", shapes[bench->quick].d,
              shapes[bench->quick].blocks, "", "cycles/s", "x Verilated");
  host_hold_interrupts();
  const bool good = run_with_traces(bench, in, error);
  host_release_interrupts();
  free(in);
  return good;
}
