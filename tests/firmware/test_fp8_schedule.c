// Kernel fp8 on a machine that steps in random order: dense, paged and sparse caches, lists of any
// length, with and without crossover; every order gives the bits of the contract's C loops, ends,
// leaves no flag up and has no race; and no flag is there in vain.
// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off: needs those above
#include <cmocka.h>
// clang-format on

#include "fp8_case.h"
#include "hal/registers.h"
#include "kernels/fp8/fp8_problem.h"
#include "machine.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef struct placed {
  fp8_case_t problem;
  uint8_t *gm;
  uint64_t bytes;
  machine_array_t array[FP8_ARRAYS + 1];
  size_t arrays;
} placed_t;

static uint64_t place(placed_t *placed, const char *name, uint64_t bytes, bool read_only) {
  const uint64_t address = GM_BASE + placed->bytes;
  placed->array[placed->arrays++] = (machine_array_t){name, address, bytes, read_only};
  placed->bytes += (bytes + 511) / 512 * 512 + 512;
  return address;
}

static void place_all(placed_t *placed, fp8_shape_t shape) {
  *placed = (placed_t){0};
  fp8_case_t *problem = &placed->problem;
  fp8_case_init(problem, shape, shape.tokens * 1009u + shape.heads);
  place(placed, "args", sizeof(fp8_args_t), true);
  for (int i = 0; i < FP8_ARRAYS; ++i) {
    fp8_array_t *array = &problem->array[i];
    array->address = array->bytes == 0 ? 0 : place(placed, array->name, array->bytes, array->data != NULL);
  }
  fp8_case_args(problem);
  placed->gm = malloc(placed->bytes);
  assert_non_null(placed->gm);
}

static void release(placed_t *placed) {
  free(placed->gm);
  fp8_case_free(&placed->problem);
}

static void *host(const placed_t *placed, int which) {
  const fp8_array_t *array = &placed->problem.array[which];
  return array->bytes == 0 ? NULL : placed->gm + (array->address - GM_BASE);
}

static bool run(placed_t *placed, uint64_t seed, bool (*ignore)(bool cube, const command_t *wait),
                char error[MACHINE_ERROR_BYTES]) {
  const fp8_case_t *problem = &placed->problem;
  memset(placed->gm, 0xff, placed->bytes);
  memcpy(placed->gm, &problem->args, sizeof problem->args);
  for (int i = 0; i < FP8_ARRAYS; ++i) {
    if (problem->array[i].data != NULL) {
      memcpy(host(placed, i), problem->array[i].data, problem->array[i].bytes);
    }
  }
  const machine_options_t options = {
      .firmware = problem->shape.direct ? FIRMWARE_DIR "/fp8_direct.so" : FIRMWARE_DIR "/fp8.so",
      .gm = placed->gm,
      .gm_bytes = placed->bytes,
      .arrays = placed->array,
      .array_count = placed->arrays,
      .args = GM_BASE,
      .ai_cores = problem->shape.cores,
      .vector_cores = problem->shape.vector_cores,
      .direct_path = problem->shape.direct,
      .queue_depth = problem->shape.depth,
      .seed = seed,
      .ignore = ignore};
  return machine_run(&options, error);
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

static void print_shape(size_t i) {
  const fp8_shape_t *s = &shapes[i];
  printf(
      "shape %zu: tokens %u heads %u batch %u cache of %u, kind %d, topk %u, block %u, group %u, "
      "crossover %d, direct %d",
      i, s->query_tokens, s->heads, s->batch, s->tokens, (int)s->cache, s->topk, s->block, s->group, s->crossover,
      s->direct);
}

static void every_order(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    placed_t placed;
    place_all(&placed, shapes[i]);
    const fp8_result_t expected = fp8_case_expected(&placed.problem);
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
      char error[MACHINE_ERROR_BYTES];
      const bool ok = run(&placed, seed, NULL, error);
      const size_t wrong =
          !ok ? 0 : fp8_case_wrong(&placed.problem, &expected, host(&placed, FP8_OUT), host(&placed, FP8_LSE));
      if (!ok || wrong > 0) {
        print_shape(i);
        printf(" seed %llu: %zu wrong values, %s\n", (unsigned long long)seed, wrong, error);
        fail();
      }
    }
    free(expected.out);
    free(expected.lse);
    release(&placed);
  }
  printf("%zu shapes, seeds 1 to %d, no bit differs\n", ARRAY_LEN(shapes), SEEDS);
}

