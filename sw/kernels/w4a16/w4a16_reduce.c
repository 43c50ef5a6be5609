// The reduction: c = partial 0 + partial 1 + ..., in FP32, then cast.  Chunks of c, taken as one long
// row, are dealt to all vector cores.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/w4a16/w4a16_problem.h"
#include "lib/ring.h"

enum {
  SLOTS = 2,
  IN_BYTES = 64 * 1024,  // of the partial sums of a chunk
  OUT_BYTES = 32 * 1024,
  ALIGN = 64,            // elements
  EVENT = 16,            // of its flags: the dequantisation's may still be up
};

typedef struct reduction {
  const w4a16_args_t *args;
  uint64_t elements;
  uint32_t chunk;         // elements
  uint32_t first, step;   // this core's chunks: first, first + step, ...
  ring_t in, out;
} reduction_t;

static uint32_t chunk_of(const w4a16_args_t *args, uint64_t elements, uint32_t cores) {
  const uint32_t most =
      min_u32(OUT_BYTES / 4, IN_BYTES / 4 / args->splits / ALIGN * ALIGN);
  const uint64_t fair = (elements + cores - 1) / cores;
  return fair >= most ? most : round_up((uint32_t)fair, ALIGN);
}

static void reduction_open(reduction_t *r, const w4a16_t *problem) {
  const w4a16_args_t *args = &problem->args;
  const uint32_t subs = (uint32_t)hal_read(REG_SUB_COUNT);
  const uint32_t sub = (uint32_t)hal_read(REG_SUB_INDEX);
  r->args = args;
  r->elements = (uint64_t)args->m * args->n;
  r->step = problem->cores * subs;
  r->first = problem->core * subs + sub;
  r->chunk = chunk_of(args, r->elements, r->step);
  r->in = (ring_t){PIPE_MTE2, PIPE_V, EVENT, SLOTS, 0, IN_BYTES};
  r->out = (ring_t){PIPE_V, PIPE_MTE3, EVENT, SLOTS, SLOTS * IN_BYTES, OUT_BYTES};
}

static uint32_t length(const reduction_t *r, uint64_t start) {
  const uint64_t left = r->elements - start;
  return left < r->chunk ? (uint32_t)left : r->chunk;
}

static void load(const reduction_t *r, uint64_t start, uint32_t use) {
  const uint32_t count = length(r, start);
  ring_wait_free(&r->in, use);
  // Rows are the partial sums.  They may lie far apart, so each is a move of its own.
  for (uint32_t i = 0; i < r->args->splits; i++) {
    data_copy_gm_to_ub(.gm = r->args->partial + i * r->args->partial_bytes + 4 * start,
                       .gm_pitch = 4 * count, .ub = ring_slot(&r->in, use) + i * 4 * r->chunk,
                       .ub_pitch = round_up(4 * count, 32), .rows = 1, .row_bytes = 4 * count);
  }
  ring_set_full(&r->in, use);
}

static void add(const reduction_t *r, uint64_t start, uint32_t use) {
  const uint32_t count = length(r, start);
  const uint32_t sum = ring_slot(&r->in, use);
  const uint32_t out = ring_slot(&r->out, use);
  const uint32_t pitch = round_up(4 * count, 32);
  ring_wait_full(&r->in, use);
  for (uint32_t i = 1; i < r->args->splits; i++) {
    vector_op(.op = VOP_ADD, .rows = 1, .cols = count, .dst = sum, .dst_pitch = pitch, .a = sum,
              .a_pitch = pitch, .b = sum + i * 4 * r->chunk, .b_pitch = pitch);
  }
  ring_wait_free(&r->out, use);
  if (r->args->out_f32) {
    // As it is: the lowest of a value and itself.
    vector_op(.op = VOP_MIN, .rows = 1, .cols = count, .dst = out, .dst_pitch = pitch, .a = sum,
              .a_pitch = pitch, .b = sum, .b_pitch = pitch);
  } else {
    vector_op(.op = VOP_CAST, .rows = 1, .cols = count, .dst = out, .dst_pitch = pitch, .a = sum,
              .a_pitch = pitch, .from = TYPE_F32, .to = TYPE_F16);
  }
  ring_set_free(&r->in, use);
  ring_set_full(&r->out, use);
}

static void store(const reduction_t *r, uint64_t start, uint32_t use) {
  const uint32_t bytes = length(r, start) * (r->args->out_f32 ? 4 : 2);
  ring_wait_full(&r->out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&r->out, use), .ub_pitch = round_up(bytes, 32),
                     .gm = r->args->c + start * (r->args->out_f32 ? 4 : 2), .gm_pitch = bytes,
                     .rows = 1, .row_bytes = bytes, .op = GM_STORE);
  ring_set_free(&r->out, use);
}

void w4a16_reduce(const w4a16_t *problem) {
  reduction_t r;
  reduction_open(&r, problem);
  const uint64_t step = (uint64_t)r.step * r.chunk;
  uint64_t start = (uint64_t)r.first * r.chunk;
  uint32_t use = 0;
  ring_open(&r.in);
  ring_open(&r.out);
  // UB was the dequantisation's, whose last stores came before that flag, too.
  cross_core_wait_flag(PIPE_MTE2, FLAG_MULTIPLIED);
  if (start < r.elements) {
    load(&r, start, use);
  }
  for (; start < r.elements; start += step, use++) {
    if (start + step < r.elements) {
      load(&r, start + step, use + 1);
    }
    add(&r, start, use);
    store(&r, start, use);
  }
  ring_drain(&r.in);
  ring_drain(&r.out);
}
