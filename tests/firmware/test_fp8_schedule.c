// Kernel fp8 on a machine that steps in random order: dense, paged and sparse caches, lists of any
// length, with and without crossover; every order gives the bits of the contract's C loops, ends,
// leaves no flag up and has no race.
// SPDX-License-Identifier: Apache-2.0
#include "fp8_case.h"
#include "hal/registers.h"
#include "kernels/fp8/fp8_problem.h"
#include "firmware/schedule.h"

typedef struct placed {
  fp8_case_t problem;
  schedule_t schedule;
  fp8_result_t expected;
} placed_t;

static void *host(const placed_t *placed, int which) {
  const fp8_array_t *array = &placed->problem.array[which];
  return array->bytes == 0 ? NULL : schedule_host(&placed->schedule, array->address);
}

static size_t wrong_values(const void *of) {
  const placed_t *placed = of;
  return fp8_case_wrong(&placed->problem, &placed->expected, host(placed, FP8_OUT), host(placed, FP8_LSE));
}

static void place_all(placed_t *placed, fp8_shape_t shape) {
  *placed = (placed_t){0};
  fp8_case_t *problem = &placed->problem;
  fp8_case_init(problem, shape, shape.tokens * 1009u + shape.heads);
  const uint64_t args = schedule_place(&placed->schedule, "args", sizeof(fp8_args_t), true);
  for (int i = 0; i < FP8_ARRAYS; ++i) {
    fp8_array_t *array = &problem->array[i];
    if (array->bytes > 0) {
      array->address = schedule_place(&placed->schedule, array->name, array->bytes, array->data != NULL);
    }
  }
  fp8_case_args(problem);
  schedule_allocate(&placed->schedule);
  memcpy(schedule_host(&placed->schedule, args), &problem->args, sizeof problem->args);
  for (int i = 0; i < FP8_ARRAYS; ++i) {
    if (problem->array[i].data != NULL) {
      memcpy(host(placed, i), problem->array[i].data, problem->array[i].bytes);
    }
  }
  placed->schedule.machine =
      (machine_options_t){.firmware = problem->shape.direct ? FIRMWARE_DIR "/fp8_direct.so" : FIRMWARE_DIR "/fp8.so",
                          .gm_bytes = placed->schedule.machine.gm_bytes,
                          .array_count = placed->schedule.machine.array_count,
                          .ai_cores = problem->shape.cores,
                          .vector_cores = problem->shape.vector_cores,
                          .direct_path = problem->shape.direct,
                          .queue_depth = problem->shape.depth};
}

static const fp8_shape_t shapes[] = {
    {1, 64, 1, 1100, .cache = FP8_DENSE},
    {2, 64, 1, 1100, .causal = true, .bf16 = true},
    {2, 20, 7, 700, .causal = true, .vary = true, .sinks = true, .block = 256},
    {1, 33, 3, 900, .cache = FP8_PAGED, .page = 64, .vary = true},
    {2, 9, 6, 300, .cache = FP8_PAGED, .page = 7, .causal = true, .vary = true, .block = 48},
    {2, 64, 1, 600, .cache = FP8_SPARSE, .topk = 2048, .trend = FP8_FALLING},
    {1, 128, 1, 3000, .cache = FP8_SPARSE, .topk = 64, .trend = FP8_RISING},
    {2, 5, 6, 50, .cache = FP8_SPARSE, .topk = 1, .sinks = true},
    {2, 40, 8, 400, .cache = FP8_SPARSE, .topk = 500, .vary = true, .sinks = true, .block = 128},
    {1, 16, 2, 1600, .trend = FP8_EQUAL, .skip = true},
    // Pairs.
    {1, 128, 1, 1700, .crossover = true, .group = 64},
    {2, 64, 3, 600, .crossover = true, .causal = true, .vary = true, .sinks = true},
    {2, 64, 3, 900, .cache = FP8_SPARSE, .topk = 1100, .crossover = true, .group = 32, .vary = true},
    {1, 2, 9, 300, .cache = FP8_PAGED, .page = 16, .crossover = true, .vary = true, .block = 64},
    {1, 129, 2, 700, .crossover = true, .group = 64, .cores = 4, .block = 128},
    {2, 33, 4, 500, .cache = FP8_SPARSE, .topk = 900, .crossover = true, .cores = 4, .block = 80},
    {1, 100, 1, 1300, .crossover = true, .block = 64, .vector_cores = 1},
    {1, 30, 3, 700, .crossover = true, .block = 96, .vector_cores = 4, .vary = true},
    // Keys straight into L1.
    {1, 64, 1, 1100, .direct = true, .cores = 2},
    {1, 128, 1, 1700, .direct = true, .crossover = true, .group = 64},
    {2, 64, 3, 600, .direct = true, .crossover = true, .causal = true, .vary = true, .sinks = true},
    {2, 64, 3, 900, .cache = FP8_SPARSE, .topk = 1100, .direct = true, .crossover = true, .group = 32, .vary = true},
    {1, 2, 9, 300, .cache = FP8_PAGED, .page = 16, .direct = true, .crossover = true, .vary = true, .block = 64},
    {1, 100, 1, 1300, .direct = true, .crossover = true, .block = 64, .vector_cores = 1},
    {1, 30, 3, 700, .direct = true, .crossover = true, .block = 96, .vector_cores = 4, .vary = true},
    {1, 30, 3, 900, .direct = true, .depth = 1, .cores = 2, .block = 128, .vary = true},
    {2, 100, 2, 900, .direct = true, .preload = 1, .crossover = true, .rescale = RESCALE_ROW, .depth = 2},
    {2, 128, 1, 1200, .direct = true, .preload = 1, .cores = 4, .group = 96, .causal = true},
    {1, 20, 30, 100, .direct = true, .vary = true, .crossover = true, .block = 16, .sinks = true},
    // Other machines, tilings, orders.
    {1, 30, 3, 900, .depth = 1},
    {1, 30, 3, 900, .depth = 1, .crossover = true, .block = 128, .vary = true},
    {2, 100, 2, 900, .preload = 2, .crossover = true, .rescale = RESCALE_ROW, .depth = 2},
    {2, 100, 2, 1200, .preload = 1, .causal = true},
    {2, 100, 2, 1200, .crossover = true, .block = 256},
    {2, 128, 1, 1200, .cores = 3, .group = 96},
    {1, 17, 13, 260, .vary = true, .cores = 3, .block = 32, .bf16 = true, .no_lse = true},
    {1, 128, 1, 300, .block = 16, .depth = 1},
    {1, 20, 30, 100, .vary = true, .crossover = true, .block = 16, .sinks = true},
};

enum { SEEDS = 2 };

TEST(every_order) {
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    placed_t placed;
    place_all(&placed, shapes[i]);
    placed.expected = fp8_case_expected(&placed.problem);
    schedule_every_order(&placed.schedule, SEEDS, i, wrong_values, &placed);
    free(placed.expected.out);
    free(placed.expected.lse);
    free(placed.schedule.gm);
    fp8_case_free(&placed.problem);
  }
}
