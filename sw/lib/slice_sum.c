// SPDX-License-Identifier: Apache-2.0
#include "lib/slice_sum.h"

#include "hal/hal.h"
#include "lib/ring.h"
#include "lib/tiling.h"

enum {
  SLOTS = 2,
  IN_BYTES = 64 * 1024,  // of the partial sums of a chunk
  OUT_BYTES = 32 * 1024,
  ALIGN = 64,  // elements
  EVENT = 16,  // of its flags: those of what was in UB before may still be up
};

typedef struct reduction {
  const slice_sum_t *sum;
  uint32_t chunk;        // elements
  uint32_t first, step;  // this core's chunks: first, first + step, ...
  ring_t in, out;
} reduction_t;

static uint32_t chunk_of(const slice_sum_t *sum, uint32_t cores) {
  const uint32_t most = min_u32(OUT_BYTES / 4, IN_BYTES / 4 / sum->slices / ALIGN * ALIGN);
  const uint64_t fair = (sum->elements + cores - 1) / cores;
  return fair >= most ? most : round_up((uint32_t)fair, ALIGN);
}

static void reduction_open(reduction_t *r, const slice_sum_t *sum) {
  const uint32_t subs = (uint32_t)hal_read(REG_SUB_COUNT);
  const uint32_t index = (uint32_t)hal_read(REG_SUB_INDEX);
  r->sum = sum;
  r->step = (uint32_t)hal_read(REG_CORE_COUNT) * subs;
  r->first = (uint32_t)hal_read(REG_CORE_INDEX) * subs + index;
  r->chunk = chunk_of(sum, r->step);
  r->in = (ring_t){PIPE_MTE2, PIPE_V, EVENT, SLOTS, 0, IN_BYTES};
  r->out = (ring_t){PIPE_V, PIPE_MTE3, EVENT, SLOTS, SLOTS * IN_BYTES, OUT_BYTES};
}

static uint32_t length(const reduction_t *r, uint64_t start) {
  const uint64_t left = r->sum->elements - start;
  return left < r->chunk ? (uint32_t)left : r->chunk;
}

static void load(const reduction_t *r, uint64_t start, uint32_t use) {
  const uint32_t count = length(r, start);
  ring_wait_free(&r->in, use);
  // Rows are the partial sums.  They may lie far apart, so each is a move of its own.
  for (uint32_t i = 0; i < r->sum->slices; ++i) {
    data_copy_gm_to_ub(.gm = r->sum->partial + i * r->sum->partial_bytes + 4 * start, .gm_pitch = 4 * count,
                       .ub = ring_slot(&r->in, use) + i * 4 * r->chunk, .ub_pitch = round_up(4 * count, 32), .rows = 1,
                       .row_bytes = 4 * count);
  }
  ring_set_full(&r->in, use);
}

static void add(const reduction_t *r, uint64_t start, uint32_t use) {
  const uint32_t count = length(r, start);
  const uint32_t total = ring_slot(&r->in, use);
  const uint32_t out = ring_slot(&r->out, use);
  const uint32_t pitch = round_up(4 * count, 32);
  ring_wait_full(&r->in, use);
  for (uint32_t i = 1; i < r->sum->slices; ++i) {
    vector_op(.op = VOP_ADD, .rows = 1, .cols = count, .dst = total, .dst_pitch = pitch, .a = total, .a_pitch = pitch,
              .b = total + i * 4 * r->chunk, .b_pitch = pitch);
  }
  ring_wait_free(&r->out, use);
  if (r->sum->type == TYPE_F32) {
    // As it is: the lowest of a value and itself.
    vector_op(.op = VOP_MIN, .rows = 1, .cols = count, .dst = out, .dst_pitch = pitch, .a = total, .a_pitch = pitch,
              .b = total, .b_pitch = pitch);
  } else {
    vector_op(.op = VOP_CAST, .rows = 1, .cols = count, .dst = out, .dst_pitch = pitch, .a = total, .a_pitch = pitch,
              .from = TYPE_F32, .to = r->sum->type);
  }
  ring_set_free(&r->in, use);
  ring_set_full(&r->out, use);
}

static void store(const reduction_t *r, uint64_t start, uint32_t use) {
  const uint32_t bytes = length(r, start) * (r->sum->type == TYPE_F32 ? 4 : 2);
  ring_wait_full(&r->out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&r->out, use), .ub_pitch = round_up(bytes, 32),
                     .gm = r->sum->out + start * (r->sum->type == TYPE_F32 ? 4 : 2), .gm_pitch = bytes, .rows = 1,
                     .row_bytes = bytes, .op = GM_STORE);
  ring_set_free(&r->out, use);
}

void slice_sum_add(const slice_sum_t *sum, uint32_t flag) {
  reduction_t r;
  reduction_open(&r, sum);
  const uint64_t step = (uint64_t)r.step * r.chunk;
  uint64_t start = (uint64_t)r.first * r.chunk;
  uint32_t use = 0;
  ring_open(&r.in);
  ring_open(&r.out);
  // Data that were in UB before were stored before that flag, too.
  cross_core_wait_flag(PIPE_MTE2, flag);
  if (start < sum->elements) {
    load(&r, start, use);
  }
  for (; start < sum->elements; start += step, ++use) {
    if (start + step < sum->elements) {
      load(&r, start + step, use + 1);
    }
    add(&r, start, use);
    store(&r, start, use);
  }
  ring_drain(&r.in);
  ring_drain(&r.out);
}
