// The W4A16 kernel on a machine that steps in random order: whatever the phases, the slices and the
// edges of the tiling, every order gives the contract's bits, ends, leaves no flag up and has no race.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "hal/registers.h"
#include "kernels/w4a16/w4a16_args.h"
#include "firmware/schedule.h"
#include "num/num_format.h"
#include "num/num_rng.h"

enum { ARGS, A, W, SCALE, ZERO, B, PARTIAL, C, ARRAYS };
static const char *const names[ARRAYS] = {"args", "a", "w", "scale", "zero", "b", "partial", "c"};
enum { SEEDS = 16 };

typedef struct shape {
  uint32_t m, n, k, group, splits;
  uint32_t tile_cols, dequant_rows;
  enum w4a16_phases phases;
  enum w4a16_zeros zeros;
  bool is_unsigned, out_f32;
  unsigned ai_cores;
  unsigned depth;  // of queues
} shape_t;

static const shape_t shapes[] = {
    // m, n, k, group, splits, tile, rows
    {1, 8, 1, 1, 1, 128, 16, W4A16_SEQUENTIAL, W4A16_HALF_ZEROS, false, false, 1, 32},
    {5, 264, 300, 50, 3, 256, 64, W4A16_SEQUENTIAL, W4A16_HALF_ZEROS, true, false, 2, 3},
    {16, 400, 640, 128, 2, 128, 40, W4A16_SEQUENTIAL, W4A16_NO_ZEROS, false, true, 1, 1},
    {70, 136, 330, 330, 1, 256, 48, W4A16_SEQUENTIAL, W4A16_ANY_ZEROS, true, false, 3, 32},
    {3, 72, 900, 36, 16, 64, 16, W4A16_SEQUENTIAL, W4A16_ANY_ZEROS, false, false, 4, 5},
    {130, 264, 520, 40, 4, 128, 64, W4A16_SEQUENTIAL, W4A16_HALF_ZEROS, false, false, 2, 32},
    {5, 300 / 4 * 8, 1100, 100, 1, 256, 64, W4A16_OVERLAPPED, W4A16_HALF_ZEROS, false, false, 1, 32},
    {17, 264, 2500, 125, 3, 128, 50, W4A16_OVERLAPPED, W4A16_NO_ZEROS, true, true, 1, 2},
    {66, 520, 700, 35, 2, 256, 24, W4A16_OVERLAPPED, W4A16_ANY_ZEROS, false, false, 2, 32},
    {2, 128, 3300, 660, 1, 64, 128, W4A16_OVERLAPPED, W4A16_HALF_ZEROS, true, false, 1, 1},
    {5, 600, 1100, 100, 1, 256, 64, W4A16_DIRECT, W4A16_HALF_ZEROS, false, false, 1, 32},
    {17, 264, 1501, 79, 4, 128, 50, W4A16_DIRECT, W4A16_NO_ZEROS, true, true, 1, 2},
    {66, 520, 700, 35, 2, 256, 24, W4A16_DIRECT, W4A16_ANY_ZEROS, false, false, 2, 1},
    {1, 72, 257, 257, 2, 256, 128, W4A16_DIRECT, W4A16_HALF_ZEROS, false, false, 4, 32},
};

typedef struct problem {
  shape_t shape;
  schedule_t schedule;
  uint64_t address[ARRAYS];
  void *expected;  // c
} problem_t;

static void *host(const problem_t *problem, size_t array) {
  return schedule_host(&problem->schedule, problem->address[array]);
}

static uint32_t scale_count(const shape_t *s) { return s->k / s->group * s->n; }

static uint64_t workspace(const shape_t *s) {
  return s->phases == W4A16_OVERLAPPED ? (uint64_t)s->ai_cores * W4A16_RING * W4A16_SLOT
                                       : (uint64_t)((s->n + s->tile_cols - 1) / s->tile_cols) * W4A16_TILE_PITCH * s->k;
}

// A zero point's value is whole or, where anything goes, has more bits than FP16 can subtract.
static void draw(const problem_t *problem, num_rng_t *rng) {
  const shape_t *s = &problem->shape;
  uint16_t *a = host(problem, A);
  uint8_t *w = host(problem, W);
  uint16_t *scale = host(problem, SCALE);
  uint16_t *zero = host(problem, ZERO);
  for (size_t i = 0; i < (size_t)s->m * s->k; ++i) {
    a[i] = num_fp16_from_f32((float)num_rng_normal(rng));
  }
  for (size_t i = 0; i < (size_t)s->k * s->n / 2; ++i) {
    w[i] = (uint8_t)num_rng_u64(rng);
  }
  for (size_t i = 0; i < scale_count(s); ++i) {
    const float value = (float)(num_rng_uniform(rng) * 12 - (s->is_unsigned ? 0 : 6));
    scale[i] = num_fp16_from_f32((float)(0.01 + num_rng_uniform(rng)));
    zero[i] = num_fp16_from_f32(s->zeros == W4A16_ANY_ZEROS ? value / 7 : rintf(value));
  }
}

