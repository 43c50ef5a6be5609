// EMBED: rows of the embedding, gathered by token number, widened and scaled in place.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/vector/step_vector.h"

enum { SLOTS = 3, SLOT = 64 * 1024, TILE = 32 * 1024, ROWS_MAX = 1024 };
_Static_assert(SLOTS *SLOT <= UB_BYTES, "UB is too small");
_Static_assert(4 * STEP_MAX_COLS <= SLOT, "a row does not fit");

void step_embed_vector(const step_embed_args_t *args) {
  const uint32_t cols = args->cols, pitch = round_up(4 * cols, UB_ALIGN);
  require(args->rows >= 1 && cols >= 1 && cols <= STEP_MAX_COLS && (args->type == TYPE_BF16 || args->type == TYPE_F16),
          PANIC_ARGUMENTS);
  const uint32_t tile = min_u32(ROWS_MAX, max_u32(1, TILE / pitch));
  const slots_t slots = slots_at(0, SLOT, SLOTS);
  const share_t share = share_of(args->rows);
  uint32_t load = share.first, loads = 0;
  ring_open(&slots.back);
  for (uint32_t row = share.first, use = 0; row < share.end; row += tile, ++use) {
    for (; load < share.end && loads < use + SLOTS; load += tile, ++loads) {
      ring_wait_free(&slots.back, loads);
      data_gather_gm_to_ub(.gm = args->table, .gm_pitch = args->table_pitch, .list = args->tokens, .first = load,
                           .page = 1, .ub = ring_slot(&slots.in, loads), .ub_pitch = pitch,
                           .rows = min_u32(tile, share.end - load), .row_bytes = 2 * cols);
      ring_set_full(&slots.in, loads);
    }
    const uint32_t rows = min_u32(tile, share.end - row), x = ring_slot(&slots.in, use);
    ring_wait_full(&slots.in, use);
    vector_op(.op = VOP_CAST, .rows = rows, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
              .from = args->type, .to = TYPE_F32);
    if (args->scale != F32_ONE) {
      vector_op(.op = VOP_MUL, .rows = rows, .cols = cols, .dst = x, .dst_pitch = pitch, .a = x, .a_pitch = pitch,
                by_scalar(args->scale));
    }
    ring_set_full(&slots.out, use);
    ring_wait_full(&slots.out, use);
    data_copy_ub_to_gm(.ub = x, .ub_pitch = pitch, .gm = args->x + (uint64_t)row * 4 * cols, .gm_pitch = 4 * cols,
                       .rows = rows, .row_bytes = 4 * cols, .op = GM_STORE);
    ring_set_free(&slots.back, use);
  }
  ring_drain(&slots.back);
}
