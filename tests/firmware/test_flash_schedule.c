// Kernel flash on a machine that steps in random order: heads that share keys, causal, masks, lengths, splits,
// groups, queues of any depth; every order gives the bits of the contract's C loops, ends, leaves no flag up and
// has no race; and no flag is there in vain.
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

#include "hal/registers.h"
#include "kernels/attention/attention_problem.h"
#include "kernels/flash/flash_deal.h"
#include "machine.h"
#include "num/num_attention.h"
#include "num/num_format.h"
#include "num/num_rng.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef struct shape {
  uint32_t shared, seq_q, keys, dk, dv, block, preload;  // shared: query heads of a head of keys
  uint32_t batch, kv_heads;                              // 0: 1
  uint32_t group, splits;                                // 0: 128, 1
  uint32_t length;                                       // of the first batch entry; 0: all
  bool causal, masked, fp16;
  unsigned depth, ai_cores, vector_cores;  // 0: 32, 1, 2
} shape_t;

typedef struct problem {
  shape_t shape;
  uint8_t *gm, *visible;
  uint64_t gm_bytes, fresh;  // what lies behind fresh is no input
  machine_array_t array[16];
  size_t arrays;
  flash_args_t *args;  // in gm
} problem_t;

static uint64_t place(problem_t *problem, const char *name, uint64_t bytes, bool read_only) {
  const uint64_t address = GM_BASE + problem->gm_bytes;
  problem->array[problem->arrays++] = (machine_array_t){name, address, bytes, read_only};
  problem->gm_bytes += (bytes + 511) / 512 * 512 + 512;
  return address;
}

static void *host(const problem_t *problem, uint64_t address) { return problem->gm + (address - GM_BASE); }

static shape_t with_defaults(shape_t shape) {
  shape.batch += shape.batch == 0;
  shape.kv_heads += shape.kv_heads == 0;
  shape.group = shape.group == 0 ? FLASH_GROUP : shape.group;
  shape.splits += shape.splits == 0;
  shape.depth = shape.depth == 0 ? 32 : shape.depth;
  shape.ai_cores += shape.ai_cores == 0;
  shape.vector_cores = shape.vector_cores == 0 ? 2 : shape.vector_cores;
  return shape;
}

static flash_args_t place_all(problem_t *problem) {
  const shape_t *s = &problem->shape;
  const uint32_t entries = s->batch * s->kv_heads;
  const uint32_t rows = s->shared * s->seq_q;
  const uint32_t o_pitch = (4 * s->dv + 63) / 64 * 64;
  flash_deal_t deal = flash_deal(entries, rows, s->seq_q, s->causal, s->group);
  deal.groups = flash_ceil_div(deal.span, s->group);
  deal.splits = s->splits;
  deal.cores = s->ai_cores;
  const uint64_t slots = (uint64_t)s->ai_cores * FLASH_SLOTS * flash_group_rows(&deal);
  const uint64_t units = (uint64_t)flash_units(&deal) * flash_group_rows(&deal);
  flash_args_t args = {
      .attention = {.q = place(problem, "q", (uint64_t)entries * rows * s->dk * 2, true),
                    .k = place(problem, "k", (uint64_t)entries * s->keys * s->dk * 2, true),
                    .v = place(problem, "v", (uint64_t)entries * s->keys * s->dv * 2, true),
                    .k_batch = (uint64_t)s->keys * s->dk * 2,
                    .v_batch = (uint64_t)s->keys * s->dv * 2,
                    .k_pitch = 2 * s->dk,
                    .v_pitch = 2 * s->dv,
                    .o_pitch = o_pitch,
                    .batch = entries,
                    .rows = rows,
                    .group_rows = s->group,
                    .keys = s->keys,
                    .splits = s->splits,
                    .dk = s->dk,
                    .dv = s->dv,
                    .block = s->block,
                    .scale = num_f32_bits(0.125f),
                    .out_f32 = 1},
      .token = place(problem, "token", 4 * (uint64_t)rows, true),
      .visible = s->masked ? place(problem, "visible", (uint64_t)s->seq_q * (s->keys / 8 + 64), true) : 0,
      .visible_pitch = s->keys / 8 + 64,
      .seq_q = s->seq_q,
      .kv_heads = s->kv_heads,
      .groups = deal.groups,
      .causal = s->causal,
      .fp16 = s->fp16,
      .preload = s->preload,
      .has_lengths = s->length != 0,
  };
  problem->fresh = problem->gm_bytes;
  args.attention.out = place(problem, "out", (uint64_t)entries * rows * s->dv * 4, false);
  args.attention.s = place(problem, "s", slots * s->block * 4, false);
  args.attention.p = place(problem, "p", slots * s->block * 2, false);
  args.attention.t = place(problem, "t", slots * o_pitch, false);
  args.attention.split_o = place(problem, "split_o", units * o_pitch, false);
  args.attention.split_ml = place(problem, "split_ml", units * 8, false);
  for (uint32_t i = 0; i < s->batch; ++i) {
    args.length[i] = i == 0 && s->length != 0 ? s->length : s->keys;
  }
  return args;
}

