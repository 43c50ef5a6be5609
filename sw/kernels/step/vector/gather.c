// GATHER: rows of tokens to their slots, expert by expert. A token's row is loaded once, and stored as often as it is
// chosen.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/routing.h"
#include "kernels/step/vector/step_vector.h"

enum { SLOTS = 3, SLOT = 64 * 1024, TILE = 32 * 1024, ROWS_MAX = 256 };
_Static_assert(SLOTS *SLOT <= UB_BYTES, "UB is too small");

static const ring_t ring = {PIPE_MTE2, PIPE_MTE3, 0, SLOTS, 0, SLOT};

static void load(const step_gather_args_t *args, uint32_t token, uint32_t tokens, uint32_t use, uint32_t pitch) {
  ring_wait_free(&ring, use);
  data_copy_gm_to_ub(.gm = args->x + (uint64_t)token * args->pitch, .gm_pitch = args->pitch,
                     .ub = ring_slot(&ring, use), .ub_pitch = pitch, .rows = tokens, .row_bytes = 2 * args->cols);
  ring_set_full(&ring, use);
}

static void store(const step_gather_args_t *args, routing_t *routing, uint32_t token, uint32_t ub) {
  for (uint32_t j = 0; j < args->routing.top; ++j) {
    const uint32_t slot = routing_take(routing, token * args->routing.top + j);
    if (slot != ROUTING_ELSEWHERE) {
      data_copy_ub_to_gm(.ub = ub, .ub_pitch = UB_ALIGN, .gm = args->out + (uint64_t)slot * args->pitch,
                         .gm_pitch = args->pitch, .rows = 1, .row_bytes = 2 * args->cols, .op = GM_STORE);
    }
  }
}

void step_gather_vector(const step_gather_args_t *args) {
  const uint32_t pitch = round_up(2 * args->cols, UB_ALIGN);
  require(args->cols >= 1 && pitch <= SLOT, PANIC_ARGUMENTS);
  const uint32_t tile = min_u32(ROWS_MAX, max_u32(1, TILE / pitch));
  const share_t share = share_of(args->routing.tokens);
  if (share.first == share.end) {
    return;
  }
  routing_t routing;
  routing_read(&routing, &args->routing);
  for (uint32_t i = 0; i < share.first * args->routing.top; ++i) {
    routing_take(&routing, i);
  }
  uint32_t next = share.first, loads = 0;
  ring_open(&ring);
  for (uint32_t token = share.first, use = 0; token < share.end; token += tile, ++use) {
    for (; next < share.end && loads < use + SLOTS; next += tile, ++loads) {
      load(args, next, min_u32(tile, share.end - next), loads, pitch);
    }
    ring_wait_full(&ring, use);
    for (uint32_t i = 0; i < min_u32(tile, share.end - token); ++i) {
      store(args, &routing, token + i, ring_slot(&ring, use) + i * pitch);
    }
    ring_set_free(&ring, use);
  }
  ring_drain(&ring);
}
