// The gemm kernel on a machine that steps in random order: for shapes at the edges of the tiling
// and queues of any length, every order gives the contract's bits, ends, leaves no flag up and has
// no race; and no flag is there in vain.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
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

#include "hal/registers.h"
#include "kernels/gemm/gemm_args.h"
#include "machine.h"
#include "num/num_format.h"
#include "num/num_rng.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

enum { ARGS, A, B, C, ARRAYS };
enum { PAGE = 4096, GAP = 512, SEEDS = 4 };

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
  machine_array_t array[ARRAYS];
  uint8_t *gm;
  uint64_t gm_bytes;
  uint32_t *expected;  // bits of c, FP32 or FP16
} problem_t;

static void *allocate(size_t count, size_t size) {
  void *memory = malloc(count * size);
  if (memory == NULL) {
    printf("out of memory: %zu x %zu\n", count, size);
    abort();
  }
  return memory;
}

static void *host(const problem_t *problem, size_t array) {
  return problem->gm + (problem->array[array].address - GM_BASE);
}

static void place(problem_t *problem, size_t array, const char *name, uint64_t bytes) {
  problem->array[array] = (machine_array_t){name, GM_BASE + problem->gm_bytes, bytes, .read_only = array != C};
  problem->gm_bytes += (bytes + PAGE - 1) / PAGE * PAGE + GAP;
}

static void fill(const problem_t *problem, size_t array, num_rng_t *rng) {
  uint16_t *values = host(problem, array);
  for (size_t i = 0; i < problem->array[array].bytes / 2; ++i) {
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

static void problem_init(problem_t *problem, shape_t shape) {
  *problem = (problem_t){.shape = shape};
  const uint32_t c_bytes = shape.tile_cols == 0 ? 4 : 2;
  place(problem, ARGS, "args", sizeof(gemm_fp16_args_t));
  place(problem, A, "a", 2ull * shape.m * shape.k);
  place(problem, B, "b", 2ull * shape.k * shape.n);
  place(problem, C, "c", (uint64_t)c_bytes * shape.m * shape.n);
  problem->gm = allocate(problem->gm_bytes, 1);
  gemm_fp16_args_t *args = host(problem, ARGS);
  args->c_type = TYPE_F16;
  args->tile_cols = shape.tile_cols;
  args->product = (gemm_args_t){
      .a = problem->array[A].address,
      .b = problem->array[B].address,
      .c = problem->array[C].address,
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
  fill(problem, A, &rng);
  fill(problem, B, &rng);
  problem->expected = allocate((size_t)shape.m * shape.n, sizeof *problem->expected);
  fill_expected(problem);
}

static void problem_free(problem_t *problem) {
  free(problem->gm);
  free(problem->expected);
}

static bool run(problem_t *problem, uint64_t seed, bool (*ignore)(bool cube, const command_t *wait),
                char error[MACHINE_ERROR_BYTES]) {
  memset(host(problem, C), 0xff, problem->array[C].bytes);
  const machine_options_t options = {
      .firmware = problem->shape.tile_cols == 0 ? FIRMWARE_DIR "/gemm.so" : FIRMWARE_DIR "/gemm_fp16.so",
      .gm = problem->gm,
      .gm_bytes = problem->gm_bytes,
      .arrays = problem->array,
      .array_count = ARRAYS,
      .args = GM_BASE,
      .ai_cores = problem->shape.ai_cores,
      .vector_cores = 2,
      .queue_depth = problem->shape.depth,
      .seed = seed,
      .ignore = ignore};
  return machine_run(&options, error);
}

static void every_order(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    problem_t problem;
    problem_init(&problem, shapes[i]);
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
      char error[MACHINE_ERROR_BYTES] = "wrong bits";
      if (!run(&problem, seed, NULL, error) ||
          memcmp(host(&problem, C), problem.expected, problem.array[C].bytes) != 0) {
        printf("%u x %u x %u, seed %llu: %s\n", shapes[i].m, shapes[i].n, shapes[i].k, (unsigned long long)seed, error);
        fail();
      }
    }
    problem_free(&problem);
  }
}

// ---- No flag in vain ----

typedef struct flags {
  uint32_t from, to;  // pipes
  uint32_t events;    // a bit each
} flags_t;

static flags_t ignored;

static bool is_ignored(bool cube, const command_t *command) {
  return cube && command->header.opcode_ == OP_WAIT_FLAG && command->wait_flag.from == ignored.from &&
         command->header.pipe_ == ignored.to && (ignored.events >> command->wait_flag.event & 1) != 0;
}

static bool races_somewhere(void) {
  bool raced = false;
  for (size_t i = 0; i < ARRAY_LEN(shapes) && !raced; ++i) {
    char error[MACHINE_ERROR_BYTES] = "";
    problem_t problem;
    problem_init(&problem, shapes[i]);
    raced = !run(&problem, 1, is_ignored, error) && strstr(error, "race") != NULL;
    problem_free(&problem);
  }
  return raced;
}

static void every_flag_needed(void **state) {
  (void)state;
  // Events of slots: with sums of up to 512 products 0 to 3 are a's and 4 to 7 b's.
  enum { A_SLOTS = 0x07, B_SLOTS = 0xf0, EVERY = 0xff };
  static const flags_t flags[] = {
      {PIPE_MTE2, PIPE_MTE1, A_SLOTS}, {PIPE_MTE1, PIPE_MTE2, A_SLOTS}, {PIPE_MTE2, PIPE_MTE1, B_SLOTS},
      {PIPE_MTE1, PIPE_MTE2, B_SLOTS}, {PIPE_MTE1, PIPE_M, EVERY},      {PIPE_M, PIPE_MTE1, EVERY},
      {PIPE_M, PIPE_FIX, EVERY},       {PIPE_FIX, PIPE_M, EVERY},
  };
  for (size_t i = 0; i < ARRAY_LEN(flags); ++i) {
    ignored = flags[i];
    if (!races_somewhere()) {
      printf("nothing needs the flags from pipe %u to %u, events 0x%x\n", ignored.from, ignored.to, ignored.events);
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