// One weight: the product has at most 39 bits, which FP64 holds; FP16's neighbours of it are
// compared as FP64 numbers.
static float weight(const problem_t *problem, uint32_t p, uint32_t j) {
  const shape_t *s = &problem->shape;
  const uint8_t byte = ((const uint8_t *)host(problem, W))[((size_t)p * s->n + j) / 2];
  int q = byte >> (j % 2 * 4) & 15;
  q -= !s->is_unsigned && q > 7 ? 16 : 0;
  const size_t of = (size_t)(p / s->group) * s->n + j;
  const double scale = (double)num_fp16_to_f32(((const uint16_t *)host(problem, SCALE))[of]);
  const double zero =
      s->zeros == W4A16_NO_ZEROS ? 0 : (double)num_fp16_to_f32(((const uint16_t *)host(problem, ZERO))[of]);
  const double exact = scale * (q - zero);
  const uint16_t near = num_fp16_from_f32((float)exact);
  double best = (double)num_fp16_to_f32(near);
  for (int step = -1; step <= 1; step += 2) {
    const uint16_t other = (uint16_t)(near + step);
    const double value = (double)num_fp16_to_f32(other);
    const double gain = fabs(best - exact) - fabs(value - exact);
    if (near != 0 && (gain > 0 || (gain == 0 && other % 2 == 0))) {
      best = value;
    }
  }
  return (float)best;
}

static void fill_expected(problem_t *problem) {
  const shape_t *s = &problem->shape;
  const uint16_t *a = host(problem, A);
  float *b = malloc((size_t)s->k * s->n * sizeof *b);
  assert_non_null(b);
  for (size_t i = 0; i < (size_t)s->k * s->n; ++i) {
    b[i] = weight(problem, (uint32_t)(i / s->n), (uint32_t)(i % s->n));
  }
  for (size_t i = 0; i < s->m; ++i) {
    for (size_t j = 0; j < s->n; ++j) {
      float c = 0;
      for (uint64_t slice = 0; slice < s->splits; ++slice) {
        float sum = 0;
        for (size_t p = slice * s->k / s->splits; p < (slice + 1) * s->k / s->splits; ++p) {
          sum = fmaf(num_fp16_to_f32(a[i * s->k + p]), b[p * s->n + j], sum);
        }
        c = slice == 0 ? sum : c + sum;
      }
      if (s->out_f32) {
        ((float *)problem->expected)[i * s->n + j] = c;
      } else {
        ((uint16_t *)problem->expected)[i * s->n + j] = num_fp16_from_f32(c);
      }
    }
  }
  free(b);
}

static w4a16_args_t arguments(const problem_t *problem) {
  const shape_t *s = &problem->shape;
  return (w4a16_args_t){
      .a = problem->address[A],
      .w = problem->address[W],
      .scale = problem->address[SCALE],
      .zero = problem->address[ZERO],
      .c = problem->address[C],
      .b = problem->address[B],
      .partial = problem->address[PARTIAL],
      .partial_bytes = 4ull * s->m * s->n,
      .m = s->m,
      .n = s->n,
      .k = s->k,
      .group = s->group,
      .splits = s->splits,
      .reduce = s->splits > 1 ? 1 : 0,
      .tile_cols = s->tile_cols,
      .dequant_rows = s->dequant_rows,
      .phases = s->phases,
      .zeros = s->zeros,
      .nibbles = s->is_unsigned ? TYPE_U4 : TYPE_S4,
      .out_f32 = s->out_f32,
  };
}

static uint64_t c_bytes(const shape_t *s) { return (s->out_f32 ? 4ull : 2ull) * s->m * s->n; }

static size_t wrong_values(const void *of) {
  const problem_t *problem = of;
  return memcmp(host(problem, C), problem->expected, c_bytes(&problem->shape)) != 0;
}

static void check(size_t number) {
  problem_t problem = {.shape = shapes[number]};
  const shape_t *s = &problem.shape;
  const uint64_t bytes[ARRAYS] = {
      sizeof(w4a16_args_t),  2ull * s->m * s->k, (uint64_t)s->k * s->n / 2,      2ull * scale_count(s),
      2ull * scale_count(s), workspace(s),       4ull * s->m * s->n * s->splits, c_bytes(s)};
  for (size_t i = 0; i < ARRAYS; ++i) {
    problem.address[i] = schedule_place(&problem.schedule, names[i], bytes[i], i < B);
  }
  schedule_allocate(&problem.schedule);
  *(w4a16_args_t *)host(&problem, ARGS) = arguments(&problem);
  num_rng_t rng;
  num_rng_seed(&rng, s->m * 1009ull + s->k);
  draw(&problem, &rng);
  problem.expected = malloc(c_bytes(s));
  assert_non_null(problem.expected);
  fill_expected(&problem);
  machine_options_t *machine = &problem.schedule.machine;
  machine->firmware = FIRMWARE_DIR "/w4a16.so";
  machine->ai_cores = s->ai_cores;
  machine->direct_path = s->phases == W4A16_DIRECT;
  machine->queue_depth = s->depth;
  schedule_every_order(&problem.schedule, SEEDS, number, wrong_values, &problem);
  free(problem.schedule.gm);
  free(problem.expected);
}

TEST(every_order) {
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    check(i);
  }
}
