// Private to the gemm kernels: MTE1 takes operands to L0, M multiplies, FIX stores c.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_GEMM_GEMM_MULTIPLY_H
#define AMALGAM_SW_KERNELS_GEMM_GEMM_MULTIPLY_H

#include "kernels/gemm/gemm_problem.h"

// A half of a tile.
typedef struct half {
  uint32_t col, cols;  // in the tile
  bool first, last;    // of the tile's halves
  uint32_t part;       // columns of what has a slot of L0C
  uint32_t number;     // of the first part, among this core's
} half_t;

static void free_slot(gemm_t *gemm, enum ring_name ring, uint32_t use) {
  ring_set_free(&gemm->ring[ring], use);
  gemm->room[ring]++;
}

// a's and b's part of one MMAD to L0A and L0B.
static void move_operands(gemm_t *gemm, const place_t *place, const half_t *half, uint32_t piece, uint32_t depth,
                          uint32_t part) {
  const ring_t *a = &gemm->ring[RING_A];
  const ring_t *b = &gemm->ring[b_ring(gemm, piece)];
  const uint32_t left = a_use(gemm, place, piece);
  const uint32_t right = b_use(gemm, place, piece);
  const uint32_t left_pitch = round_up(place->rows, STRIP) * STRIP_ROW;
  const uint32_t right_pitch = round_up(depth, STRIP) * STRIP_ROW;
  const uint32_t skipped = piece % (A_DEPTH / DEPTH) * DEPTH;  // of a's piece
  if (half->first && skipped == 0) {
    ring_wait_full(a, left);
  }
  load_data_a(.l1 = ring_slot(a, left) + skipped / STRIP * left_pitch, .l1_pitch = left_pitch, .l0a = part,
              .m = place->rows, .k = depth);
  if (half->first && loads_b(gemm, place, piece)) {
    ring_wait_full(b, right);
  }
  load_data_b(.l1 = ring_slot(b, right) + half->col / STRIP * right_pitch, .l1_pitch = right_pitch, .l0b = part,
              .k = depth, .n = half->cols);
  if (half->last && frees_b(gemm, place, piece)) {
    free_slot(gemm, b_ring(gemm, piece), right);
  }
  if (half->last && (skipped + DEPTH == A_DEPTH || piece + 1 == gemm->pieces)) {
    free_slot(gemm, RING_A, left);
  }
}

// One MMAD for each part of the half that has L0C to itself.
static void multiply(gemm_t *gemm, const place_t *place, const half_t *half, uint32_t piece) {
  const ring_t *l0 = &gemm->ring[RING_L0];
  const ring_t *l0c = &gemm->ring[RING_L0C];
  const uint32_t use = gemm->products++;
  const uint32_t part = ring_slot(l0, use);
  const uint32_t depth = tile_length(gemm->args.k, DEPTH, piece);
  const uint32_t strip = round_up(depth, STRIP) * STRIP_ROW;

  ring_wait_free(l0, use);
  move_operands(gemm, place, half, piece, depth, part);
  ring_set_full(l0, use);

  ring_wait_full(l0, use);
  for (uint32_t col = 0, number = half->number; col < half->cols; col += half->part, ++number) {
    if (piece == 0) {
      ring_wait_free(l0c, number);
    }
    mmad(.l0a = part, .l0b = part + col / STRIP * strip, .l0c = ring_slot(l0c, number), .m = place->rows,
         .n = min_u32(half->part, half->cols - col), .k = depth, .accumulate = piece == 0 ? 0 : 1,
         .type = gemm->args.type);
    if (piece + 1 == gemm->pieces) {
      ring_set_full(l0c, number);
    }
  }
  ring_set_free(l0, use);
}

static void store(const gemm_t *gemm, const place_t *place, const half_t *half) {
  const gemm_args_t *args = &gemm->args;
  const ring_t *l0c = &gemm->ring[RING_L0C];
  const uint32_t bytes = c_bytes(gemm);
  const uint64_t gm = args->c + (uint64_t)place->row * args->c_pitch + bytes * (place->col + half->col);
  for (uint32_t col = 0, number = half->number; col < half->cols; col += half->part, ++number) {
    ring_wait_full(l0c, number);
    fixpipe(.l0c = ring_slot(l0c, number), .m = place->rows, .n = min_u32(half->part, half->cols - col),
            .gm = gm + bytes * col, .gm_pitch = args->c_pitch, .type = c_type(gemm), .op = GM_STORE);
    ring_set_free(l0c, number);
  }
}

#endif