static void fill(const problem_t *problem, num_rng_t *rng, uint64_t address, size_t count) {
  uint16_t *values = host(problem, address);
  for (size_t i = 0; i < count; ++i) {
    const float x = (float)(1.5 * num_rng_normal(rng));
    values[i] = problem->shape.fp16 ? num_fp16_from_f32(x) : num_bf16_from_f32(x);
  }
}

static void problem_init(problem_t *problem, shape_t shape) {
  *problem = (problem_t){.shape = with_defaults(shape)};
  const shape_t *s = &problem->shape;
  place(problem, "args", sizeof(flash_args_t), true);
  const flash_args_t args = place_all(problem);
  const size_t entries = args.attention.batch;
  problem->gm = calloc(problem->gm_bytes, 1);
  problem->visible = malloc((size_t)s->seq_q * s->keys);
  assert_true(problem->gm != NULL && problem->visible != NULL);
  problem->args = (flash_args_t *)(void *)problem->gm;
  *problem->args = args;
  num_rng_t rng;
  num_rng_seed(&rng, s->keys * 1009u + s->seq_q);
  fill(problem, &rng, args.attention.q, entries * args.attention.rows * s->dk);
  fill(problem, &rng, args.attention.k, entries * s->keys * s->dk);
  fill(problem, &rng, args.attention.v, entries * s->keys * s->dv);
  float *token = host(problem, args.token);
  for (uint32_t row = 0; row < args.attention.rows; ++row) {
    token[row] = -(float)(row % s->seq_q);
  }
  for (uint32_t i = 0; i < s->seq_q * s->keys; ++i) {
    problem->visible[i] = !s->masked || num_rng_u64(&rng) % 3 != 0;
    if (s->masked && problem->visible[i] != 0) {
      uint8_t *bits = host(problem, args.visible);
      bits[i / s->keys * args.visible_pitch + i % s->keys / 8] |= (uint8_t)(1u << i % s->keys % 8);
    }
  }
}

static void problem_free(problem_t *problem) {
  free(problem->gm);
  free(problem->visible);
}

static bool run(problem_t *problem, uint64_t seed, bool (*ignore)(bool cube, const command_t *wait),
                char error[MACHINE_ERROR_BYTES]) {
  const shape_t *s = &problem->shape;
  memset(problem->gm + problem->fresh, 0xff, problem->gm_bytes - problem->fresh);
  const machine_options_t options = {.firmware = FIRMWARE_DIR "/flash.so",
                                     .gm = problem->gm,
                                     .gm_bytes = problem->gm_bytes,
                                     .arrays = problem->array,
                                     .array_count = problem->arrays,
                                     .args = GM_BASE,
                                     .ai_cores = s->ai_cores,
                                     .vector_cores = s->vector_cores,
                                     .queue_depth = s->depth,
                                     .seed = seed,
                                     .ignore = ignore};
  return machine_run(&options, error);
}

