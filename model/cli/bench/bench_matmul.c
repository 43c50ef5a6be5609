// Matrix products: ours of each instruction set, against OpenBLAS with kernels for the same one.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/bench/bench_blas.h"
#include "cli/bench/bench_section.h"
#include "num/num_isa.h"
#include "num/product/num_matmul.h"

typedef struct shape {
  size_t m, n, k;
} shape_t;

// Two that the cube's commands have, and a large one.
static const shape_t shapes[] = {{128, 128, 96}, {128, 128, 128}, {512, 512, 512}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// The runners of a race, by their names in the JSON.
enum { AVX512, AVX2, PORTABLE, BLAS_AVX512, BLAS_AVX2, BLAS_OWN, RUNNERS };
static const char *const names[RUNNERS] = {"avx512",          "avx2",          "portable",
                                           "openblas_avx512", "openblas_avx2", "openblas"};

typedef struct contest {
  const float *a, *b;  // [BLAS_MAX, BLAS_MAX]
  float *c;
  blas_t blas[RUNNERS];
} contest_t;

typedef struct entry {
  const contest_t *contest;
  shape_t shape;
  num_matmul_fn *matmul;  // ours, or
  const blas_t *blas;
} entry_t;

static double run_ours(void *context, size_t rounds) {
  const entry_t *e = context;
  const shape_t s = e->shape;
  const double start = race_clock();
  for (size_t i = 0; i < rounds; ++i) {
    e->matmul(s.m, s.n, s.k, e->contest->a, s.k, e->contest->b, s.n, e->contest->c, s.n, false);
  }
  return race_clock() - start;
}

static double run_blas(void *context, size_t rounds) {
  const entry_t *e = context;
  return blas_seconds(e->blas, e->shape.m, e->shape.n, e->shape.k, rounds);
}

static void race_shape(const contest_t *contest, shape_t shape, double budget, runner_t runners[RUNNERS]) {
  static const num_isa_t isas[] = {NUM_ISA_AVX512, NUM_ISA_AVX2, NUM_ISA_PORTABLE};
  entry_t entries[RUNNERS];
  for (size_t i = 0; i < RUNNERS; ++i) {
    const bool ours = i <= PORTABLE;
    entries[i] = (entry_t){.contest = contest,
                           .shape = shape,
                           .matmul = ours ? num_matmul_select(isas[i]) : NULL,
                           .blas = &contest->blas[i]};
    runners[i] = (runner_t){.context = &entries[i], .work = 2e-9 * (double)(shape.m * shape.n * shape.k)};
    if (entries[i].matmul != NULL) {
      runners[i].run = run_ours;
    } else if (contest->blas[i].worker.process != 0) {
      runners[i].run = run_blas;
    }
  }
  race(runners, RUNNERS, budget);
}

static void print_shape(const bench_t *bench, shape_t shape, const runner_t *r) {
  static const int columns[][2] = {{AVX512, BLAS_AVX512}, {AVX2, BLAS_AVX2}};
  bench_print(bench, "  %4zu x %3zu x %3zu  ", shape.m, shape.n, shape.k);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; ++i) {
    const double ours = r[columns[i][0]].speed;
    const double theirs = r[columns[i][1]].speed;
    const double ratio = bench_ratio(ours, theirs);
    bench_print_number(bench, 8, ours);
    bench_print_number(bench, 10, theirs);
    bench_print(bench, ratio > 0 ? "  %5.2f " : "      - ", ratio);
  }
  bench_print_number(bench, 9, r[PORTABLE].speed);
  bench_print_number(bench, 10, r[BLAS_OWN].speed);
  bench_print(bench, "\n");
}

static void put_shape(cJSON *list, shape_t shape, const runner_t *r) {
  cJSON *entry = json_add_row(list);
  cJSON_AddNumberToObject(entry, "m", (double)shape.m);
  cJSON_AddNumberToObject(entry, "n", (double)shape.n);
  cJSON_AddNumberToObject(entry, "k", (double)shape.k);
  cJSON *gflops = cJSON_AddObjectToObject(entry, "gflops");
  for (size_t i = 0; i < RUNNERS; ++i) {
    bench_put(gflops, names[i], r[i].speed);
  }
  cJSON *ratio = cJSON_AddObjectToObject(entry, "ratio_to_openblas");
  bench_put(ratio, names[AVX512], bench_ratio(r[AVX512].speed, r[BLAS_AVX512].speed));
  bench_put(ratio, names[AVX2], bench_ratio(r[AVX2].speed, r[BLAS_AVX2].speed));
}

static void race_all(const bench_t *bench, const contest_t *contest) {
  const char *core = contest->blas[BLAS_OWN].core;
  cJSON *matmul = cJSON_AddObjectToObject(bench->root, "matmul");
  cJSON_AddItemToObject(matmul, "openblas_core", core[0] == '\0' ? cJSON_CreateNull() : cJSON_CreateString(core));
  cJSON *list = cJSON_AddArrayToObject(matmul, "shapes");
  bench_print(bench,
              "matrix products, GFLOPS of one thread\n"
              "  m x n x k          AVX-512  OpenBLAS  ratio     AVX2  OpenBLAS  ratio  portable  "
              "OpenBLAS\n"
              "                              SkylakeX                    Haswell                  "
              "%8.10s\n",
              core);
  for (size_t i = 0; i < SHAPES; ++i) {
    runner_t runners[RUNNERS];
    race_shape(contest, shapes[i], bench->budget, runners);
    print_shape(bench, shapes[i], runners);
    put_shape(list, shapes[i], runners);
  }
  if (core[0] == '\0') {
    bench_print(bench, "  no OpenBLAS to compare with: libopenblas.so.0 is not installed\n");
  }
}

bool bench_matmul(const bench_t *bench, base_error_t *error) {
  const size_t count = (size_t)BLAS_MAX * BLAS_MAX;
  contest_t contest = {.a = NULL};
  float *memory = aligned_alloc(BLAS_ALIGN, 3 * count * sizeof *memory);
  if (memory == NULL) {
    return base_fail(error, "out of memory");
  }
  for (size_t i = 0; i < 3 * count; ++i) {
    memory[i] = (float)(i % 17);
  }
  contest.a = memory;
  contest.b = memory + count;
  contest.c = memory + 2 * count;
  if (blas_open(&contest.blas[BLAS_OWN], NULL)) {
    if (num_host_has_avx512()) {
      blas_open(&contest.blas[BLAS_AVX512], "SkylakeX");
    }
    if (num_host_has_avx2()) {
      blas_open(&contest.blas[BLAS_AVX2], "Haswell");
    }
  }
  race_all(bench, &contest);
  for (size_t i = 0; i < RUNNERS; ++i) {
    blas_close(&contest.blas[i]);
  }
  free(memory);
  return true;
}