// ---- No flag in vain ----

enum wait_kind { WAIT_PIPE, WAIT_CROSS, WAIT_PAIR };

typedef struct flag_class {
  enum wait_kind kind;
  bool cube;
  uint32_t from, to;  // pipes; or the flag's number
  uint32_t events;    // a bit each
} flag_class_t;

static flag_class_t ignored;

static bool is_ignored(bool cube, const command_t *command) {
  switch (command->header.opcode_) {
    case OP_WAIT_FLAG:
      return ignored.kind == WAIT_PIPE && cube == ignored.cube && command->wait_flag.from == ignored.from &&
             command->header.pipe_ == ignored.to && (ignored.events >> command->wait_flag.event & 1) != 0;
    case OP_CROSS_WAIT:
      return ignored.kind == WAIT_CROSS && command->cross_wait.flag == ignored.from;
    case OP_PAIR_WAIT:
      return ignored.kind == WAIT_PAIR && command->pair_wait.flag == ignored.from;
    default:
      return false;
  }
}

#define PIPES(is_cube, from, to, events) \
  { WAIT_PIPE, is_cube, PIPE_##from, PIPE_##to, (uint32_t)(events) }
#define CROSS(name) \
  { WAIT_CROSS, false, FLAG_##name, 0, 0 }
#define PAIR(name) \
  { WAIT_PAIR, false, FLAG_##name, 0, 0 }
// Events of a vector core.
enum { EVERY = -1, TILES = 0x03, OUT = 0x0c, RAW = 0xf00 };

static const flag_class_t flags[] = {
    PIPES(false, MTE2, V, TILES),
    PIPES(false, MTE2, V, RAW),
    PIPES(false, MTE3, MTE2, TILES),
    PIPES(false, MTE3, MTE2, RAW),
    PIPES(false, V, MTE3, TILES),
    PIPES(false, V, MTE3, OUT),
    PIPES(false, MTE3, V, EVERY),
    PIPES(true, MTE2, MTE1, EVERY),
    PIPES(true, MTE1, MTE2, EVERY),
    CROSS(S_READY),
    CROSS(S_FREE),
    CROSS(P_READY),
    CROSS(O_ADDED),
    CROSS(O_RESCALED),
    CROSS(O_COMPLETE),
    CROSS(KV_READY),
    CROSS(KV_FREE),
    PAIR(KV_READY),
    PAIR(KV_FREE),
    CROSS(K_READY),
    CROSS(K_FREE),
    PAIR(K_READY),
    PAIR(K_FREE),
};

static void every_flag_needed(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_LEN(flags); ++i) {
    ignored = flags[i];
    char error[MACHINE_ERROR_BYTES] = "";
    bool raced = false;
    for (size_t j = 0; j < ARRAY_LEN(shapes) && !raced; ++j) {
      placed_t placed;
      place_all(&placed, shapes[j]);
      raced = !run(&placed, 1, is_ignored, error) && strstr(error, "race") != NULL;
      release(&placed);
    }
    if (!raced) {
      printf("nothing needs the flags of kind %d, %s, %u to %u, events 0x%x\n", (int)flags[i].kind,
             flags[i].cube ? "cube" : "vector", flags[i].from, flags[i].to, flags[i].events);
      fail();
    }
  }
}

// An argument picks tests by name; * and ? are wildcards.
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order),
      cmocka_unit_test(every_flag_needed),
  };
  if (argc > 1) {
    cmocka_set_test_filter(argv[1]);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
