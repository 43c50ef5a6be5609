// The attention kernels on a machine that steps in random order: for shapes at the edges of the
// tiling, every order gives the bits of the contract's C loops, ends, leaves no flag up and has no
// race.
// SPDX-License-Identifier: Apache-2.0
#include "hal/registers.h"
#include "kernels/attention/attention_args.h"
#include "kernels/attention/attention_problem.h"
#include "firmware/schedule.h"
#include "num/golden/num_attention.h"
#include "num/num_format.h"
#include "num/num_rng.h"

typedef struct shape {
  uint32_t rows, keys, dk, dv, block, preload;
  uint32_t batch;    // 0: 1
  uint32_t rescale;  // enum attention_rescale
  bool bf16;         // output
  bool masked;
  bool shared_kv;          // v is k
  unsigned depth;          // of queues, 0: 32
  uint32_t group, splits;  // 0: 256, 1
  uint32_t tiling, kv_buffers, qp_buffers;
  bool skip;
  unsigned ai_cores;      // 0: 1
  unsigned vector_cores;  // 0: 2
} shape_t;

typedef struct problem {
  shape_t shape;
  schedule_t schedule;
  num_attn_t attn;         // of batch entry 0
  attention_args_t *args;  // in gm
  float *expected;
} problem_t;

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  assert_non_null(memory);
  return memory;
}

static uint64_t place(problem_t *problem, const char *name, uint64_t bytes, bool read_only) {
  return schedule_place(&problem->schedule, name, bytes, read_only);
}

static void *host(const problem_t *problem, uint64_t address) { return schedule_host(&problem->schedule, address); }

static void fill_normal(num_rng_t *rng, uint16_t *values, size_t count, double sigma) {
  for (size_t i = 0; i < count; ++i) {
    values[i] = num_bf16_from_f32((float)(sigma * num_rng_normal(rng)));
  }
}

static shape_t with_defaults(shape_t shape) {
  shape.batch += shape.batch == 0;
  shape.ai_cores += shape.ai_cores == 0;
  shape.group = shape.group == 0 ? 256 : shape.group;
  shape.splits += shape.splits == 0;
  return shape;
}

static attention_args_t place_all(problem_t *problem) {
  const shape_t *s = &problem->shape;
  const uint64_t k_bytes = (uint64_t)s->keys * s->dk * 2;
  const uint64_t v_bytes = (uint64_t)s->keys * s->dv * 2;
  const uint32_t o_pitch = (4 * s->dv + 63) / 64 * 64;
  const uint32_t element = s->bf16 ? 2 : 4;
  const uint32_t visible_pitch = (s->keys + 7) / 8;
  const uint32_t group = s->rows < s->group ? s->rows : s->group;
  const uint64_t slots = (uint64_t)s->ai_cores * ATTENTION_SLOTS * group;
  const uint64_t units = (uint64_t)s->batch * ((s->rows + s->group - 1) / s->group) * s->splits;
  const uint64_t k = place(problem, "k", s->batch * k_bytes, true);
  return (attention_args_t){
      .q = place(problem, "q", (uint64_t)s->batch * s->rows * s->dk * 2, true),
      .k = k,
      .v = s->shared_kv ? k : place(problem, "v", s->batch * v_bytes, true),
      .visible = s->masked ? place(problem, "visible", (uint64_t)s->rows * visible_pitch, true) : 0,
      .out = place(problem, "out", (uint64_t)s->batch * s->rows * s->dv * element, false),
      .s = place(problem, "s", slots * s->block * 4, false),
      .p = place(problem, "p", slots * s->block * 2, false),
      .t = place(problem, "t", slots * o_pitch, false),
      .o = place(problem, "o", slots * o_pitch, false),
      .split_o = place(problem, "split_o", units * group * o_pitch, false),
      .split_ml = place(problem, "split_ml", units * group * 8, false),
      .k_batch = k_bytes,
      .v_batch = s->shared_kv ? k_bytes : v_bytes,
      .k_pitch = 2 * s->dk,
      .v_pitch = 2 * (s->shared_kv ? s->dk : s->dv),
      .visible_pitch = visible_pitch,
      .o_pitch = o_pitch,
      .batch = s->batch,
      .rows = s->rows,
      .group_rows = s->group,
      .keys = s->keys,
      .splits = s->splits,
      .dk = s->dk,
      .dv = s->dv,
      .block = s->block,
      .scale = num_f32_bits(0.125f),
      .preload = s->preload,
      .rescale = s->rescale,
      .skip_noop = s->skip,
      .out_f32 = s->bf16 ? 0 : 1,
      .tiling = s->tiling,
      .kv_buffers = s->kv_buffers,
      .qp_buffers = s->qp_buffers,
  };
}

