// The W4A16 kernel on a machine that steps in random order: whatever the phases, the slices and the
// edges of the tiling, every order gives the contract's bits, ends, leaves no flag up and has no race;
// and no flag is there in vain.
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
#include "kernels/w4a16/w4a16_args.h"
#include "machine.h"
#include "num/num_format.h"
#include "num/num_rng.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

enum { ARGS, A, W, SCALE, ZERO, B, PARTIAL, C, ARRAYS };
enum { PAGE = 4096, GAP = 512, SEEDS = 16 };

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
  machine_array_t array[ARRAYS];
  uint8_t *gm;
  uint64_t gm_bytes;
  void *expected;  // c
} problem_t;

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
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
  problem->array[array] = (machine_array_t){name, GM_BASE + problem->gm_bytes, bytes, .read_only = array < B};
  problem->gm_bytes += (bytes + PAGE - 1) / PAGE * PAGE + GAP;
}

static uint32_t scale_count(const shape_t *s) { return s->k / s->group * s->n; }

static uint64_t workspace(const shape_t *s) {
  return s->phases == W4A16_OVERLAPPED ? (uint64_t)s->ai_cores * W4A16_RING * W4A16_SLOT
                                       : (uint64_t)((s->n + s->tile_cols - 1) / s->tile_cols) * W4A16_TILE_PITCH * s->k;
}

// A zero point's value is whole or, where anything goes, has more bits than FP16 can subtract.
static void fill(const problem_t *problem, num_rng_t *rng) {
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
  float *b = allocate((size_t)s->k * s->n, sizeof *b);
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
      .a = problem->array[A].address,
      .w = problem->array[W].address,
      .scale = problem->array[SCALE].address,
      .zero = problem->array[ZERO].address,
      .c = problem->array[C].address,
      .b = problem->array[B].address,
      .partial = problem->array[PARTIAL].address,
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

static void problem_init(problem_t *problem, shape_t shape) {
  *problem = (problem_t){.shape = shape};
  const uint64_t c_bytes = (shape.out_f32 ? 4ull : 2ull) * shape.m * shape.n;
  place(problem, ARGS, "args", sizeof(w4a16_args_t));
  place(problem, A, "a", 2ull * shape.m * shape.k);
  place(problem, W, "w", (uint64_t)shape.k * shape.n / 2);
  place(problem, SCALE, "scale", 2ull * scale_count(&shape));
  place(problem, ZERO, "zero", 2ull * scale_count(&shape));
  place(problem, B, "b", workspace(&shape));
  place(problem, PARTIAL, "partial", 4ull * shape.m * shape.n * shape.splits);
  place(problem, C, "c", c_bytes);
  problem->gm = allocate(problem->gm_bytes, 1);
  *(w4a16_args_t *)host(problem, ARGS) = arguments(problem);
  num_rng_t rng;
  num_rng_seed(&rng, shape.m * 1009ull + shape.k);
  fill(problem, &rng);
  problem->expected = allocate(c_bytes, 1);
  fill_expected(problem);
}

static void problem_free(problem_t *problem) {
  free(problem->gm);
  free(problem->expected);
}

static bool run(problem_t *problem, uint64_t seed, bool (*ignore)(bool cube, const command_t *wait),
                char error[MACHINE_ERROR_BYTES]) {
  for (size_t array = B; array < ARRAYS; ++array) {
    memset(host(problem, array), 0xff, problem->array[array].bytes);
  }
  const machine_options_t options = {.firmware = FIRMWARE_DIR "/w4a16.so",
                                     .gm = problem->gm,
                                     .gm_bytes = problem->gm_bytes,
                                     .arrays = problem->array,
                                     .array_count = ARRAYS,
                                     .args = GM_BASE,
                                     .ai_cores = problem->shape.ai_cores,
                                     .vector_cores = 2,
                                     .direct_path = problem->shape.phases == W4A16_DIRECT,
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
        printf("shape %zu, seed %llu: %s\n", i, (unsigned long long)seed, error);
        fail();
      }
    }
    problem_free(&problem);
  }
}