// A row of the contract's.
static void reference_row(const problem_t *problem, uint32_t entry, uint32_t row, float *out) {
  const shape_t *s = &problem->shape;
  const attention_args_t *args = &problem->args->attention;
  const uint32_t length = problem->args->length[entry / s->kv_heads];
  const uint32_t token = row % s->seq_q;
  const uint32_t later = s->causal ? s->seq_q - 1 - token : 0;
  const uint32_t seen = length > later ? length - later : 0;
  const num_attn_t attn = {.rows = 1,
                           .keys = length,
                           .dk = s->dk,
                           .dv = s->dv,
                           .q = host(problem, args->q + ((uint64_t)entry * args->rows + row) * s->dk * 2),
                           .k = host(problem, args->k + entry * args->k_batch),
                           .ldk = s->dk,
                           .v = host(problem, args->v + entry * args->v_batch),
                           .ldv = s->dv,
                           .fp16 = s->fp16,
                           .seen = &seen,
                           .visible = problem->visible + (size_t)token * s->keys,
                           .scale = 0.125f,
                           .block = s->block,
                           .splits = s->splits};
  assert_int_equal(num_attn_flash(&attn, NUM_ISA_AUTO, out), 0);
}

static float *reference(const problem_t *problem) {
  const attention_args_t *args = &problem->args->attention;
  float *expected = malloc((size_t)args->batch * args->rows * args->dv * sizeof *expected);
  assert_non_null(expected);
  for (uint32_t i = 0; i < args->batch * args->rows; ++i) {
    reference_row(problem, i / args->rows, i % args->rows, expected + (size_t)i * args->dv);
  }
  return expected;
}

static const shape_t shapes[] = {
    // Its own size, and its neighbours.
    {1, 128, 1100, 128, 128, 512, 3, .batch = 1},
    {1, 129, 700, 128, 128, 256, 3, .fp16 = true},
    {1, 127, 530, 129, 256, 128, 2, .causal = true, .fp16 = true},
    {4, 70, 600, 64, 64, 128, 3, .causal = true, .kv_heads = 2},
    // One of everything, and more blocks than are in flight.
    {1, 1, 1, 1, 1, 16, 3, .batch = 1},
    {1, 1, 700, 40, 7, 16, 3, .batch = 2},
    {3, 1, 300, 32, 32, 32, 2, .causal = true},
    {2, 17, 300, 32, 32, 32, 1, .causal = true, .masked = true},
    {2, 17, 300, 32, 32, 32, 0, .causal = true},
    // Units one after the other, short and long ones, without keys, cores without rows or work.
    {1, 200, 150, 32, 32, 32, 3, .causal = true, .group = 16},
    {2, 40, 90, 16, 16, 16, 3, .causal = true, .group = 32, .ai_cores = 3},
    {1, 33, 100, 16, 16, 48, 2, .group = 16, .batch = 2, .length = 7},
    {5, 3, 60, 16, 40, 16, 3, .causal = true, .batch = 2, .length = 2, .masked = true},
    {1, 9, 40, 16, 16, 16, 3, .ai_cores = 4, .kv_heads = 5},
    // Splits: even, uneven, more than an entry has blocks.
    {2, 5, 300, 32, 33, 32, 3, .splits = 3, .ai_cores = 2},
    {1, 20, 300, 32, 32, 64, 3, .splits = 5, .ai_cores = 3, .causal = true, .masked = true},
    {1, 20, 300, 32, 200, 64, 3, .splits = 5, .batch = 2, .length = 100},
    // Other machines.
    {1, 100, 900, 64, 64, 64, 3, .depth = 1},
    {1, 100, 900, 64, 64, 128, 3, .depth = 1, .causal = true},
    {1, 30, 700, 200, 200, 144, 3, .depth = 1, .batch = 2},
    {1, 64, 900, 64, 64, 48, 2, .depth = 2},
    {1, 60, 300, 64, 64, 48, 3, .vector_cores = 1, .group = 64},
    {1, 9, 300, 64, 64, 48, 3, .vector_cores = 4},
};