// Some rows see little, row 3 nothing, row 4 nothing of the first block.
static uint8_t *fill_mask(problem_t *problem, num_rng_t *rng) {
  const shape_t *s = &problem->shape;
  uint8_t *visible = allocate(s->rows, s->keys);
  uint8_t *bits = host(problem, problem->args->visible);
  for (uint32_t row = 0; row < s->rows; ++row) {
    const uint64_t threshold = num_rng_u64(rng) % 8;
    for (uint32_t key = 0; key < s->keys; ++key) {
      const bool hidden = row == 3 || (row == 4 && key < s->block);
      const bool seen = !hidden && num_rng_u64(rng) % 8 >= threshold;
      visible[row * s->keys + key] = seen;
      uint8_t *byte = &bits[row * problem->args->visible_pitch + key / 8];
      *byte = (uint8_t)((*byte & ~(1u << key % 8)) | ((unsigned)seen << key % 8));
    }
  }
  return visible;
}

static void problem_init(problem_t *problem, shape_t shape) {
  *problem = (problem_t){.shape = with_defaults(shape)};
  const shape_t *s = &problem->shape;
  place(problem, "args", sizeof(attention_args_t), true);
  const attention_args_t args = place_all(problem);
  schedule_allocate(&problem->schedule);
  problem->args = (attention_args_t *)(void *)problem->schedule.gm;
  *problem->args = args;
  num_rng_t rng;
  num_rng_seed(&rng, s->rows * 1000003u + s->keys * 1009u + s->dk + s->dv);
  for (size_t i = 0; i < 4; ++i) {  // results hold whatever the host believes of the stages' times
    (i < 2 ? problem->args->cycles.cube : problem->args->cycles.vector)[i % 2] = (uint32_t)(num_rng_u64(&rng) % 1000);
  }
  fill_normal(&rng, host(problem, args.q), (size_t)s->batch * s->rows * s->dk, 2.0);
  fill_normal(&rng, host(problem, args.k), (size_t)s->batch * s->keys * s->dk, 1.0);
  if (!s->shared_kv) {
    fill_normal(&rng, host(problem, args.v), (size_t)s->batch * s->keys * s->dv, 1.0);
  }
  problem->attn = (num_attn_t){.rows = s->rows,
                               .keys = s->keys,
                               .dk = s->dk,
                               .dv = s->dv,
                               .ldk = s->dk,
                               .ldv = args.v_pitch / 2,
                               .scale = 0.125f,
                               .block = s->block,
                               .splits = s->splits,
                               .visible = s->masked ? fill_mask(problem, &rng) : NULL};
}

// Output values that differ from the contract's in any bit.
static size_t wrong_values(const void *of) {
  const problem_t *problem = of;
  const float *expected = problem->expected;
  const shape_t *s = &problem->shape;
  const size_t count = (size_t)s->batch * s->rows * s->dv;
  const void *out = host(problem, problem->args->out);
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    wrong += s->bf16 ? ((const uint16_t *)out)[i] != num_bf16_from_f32(expected[i])
                     : ((const uint32_t *)out)[i] != num_f32_bits(expected[i]);
  }
  return wrong;
}

