// Exponentials and random numbers, against the plain loops over libm that they replace.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "cli/bench/bench_section.h"
#include "num/num_exp.h"
#include "num/num_rng.h"

enum { COUNT = 1 << 14 };  // elements, in L2 with their results

typedef struct arrays {
  float x[COUNT], y[COUNT];
  num_bf16_t bits[COUNT];
} arrays_t;

static double exp_vector(void *context, size_t rounds) {
  arrays_t *arrays = context;
  const double start = race_clock();
  for (size_t i = 0; i < rounds; ++i) {
    num_exp32_n(arrays->x, arrays->y, COUNT);
  }
  return race_clock() - start;
}

static double exp_scalar(void *context, size_t rounds) {
  arrays_t *arrays = context;
  const double start = race_clock();
  for (size_t i = 0; i < rounds; ++i) {
    for (size_t j = 0; j < COUNT; ++j) {
      arrays->y[j] = (float)exp((double)arrays->x[j]);
    }
  }
  return race_clock() - start;
}

static double expf_scalar(void *context, size_t rounds) {
  arrays_t *arrays = context;
  const double start = race_clock();
  for (size_t i = 0; i < rounds; ++i) {
    for (size_t j = 0; j < COUNT; ++j) {
      arrays->y[j] = expf(arrays->x[j]);
    }
  }
  return race_clock() - start;
}

static double normal_vector(void *context, size_t rounds) {
  arrays_t *arrays = context;
  const double start = race_clock();
  for (size_t i = 0; i < rounds; ++i) {
    num_rng_normal_bf16(0, 0, i * COUNT, COUNT, 1.0, arrays->bits);
  }
  return race_clock() - start;
}

static double normal_scalar(void *context, size_t rounds) {
  arrays_t *arrays = context;
  num_rng_t rng;
  num_rng_seed(&rng, 0);
  const double start = race_clock();
  for (size_t i = 0; i < rounds; ++i) {
    for (size_t j = 0; j < COUNT; ++j) {
      arrays->bits[j] = num_bf16_from_f32((float)num_rng_normal(&rng));
    }
  }
  return race_clock() - start;
}

// Ours first, then what it is compared with.
typedef struct contest {
  const char *title, *name;
  size_t count;
  struct {
    const char *title, *name;
    runner_fn *run;
  } runner[3];
} contest_t;

static const contest_t contests[] = {
    {"exponentials, million/s of one thread",
     "exp",
     3,
     {{"vector", "vector", exp_vector}, {"libm expf", "libm_expf", expf_scalar}, {"libm exp", "libm_exp", exp_scalar}}},
    {"normal random numbers in BF16, million/s of one thread",
     "normals",
     2,
     {{"vector", "vector", normal_vector}, {"libm Box-Muller", "libm", normal_scalar}}},
};

static void run_contest(const bench_t *bench, const contest_t *contest, arrays_t *arrays) {
  runner_t runners[3];
  for (size_t i = 0; i < contest->count; ++i) {
    runners[i] = (runner_t){contest->runner[i].run, arrays, 1e-6 * COUNT, 0};
  }
  race(runners, contest->count, bench->budget);
  cJSON *object = cJSON_AddObjectToObject(bench->root, contest->name);
  cJSON *speeds = cJSON_AddObjectToObject(object, "million_per_second");
  cJSON *ratios = cJSON_AddObjectToObject(object, "ratio");
  bench_print(bench, "%s\n ", contest->title);
  for (size_t i = 0; i < contest->count; ++i) {
    const char *comma = i == 0 ? "" : ",";
    bench_print(bench, "%s %s %.0f", comma, contest->runner[i].title, runners[i].speed);
    bench_put(speeds, contest->runner[i].name, runners[i].speed);
    if (i > 0) {
      const double ratio = bench_ratio(runners[0].speed, runners[i].speed);
      bench_print(bench, " (ratio %.1f)", ratio);
      bench_put(ratios, contest->runner[i].name, ratio);
    }
  }
  bench_print(bench, "\n");
}

bool bench_functions(const bench_t *bench, base_error_t *error) {
  arrays_t *arrays = malloc(sizeof *arrays);
  if (arrays == NULL) {
    return base_fail(error, "out of memory");
  }
  for (size_t i = 0; i < COUNT; ++i) {
    arrays->x[i] = -30.0f * (float)((i * 7919) % COUNT) / COUNT;  // where softmax has its scores
  }
  for (size_t i = 0; i < sizeof contests / sizeof *contests; ++i) {
    run_contest(bench, &contests[i], arrays);
  }
  free(arrays);
  return true;
}