enum { SEEDS = 4 };

static void every_order(void **state) {
  (void)state;
  for (size_t i = 0; i < ARRAY_LEN(shapes) * SEEDS; ++i) {
    problem_t problem;
    char error[MACHINE_ERROR_BYTES] = "";
    problem_init(&problem, shapes[i / SEEDS]);
    float *expected = reference(&problem);
    const attention_args_t *args = &problem.args->attention;
    const size_t bytes = (size_t)args->batch * args->rows * args->dv * sizeof *expected;
    const bool ok = run(&problem, 1 + i % SEEDS, NULL, error);
    if (!ok || memcmp(host(&problem, args->out), expected, bytes) != 0) {
      printf("shape %zu, seed %zu: %s\n", i / SEEDS, 1 + i % SEEDS, ok ? "wrong bits" : error);
      fail();
    }
    free(expected);
    problem_free(&problem);
  }
}

// Flags a kernel waits for: some of a pair of pipes, or a cross-core flag; SYNC stands for SYNC_ALL.
enum { SYNC = 16 };
typedef struct flag_class {
  bool cube, cross;
  uint32_t from, to, events;
} flag_class_t;

static flag_class_t ignored;

static bool is_ignored(bool cube, const command_t *command) {
  switch (command->header.opcode_) {
    case OP_WAIT_FLAG:
      return cube == ignored.cube && !ignored.cross && command->wait_flag.from == ignored.from &&
             command->header.pipe_ == ignored.to && (ignored.events >> command->wait_flag.event & 1) != 0;
    case OP_CROSS_WAIT:
      return ignored.cross && command->cross_wait.flag == ignored.from;
    default:
      return ignored.cross && command->header.opcode_ == OP_SYNC_ALL && ignored.from == SYNC;
  }
}

#define PAIR(is_cube, from, to, events) \
  { is_cube, false, PIPE_##from, PIPE_##to, (uint32_t)(events) }
#define CROSS(flag) \
  { false, true, flag, 0, 0 }

static void every_flag_needed(void **state) {
  (void)state;
  enum { EVERY = -1, BUFFERS_Q = 0x03, BUFFERS_P = 0x3c, TILES = 0x0f, SPLITS_STORED = 0x20 };
  static const flag_class_t flags[] = {
      PAIR(true, MTE2, MTE1, BUFFERS_Q),
      PAIR(true, MTE1, MTE2, BUFFERS_Q),
      PAIR(true, MTE2, MTE1, BUFFERS_P),
      PAIR(true, MTE1, MTE2, BUFFERS_P),
      PAIR(true, MTE2, MTE1, ~0x3f),
      PAIR(true, MTE1, MTE2, ~0x3f),
      PAIR(true, MTE1, M, EVERY),
      PAIR(true, M, MTE1, EVERY),
      PAIR(true, M, FIX, EVERY),
      PAIR(true, FIX, M, EVERY),
      PAIR(false, MTE2, V, EVERY),
      PAIR(false, MTE3, MTE2, TILES),
      PAIR(false, V, MTE3, EVERY),
      PAIR(false, MTE3, MTE2, SPLITS_STORED),
      CROSS(FLAG_S_READY),
      CROSS(FLAG_P_READY),
      CROSS(FLAG_T_READY),
      CROSS(SYNC),
  };
  for (size_t i = 0; i < ARRAY_LEN(flags); ++i) {
    ignored = flags[i];
    bool raced = false;
    for (size_t j = 0; j < ARRAY_LEN(shapes) && !raced; ++j) {
      problem_t problem;
      char error[MACHINE_ERROR_BYTES] = "";
      problem_init(&problem, shapes[j]);
      raced = !run(&problem, 1, is_ignored, error) && strstr(error, "race") != NULL;
      problem_free(&problem);
    }
    if (!raced) {
      printf("nothing needs the flags number %zu\n", i);
      fail();
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order),
      cmocka_unit_test(every_flag_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
