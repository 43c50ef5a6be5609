// Private to the gemm kernels: MTE2 loads pieces of a and b into L1.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_GEMM_GEMM_LOAD_H
#define AMALGAM_SW_KERNELS_GEMM_GEMM_LOAD_H

#include "kernels/gemm/gemm_problem.h"

// The next load: of a's piece that `piece` is in, or of b's.
typedef struct loader {
  place_t place;
  uint32_t piece;
  bool b;
} loader_t;

static void load_a(const gemm_t *gemm, const loader_t *next, uint32_t use) {
  const gemm_args_t *args = &gemm->args;
  const ring_t *ring = &gemm->ring[RING_A];
  const uint32_t k = next->piece * DEPTH;
  ring_wait_free(ring, use);
  data_copy_gm_to_l1(.gm = args->a + (uint64_t)next->place.row * args->a_pitch + 2 * k, .gm_pitch = args->a_pitch,
                     .l1 = ring_slot(ring, use), .rows = next->place.rows, .cols = min_u32(A_DEPTH, args->k - k));
  ring_set_full(ring, use);
}

static void load_b(const gemm_t *gemm, const loader_t *next, uint32_t use) {
  const gemm_args_t *args = &gemm->args;
  const ring_t *ring = &gemm->ring[b_ring(gemm, next->piece)];
  const uint32_t k = next->piece * DEPTH;
  ring_wait_free(ring, use);
  data_copy_gm_to_l1(.gm = args->b + (uint64_t)k * args->b_pitch + 2 * next->place.col, .gm_pitch = args->b_pitch,
                     .l1 = ring_slot(ring, use), .rows = min_u32(DEPTH, args->k - k), .cols = next->place.cols);
  ring_set_full(ring, use);
}

static void next_load(const gemm_t *gemm, loader_t *next) {
  do {
    if (next->b) {
      next->piece++;
    }
    next->b = !next->b || next->piece % (A_DEPTH / DEPTH) != 0;
    if (next->piece == gemm->pieces) {
      next_place(gemm, &next->place);
      next->piece = 0;
      next->b = false;
    }
  } while (next->b && !loads_b(gemm, &next->place, next->piece));
}

// All loads that may be pushed, in the order of their use: those whose slot is free once what is
// pushed already is done.  For if MTE2's queue were full of others, this program would wait for it
// and could not push what frees their slots.
static void load_some(const gemm_t *gemm, loader_t *next) {
  while (next->place.tile < gemm->tiles) {
    const enum ring_name ring = next->b ? b_ring(gemm, next->piece) : RING_A;
    const uint32_t use = next->b ? b_use(gemm, &next->place, next->piece) : a_use(gemm, &next->place, next->piece);
    if (use >= gemm->room[ring]) {
      return;
    }
    if (next->b) {
      load_b(gemm, next, use);
    } else {
      load_a(gemm, next, use);
    }
    next_load(gemm, next);
  }
}

#endif