// ---- No flag in vain ----

typedef struct flags {
  bool cube;
  uint32_t opcode;
  uint32_t from, to;  // pipes; of a cross-core flag or a SYNC_ALL: its pipe and number
  uint32_t events;    // a bit each
} flags_t;

static flags_t ignored;

static bool is_ignored(bool cube, const command_t *command) {
  if (cube != ignored.cube || command->header.opcode_ != ignored.opcode) {
    return false;
  }
  switch (command->header.opcode_) {
    case OP_WAIT_FLAG:
      return command->wait_flag.from == ignored.from && command->header.pipe_ == ignored.to &&
             (ignored.events >> command->wait_flag.event & 1) != 0;
    case OP_CROSS_WAIT:
      return command->header.pipe_ == ignored.from && (ignored.events >> command->cross_wait.flag & 1) != 0;
    default:
      return command->header.pipe_ == ignored.from;
  }
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
  // Events of slots on the cube core: 0 to 3 are a's, 4 to 9 B's. Cross-core flags: 0 dequantised,
  // 1 ready, 2 free, 3 multiplied.
  enum { A_SLOTS = 0x00f, B_SLOTS = 0x3f0, EVERY = 0xff, REDUCTION = 0x30000 };
  static const flags_t flags[] = {
      {true, OP_WAIT_FLAG, PIPE_MTE2, PIPE_MTE1, A_SLOTS},
      {true, OP_WAIT_FLAG, PIPE_MTE1, PIPE_MTE2, A_SLOTS},
      {true, OP_WAIT_FLAG, PIPE_MTE2, PIPE_MTE1, B_SLOTS},
      {true, OP_WAIT_FLAG, PIPE_MTE1, PIPE_MTE2, B_SLOTS},
      {true, OP_WAIT_FLAG, PIPE_MTE1, PIPE_M, EVERY},
      {true, OP_WAIT_FLAG, PIPE_M, PIPE_MTE1, EVERY},
      {true, OP_WAIT_FLAG, PIPE_M, PIPE_FIX, EVERY},
      {true, OP_WAIT_FLAG, PIPE_FIX, PIPE_M, EVERY},
      {false, OP_WAIT_FLAG, PIPE_MTE2, PIPE_V, EVERY},
      {false, OP_WAIT_FLAG, PIPE_V, PIPE_MTE2, EVERY},
      {false, OP_WAIT_FLAG, PIPE_V, PIPE_MTE3, EVERY},
      {false, OP_WAIT_FLAG, PIPE_MTE3, PIPE_V, EVERY},
      {false, OP_WAIT_FLAG, PIPE_MTE2, PIPE_V, REDUCTION},
      {false, OP_WAIT_FLAG, PIPE_V, PIPE_MTE2, REDUCTION},
      {false, OP_WAIT_FLAG, PIPE_V, PIPE_MTE3, REDUCTION},
      {false, OP_WAIT_FLAG, PIPE_MTE3, PIPE_V, REDUCTION},
      {true, OP_CROSS_WAIT, PIPE_MTE2, 0, 1u << 0},
      {true, OP_CROSS_WAIT, PIPE_MTE2, 0, 1u << 1},
      {true, OP_CROSS_WAIT, PIPE_MTE1, 0, 1u << 1},
      {false, OP_CROSS_WAIT, PIPE_MTE3, 0, 1u << 2},
      {false, OP_CROSS_WAIT, PIPE_MTE2, 0, 1u << 3},
      {true, OP_SYNC_ALL, PIPE_FIX, 0, 0},
      {false, OP_SYNC_ALL, PIPE_MTE3, 0, 0},
  };
  for (size_t i = 0; i < ARRAY_LEN(flags); ++i) {
    ignored = flags[i];
    if (!races_somewhere()) {
      printf("nothing needs flags %zu: opcode %u of pipe %u\n", i, ignored.opcode, ignored.from);
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
