// ROPE: queries' last columns rotated: x * cosine, then one FMA with the pair's other one.
//
// A unit is some heads of a token; a tile several tokens if these lie end to end.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "kernels/step/vector/step_vector.h"

enum {
  SLOTS = 3,
  ROWS = 16 * 1024,  // FP32 rows of a tile
  ANGLES = 8 * 1024,
  SWAPPED = SLOTS * (ROWS + ANGLES),
};
_Static_assert(SWAPPED + ROWS <= UB_BYTES, "UB is too small");

typedef struct rope {
  const step_rope_args_t *args;
  uint32_t pitch;                  // of a row
  uint32_t heads, chunks, tokens;  // heads of a unit, units of a token, tokens of a tile
  slots_t slots;
} rope_t;

// Heads that a core takes at a time: so many that all cores have some.
static void open(rope_t *r, const step_rope_args_t *args) {
  r->args = args;
  r->pitch = 4 * args->rope;
  require(args->tokens >= 1 && args->heads >= 1 && args->rope >= 16 && args->rope % 16 == 0 && 2 * r->pitch <= ANGLES,
          PANIC_ARGUMENTS);
  const uint32_t most = ROWS / r->pitch;
  const uint32_t wanted = max_u32(ceil_div(args->heads, most), ceil_div(vector_cores(), args->tokens));
  r->heads = ceil_div(args->heads, min_u32(args->heads, wanted));
  r->chunks = ceil_div(args->heads, r->heads);
  const bool end_to_end =
      r->chunks == 1 && args->q_pitch == args->heads * args->q_head && args->out_pitch == args->heads * args->out_head;
  r->tokens = end_to_end ? min_u32(most / r->heads, ANGLES / (2 * r->pitch)) : 1;
  r->slots = slots_at(0, ROWS + ANGLES, SLOTS);
}

// Rows of the tile that begins with a unit of token unit / chunks.
static uint32_t rows_of(const rope_t *r, uint32_t unit, uint32_t units) {
  return r->chunks == 1 ? units * r->heads : tile_length(r->args->heads, r->heads, unit % r->chunks);
}

static void load(const rope_t *r, uint32_t unit, uint32_t units, uint32_t use) {
  const step_rope_args_t *args = r->args;
  const uint32_t token = unit / r->chunks, head = unit % r->chunks * r->heads, x = ring_slot(&r->slots.in, use);
  ring_wait_free(&r->slots.back, use);
  data_copy_gm_to_ub(.gm = args->q + (uint64_t)token * args->q_pitch + head * args->q_head, .gm_pitch = args->q_head,
                     .ub = x, .ub_pitch = r->pitch, .rows = rows_of(r, unit, units), .row_bytes = 2 * args->rope);
  data_copy_gm_to_ub(.gm = args->angles + (uint64_t)token * 2 * r->pitch, .gm_pitch = 2 * r->pitch, .ub = x + ROWS,
                     .ub_pitch = 2 * r->pitch, .rows = units, .row_bytes = 2 * r->pitch);
  ring_set_full(&r->slots.in, use);
}

static void compute(const rope_t *r, uint32_t unit, uint32_t units, uint32_t use) {
  const uint32_t x = ring_slot(&r->slots.in, use), rows = rows_of(r, unit, units), cols = r->args->rope,
                 pitch = r->pitch;
  const uint32_t of_unit = rows / units;
  ring_wait_full(&r->slots.in, use);
  vector_op(.op = VOP_CAST, .rows = rows, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
            .from = TYPE_F16, .to = TYPE_F32);
  vector_op(.op = VOP_SWAP, .rows = rows, .cols = cols, .dst = SWAPPED, .dst_pitch = pitch, .a = x, .a_pitch = pitch);
  for (uint32_t i = 0; i < units; ++i) {
    const uint32_t angles = x + ROWS + i * 2 * pitch, at = i * of_unit * pitch;
    vector_op(.op = VOP_MUL, .rows = of_unit, .cols = cols, .dst = x + at, .dst_pitch = pitch, .a = x + at,
              .a_pitch = pitch, .b = angles, .b_pitch = 0);
    vector_op(.op = VOP_FMA, .rows = of_unit, .cols = cols, .dst = SWAPPED + at, .dst_pitch = pitch, .a = SWAPPED + at,
              .a_pitch = pitch, .b = angles + pitch, .b_pitch = 0, .c = x + at, .c_pitch = pitch);
  }
  vector_op(.op = VOP_CAST, .rows = rows, .cols = cols, .dst = x, .dst_pitch = pitch, .a = SWAPPED, .a_pitch = pitch,
            .from = TYPE_F32, .to = TYPE_BF16);
  ring_set_full(&r->slots.out, use);
}

static void store(const rope_t *r, uint32_t unit, uint32_t units, uint32_t use) {
  const step_rope_args_t *args = r->args;
  const uint32_t token = unit / r->chunks, head = unit % r->chunks * r->heads;
  ring_wait_full(&r->slots.out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&r->slots.in, use), .ub_pitch = r->pitch,
                     .gm = args->out + (uint64_t)token * args->out_pitch + head * args->out_head,
                     .gm_pitch = args->out_head, .rows = rows_of(r, unit, units), .row_bytes = 2 * args->rope,
                     .op = GM_STORE);
  ring_set_free(&r->slots.back, use);
}

void step_rope_vector(const step_rope_args_t *args) {
  rope_t r;
  open(&r, args);
  const share_t share = share_of(args->tokens * r.chunks);
  uint32_t next = share.first, loads = 0;
  ring_open(&r.slots.back);
  for (uint32_t unit = share.first, use = 0; unit < share.end; unit += r.tokens, ++use) {
    for (; next < share.end && loads < use + SLOTS; next += r.tokens, ++loads) {
      load(&r, next, min_u32(r.tokens, share.end - next), loads);
    }
    const uint32_t units = min_u32(r.tokens, share.end - unit);
    compute(&r, unit, units, use);
    store(&r, unit, units, use);
  }
  ring_drain(&r.slots.back);
}