static float *reference(const problem_t *problem, bool amla) {
  const shape_t *s = &problem->shape;
  const attention_args_t *args = problem->args;
  const size_t entry = (size_t)s->rows * s->dv;
  float *expected = allocate(s->batch * entry, sizeof *expected);
  for (uint32_t b = 0; b < s->batch; ++b) {
    num_attn_t attn = problem->attn;
    attn.q = host(problem, args->q + (uint64_t)b * s->rows * s->dk * 2);
    attn.k = host(problem, args->k + b * args->k_batch);
    attn.v = host(problem, args->v + b * args->v_batch);
    const unsigned flags = s->skip ? NUM_ATTN_SKIP_NOOP : 0;
    const int status = amla ? num_attn_amla(&attn, NUM_ISA_AUTO, flags, expected + b * entry, NULL)
                            : num_attn_base(&attn, NUM_ISA_AUTO, expected + b * entry);
    assert_int_equal(status, 0);
  }
  return expected;
}

static const shape_t shapes[] = {
    // The kernels' own size, and its neighbours.
    {128, 1100, 576, 512, 512, 2, .shared_kv = true},
    {256, 1024, 576, 512, 512, 2, .shared_kv = true, .bf16 = true},
    {129, 1537, 576, 512, 512, 2, .masked = true},
    {127, 600, 300, 257, 256, 1, .rescale = RESCALE_ROW},
    // One of everything.
    {1, 1, 1, 1, 16, 2, .batch = 1},
    {1, 40, 40, 7, 16, 0, .batch = 1},
    {1, 700, 40, 7, 16, 2, .batch = 3},
    {2, 17, 40, 7, 16, 1, .batch = 20},
    {1, 5, 20, 9, 32, 2, .batch = 40},
    // Rows: chunks of 16 and 8, cores with few or none.
    {15, 100, 64, 33, 48, 2, .masked = true},
    {16, 100, 64, 33, 48, 1, .masked = true, .bf16 = true},
    {17, 100, 64, 33, 48, 0, .masked = true},
    {33, 300, 96, 64, 64, 2, .rescale = RESCALE_ROW, .masked = true, .batch = 2},
    // Two m-tiles with one stripe or two of Q, and of P.
    {200, 520, 200, 40, 128, 2, .batch = 2},
    {200, 1500, 200, 140, 512, 1, .batch = 2},
    {200, 520, 400, 40, 128, 0, .batch = 2},
    {200, 1025, 400, 300, 512, 2, .batch = 2, .masked = true},
    // Edges of keys and k.
    {20, 511, 288, 128, 512, 2, .batch = 1},
    {20, 512, 289, 129, 512, 1, .batch = 1},
    {20, 513, 575, 127, 512, 0, .batch = 1},
    {20, 1025, 96, 512, 256, 2, .batch = 3},
    {20, 1040, 97, 16, 272, 1, .batch = 3, .bf16 = true},
    // Other machines.
    {40, 900, 576, 512, 512, 2, .depth = 1, .batch = 2},
    {200, 900, 576, 512, 512, 0, .depth = 1, .batch = 2},
    {200, 1200, 576, 512, 256, 2, .depth = 1, .batch = 2},
    // C2 of fewer steps than loads are ahead.
    {32, 300, 576, 16, 16, 2, .depth = 1},
    {32, 300, 576, 64, 16, 2, .depth = 1},
    {32, 300, 576, 16, 32, 1, .depth = 2},
    {30, 300, 64, 32, 64, 2, .ai_cores = 3, .batch = 5},
    {30, 300, 64, 32, 64, 1, .ai_cores = 2, .batch = 1, .rescale = RESCALE_ROW},
    {100, 300, 64, 32, 64, 2, .vector_cores = 1},
    {9, 300, 64, 32, 64, 2, .vector_cores = 4, .batch = 2},
    // Groups of rows, the last one short; with one core and with more than there are groups.
    {150, 300, 64, 32, 64, 2, .group = 64, .ai_cores = 2, .masked = true},
    {150, 200, 300, 40, 64, 1, .group = 144, .batch = 2, .masked = true},
    {40, 200, 64, 32, 64, 0, .group = 16, .ai_cores = 4, .rescale = RESCALE_ROW, .bf16 = true},
    // Splits: even, uneven, one a block, fewer cores than units and more; a row without a key.
    {33, 300, 64, 33, 64, 2, .splits = 2, .masked = true, .ai_cores = 2},
    {33, 600, 64, 512, 48, 1, .splits = 5, .masked = true, .ai_cores = 3, .bf16 = true},
    {1, 160, 40, 7, 32, 0, .splits = 5, .batch = 2, .depth = 1, .ai_cores = 2},
    {129, 700, 96, 64, 128, 2, .splits = 3, .group = 112, .masked = true, .ai_cores = 4},
    {70, 1100, 576, 512, 512, 2, .splits = 3, .ai_cores = 4, .rescale = RESCALE_ROW},
    // Tilings.
    {256, 1100, 576, 512, 512, 2, .tiling = TILING_TUNED, .shared_kv = true},
    {129, 1537, 576, 512, 512, 1, .tiling = TILING_TUNED, .masked = true},
    {100, 1100, 576, 512, 512, 2, .tiling = TILING_TUNED, .kv_buffers = 6, .batch = 2},
    {200, 700, 530, 257, 496, 0, .tiling = TILING_TUNED, .depth = 1, .batch = 2},
    {200, 700, 530, 257, 496, 2, .tiling = TILING_TUNED, .kv_buffers = 3, .depth = 2},
    {200, 300, 40, 33, 48, 2, .tiling = TILING_TUNED, .group = 144, .ai_cores = 2},
    {256, 1100, 576, 512, 512, 1, .tiling = TILING_SINGLE, .shared_kv = true},
    {129, 700, 300, 257, 256, 2, .tiling = TILING_SINGLE, .masked = true, .depth = 1},
    {30, 700, 300, 40, 256, 0, .tiling = TILING_SINGLE, .batch = 2},
    {256, 1100, 576, 512, 512, 2, .kv_buffers = 6, .qp_buffers = QP_SEPARATE},
    {200, 1537, 576, 300, 512, 1, .kv_buffers = 2, .qp_buffers = QP_SEPARATE, .batch = 2},
    {200, 1537, 500, 300, 512, 2, .kv_buffers = 8, .batch = 2},
    {200, 1100, 576, 300, 512, 2, .tiling = TILING_TUNED, .qp_buffers = QP_SEPARATE, .batch = 2},
    // Rows that need no rescale are left out.
    {150, 700, 64, 300, 64, 2, .skip = true, .masked = true},
    {150, 700, 64, 300, 64, 2, .skip = true, .masked = true, .rescale = RESCALE_ROW},
};

enum { SEEDS = 2 };

static void every_order(bool amla) {
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    problem_t problem;
    problem_init(&problem, shapes[i]);
    problem.expected = reference(&problem, amla);
    machine_options_t *machine = &problem.schedule.machine;
    machine->firmware = amla ? FIRMWARE_DIR "/amla.so" : FIRMWARE_DIR "/base.so";
    machine->ai_cores = problem.shape.ai_cores;
    machine->vector_cores = problem.shape.vector_cores;
    machine->queue_depth = problem.shape.depth;
    schedule_every_order(&problem.schedule, SEEDS, i, wrong_values, &problem);
    free(problem.expected);
    free((void *)(uintptr_t)problem.attn.visible);
    free(problem.schedule.gm);
  }
}

TEST(base_every_order) { every_order(false); }
TEST(amla_every_order) { every_order(true); }
