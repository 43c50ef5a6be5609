// The gemm kernel on a machine that steps in random order: for shapes at the edges of the tiling
// and queues of any length, every order gives the contract's bits, ends, leaves no flag up and has
// no race.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "hal/registers.h"
#include "kernels/gemm/gemm_args.h"
#include "firmware/schedule.h"
#include "num/num_format.h"
#include "num/num_rng.h"

enum { ARGS, A, B, C, ARRAYS };
static const char *const names[ARRAYS] = {"args", "a", "b", "c"};
enum { SEEDS = 4 };

typedef struct shape {
  uint32_t m, n, k;
  unsigned ai_cores;
  unsigned depth;  // of queues
  bool f16;
  uint32_t tile_cols;  // 0: gemm; else gemm_fp16 with tiles of that width and c in FP16
} shape_t;

static const shape_t shapes[] = {
    {1, 1, 1, 1, 32, false, 0},        {17, 33, 5, 1, 1, true, 0},       {300, 600, 120, 1, 32, false, 0},
    {300, 513, 250, 2, 3, false, 0},   {300, 520, 400, 1, 1, false, 0},  {390, 260, 512, 1, 32, true, 0},
    {260, 300, 640, 1, 2, false, 0},   {270, 520, 900, 1, 32, false, 0}, {16, 600, 700, 1, 5, false, 0},
    {140, 300, 1000, 3, 32, false, 0}, {30, 70, 300, 4, 1, false, 0},    {16, 600, 3000, 1, 32, true, 64},
    {5, 500, 1500, 2, 3, true, 192},   {100, 300, 700, 1, 1, true, 128},
};

typedef struct problem {
  shape_t shape;
  schedule_t schedule;
  uint64_t address[ARRAYS];
  uint32_t *expected;  // bits of c, FP32 or FP16
} problem_t;

static void *host(const problem_t *problem, size_t array) {
  return schedule_host(&problem->schedule, problem->address[array]);
}

static void draw(const problem_t *problem, size_t array, size_t count, num_rng_t *rng) {
  uint16_t *values = host(problem, array);
  for (size_t i = 0; i < count; ++i) {
    const float value = (float)num_rng_normal(rng);
    values[i] = problem->shape.f16 ? num_fp16_from_f32(value) : num_bf16_from_f32(value);
  }
}

static float widen(const problem_t *problem, uint16_t value) {
  return problem->shape.f16 ? num_fp16_to_f32(value) : num_bf16_to_f32(value);
}

static void fill_expected(problem_t *problem) {
  const shape_t *s = &problem->shape;
  const uint16_t *a = host(problem, A);
  const uint16_t *b = host(problem, B);
  for (size_t i = 0; i < s->m; ++i) {
    for (size_t j = 0; j < s->n; ++j) {
      float sum = 0;
      for (size_t p = 0; p < s->k; ++p) {
        sum = fmaf(widen(problem, a[i * s->k + p]), widen(problem, b[p * s->n + j]), sum);
      }
      if (s->tile_cols == 0) {
        problem->expected[i * s->n + j] = num_f32_bits(sum);
      } else {
        ((uint16_t *)problem->expected)[i * s->n + j] = num_fp16_from_f32(sum);
      }
    }
  }
}

static size_t wrong_values(const void *of) {
  const problem_t *problem = of;
  const shape_t *s = &problem->shape;
  const size_t bytes = (size_t)(s->tile_cols == 0 ? 4 : 2) * s->m * s->n;
  return memcmp(host(problem, C), problem->expected, bytes) != 0;
}

static void check(size_t number) {
  const shape_t shape = shapes[number];
  problem_t problem = {.shape = shape};
  const uint32_t c_bytes = shape.tile_cols == 0 ? 4 : 2;
  const uint64_t bytes[ARRAYS] = {sizeof(gemm_fp16_args_t), 2ull * shape.m * shape.k, 2ull * shape.k * shape.n,
                                  (uint64_t)c_bytes * shape.m * shape.n};
  for (size_t i = 0; i < ARRAYS; ++i) {
    problem.address[i] = schedule_place(&problem.schedule, names[i], bytes[i], i != C);
  }
  schedule_allocate(&problem.schedule);
  gemm_fp16_args_t *args = host(&problem, ARGS);
  args->c_type = TYPE_F16;
  args->tile_cols = shape.tile_cols;
  args->product = (gemm_args_t){
      .a = problem.address[A],
      .b = problem.address[B],
      .c = problem.address[C],
      .a_pitch = 2 * shape.k,
      .b_pitch = 2 * shape.n,
      .c_pitch = c_bytes * shape.n,
      .m = shape.m,
      .n = shape.n,
      .k = shape.k,
      .type = shape.f16 ? TYPE_F16 : TYPE_BF16,
  };
  num_rng_t rng;
  num_rng_seed(&rng, shape.m * 1009ull + shape.k);
  draw(&problem, A, (size_t)shape.m * shape.k, &rng);
  draw(&problem, B, (size_t)shape.k * shape.n, &rng);
  problem.expected = malloc((size_t)shape.m * shape.n * sizeof *problem.expected);
  assert_non_null(problem.expected);
  fill_expected(&problem);
  machine_options_t *machine = &problem.schedule.machine;
  machine->firmware = shape.tile_cols == 0 ? FIRMWARE_DIR "/gemm.so" : FIRMWARE_DIR "/gemm_fp16.so";
  machine->ai_cores = shape.ai_cores;
  machine->queue_depth = shape.depth;
  schedule_every_order(&problem.schedule, SEEDS, number, wrong_values, &problem);
  free(problem.schedule.gm);
  free(problem.expected);
}

TEST(every_order) {
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    check(i);
  }
}
