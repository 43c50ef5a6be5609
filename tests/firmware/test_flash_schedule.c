// Kernel flash on a machine that steps in random order: heads that share keys, causal, masks, lengths, splits,
// groups, queues of any depth; every order gives the bits of the contract's C loops, ends, leaves no flag up and
// has no race.
// SPDX-License-Identifier: Apache-2.0
#include "hal/registers.h"
#include "kernels/attention/attention_problem.h"
#include "kernels/flash/flash_deal.h"
#include "firmware/schedule.h"
#include "num/golden/num_attention.h"
#include "num/num_format.h"
#include "num/num_rng.h"

typedef struct shape {
  uint32_t shared, seq_q, keys, dk, dv, block, preload;  // shared: query heads of a head of keys
  uint32_t batch, kv_heads;                              // 0: 1
  uint32_t group, splits;                                // 0: 128, 1
  uint32_t length;                                       // of the first batch entry; 0: all
  bool causal, masked, fp16;
  bool more;  // sinks, a cap, pages in order: one head of keys, keys a multiple of FLASH_PAGE
  unsigned depth, ai_cores, vector_cores;  // 0: 32, 1, 2
} shape_t;

typedef struct problem {
  shape_t shape;
  schedule_t schedule;
  uint8_t *visible;
  flash_args_t *args;  // in gm
  float *expected;
} problem_t;

static const float cap = 2;

static uint64_t place(problem_t *problem, const char *name, uint64_t bytes, bool read_only) {
  return schedule_place(&problem->schedule, name, bytes, read_only);
}

static void *host(const problem_t *problem, uint64_t address) { return schedule_host(&problem->schedule, address); }

static shape_t with_defaults(shape_t shape) {
  shape.batch += shape.batch == 0;
  shape.kv_heads += shape.kv_heads == 0;
  shape.group = shape.group == 0 ? FLASH_GROUP : shape.group;
  shape.splits += shape.splits == 0;
  shape.ai_cores += shape.ai_cores == 0;
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
      .behind = 1 + s->keys % (FLASH_SLOTS - 1),
      .has_lengths = s->length != 0,
  };
  if (s->more) {
    args.sink = place(problem, "sink", 4 * (uint64_t)rows, true);
    args.table = place(problem, "table", 4 * (uint64_t)s->batch * (s->keys / FLASH_PAGE), true);
    args.table_pitch = s->keys / FLASH_PAGE;
    args.attention.k_batch = (uint64_t)FLASH_PAGE * s->dk * 2;
    args.attention.v_batch = (uint64_t)FLASH_PAGE * s->dv * 2;
    args.cap = num_f32_bits(cap);
    args.cap_near = num_f32_bits(cap / 16);
    args.cap_cubic = num_f32_bits((float)(-1 / (3.0 * (double)cap * (double)cap)));
    args.cap_inverse = num_f32_bits(2 / cap);
    args.cap_twice = num_f32_bits(2 * cap);
  }
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

static void draw(const problem_t *problem, num_rng_t *rng, uint64_t address, size_t count) {
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
  schedule_allocate(&problem->schedule);
  problem->visible = malloc((size_t)s->seq_q * s->keys);
  assert_non_null(problem->visible);
  problem->args = (flash_args_t *)(void *)problem->schedule.gm;
  *problem->args = args;
  num_rng_t rng;
  num_rng_seed(&rng, s->keys * 1009u + s->seq_q);
  draw(problem, &rng, args.attention.q, entries * args.attention.rows * s->dk);
  draw(problem, &rng, args.attention.k, entries * s->keys * s->dk);
  draw(problem, &rng, args.attention.v, entries * s->keys * s->dv);
  float *token = host(problem, args.token);
  for (uint32_t row = 0; row < args.attention.rows; ++row) {
    token[row] = -(float)(row % s->seq_q);
  }
  for (uint32_t row = 0; s->more && row < args.attention.rows; ++row) {
    ((float *)host(problem, args.sink))[row] = (float)(row % 5) - 2;
  }
  for (uint32_t i = 0; s->more && i < s->batch * args.table_pitch; ++i) {
    ((int32_t *)host(problem, args.table))[i] = (int32_t)i;
  }
  for (uint32_t i = 0; i < s->seq_q * s->keys; ++i) {
    problem->visible[i] = !s->masked || num_rng_u64(&rng) % 3 != 0;
    if (s->masked && problem->visible[i] != 0) {
      uint8_t *bits = host(problem, args.visible);
      bits[i / s->keys * args.visible_pitch + i % s->keys / 8] |= (uint8_t)(1u << i % s->keys % 8);
    }
  }
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
                           .k = host(problem, args->k + (uint64_t)entry * s->keys * s->dk * 2),
                           .ldk = s->dk,
                           .v = host(problem, args->v + (uint64_t)entry * s->keys * s->dv * 2),
                           .ldv = s->dv,
                           .fp16 = s->fp16,
                           .seen = &seen,
                           .visible = problem->visible + (size_t)token * s->keys,
                           .scale = 0.125f,
                           .cap = s->more ? cap : 0,
                           .sink = s->more ? host(problem, problem->args->sink + 4 * (uint64_t)row) : NULL,
                           .block = s->block,
                           .splits = s->splits};
  assert_int_equal(num_attn_flash(&attn, NUM_ISA_AUTO, out), 0);
}

static size_t result_bytes(const problem_t *problem) {
  const attention_args_t *args = &problem->args->attention;
  return (size_t)args->batch * args->rows * args->dv * sizeof(float);
}

static size_t wrong_values(const void *of) {
  const problem_t *problem = of;
  return memcmp(host(problem, problem->args->attention.out), problem->expected, result_bytes(problem)) != 0;
}

static float *reference(const problem_t *problem) {
  const attention_args_t *args = &problem->args->attention;
  float *expected = malloc(result_bytes(problem));
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
    // Sinks, capped scores, pages.
    {2, 70, 640, 64, 64, 128, 3, .causal = true, .batch = 2, .length = 257, .more = true},
    {1, 20, 384, 32, 200, 128, 3, .splits = 2, .masked = true, .more = true, .depth = 2},
};

enum { SEEDS = 4 };

TEST(every_order) {
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    problem_t problem;
    problem_init(&problem, shapes[i]);
    problem.expected = reference(&problem);
    machine_options_t *machine = &problem.schedule.machine;
    machine->firmware = problem.shape.more ? FIRMWARE_DIR "/flash_more.so" : FIRMWARE_DIR "/flash.so";
    machine->ai_cores = problem.shape.ai_cores;
    machine->vector_cores = problem.shape.vector_cores;
    machine->queue_depth = problem.shape.depth;
    schedule_every_order(&problem.schedule, SEEDS, i, wrong_values, &problem);
    free(problem.schedule.gm);
    free(problem.visible);
    free(problem.expected);
  }
}
