// c = a x b on the cube cores, see gemm_args.h, as the kernel that includes this file has it: gemm.c,
// gemm_fp16.c.  It says where the arguments are, and what of the result it may choose.
//
//            k             n                       at once
//        +-------+     +-------+        c tile     128 x 256, all of L0C
//      m |   a   |   k |   b   |        a piece    128 x 256 (k), 64 KB of L1
//        +-------+     +-------+        b piece    128 (k) x 256, 64 KB of L1
//
//   for tiles of c, those below each other first:
//     for k by chunks, for both halves of the tile's columns, for k by 128:
//       one MMAD of 128 x 128 x 128, or two of 128 x 64 x 128
//     FIX takes each half to global memory when its last chunk is done
//
// Only moves of 16 KB or more that start at a multiple of 512 bytes run at the full rate, which
// gives the pieces their shapes.  A load is there two thousand cycles after its last byte: 160 KB
// must be under way to keep MTE2 busy, which the seven slots of pieces that pass just allow.
//
// b's first pieces stay in L1 for all tiles of a column of tiles.  If k is at most 512 these are
// all of them, only a is loaded for each tile, and a half runs through all of k: FIX has the other
// half's time for it.  That is too short with k up to 256; then L0C is cut into quarters, which
// come and go one by one.  The first and the last tile of a column take smaller chunks, for the
// pieces come one after the other, and give their slots back sooner.
//
// With a longer k a chunk is one piece of a.  MTE2 takes up to 15 % longer than M then, as L0C has
// no room for a larger tile; the one piece of b that there is a slot for makes up for a little.
//
// Tiles get smaller when there are not enough for all AI cores.  None of this shows in the bits:
// every chain takes its products in ascending k.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_GEMM_GEMM_IMPL_H
#define AMALGAM_SW_KERNELS_GEMM_GEMM_IMPL_H

#include "kernels/gemm/gemm_load.h"
#include "kernels/gemm/gemm_multiply.h"
#include "kernels/gemm/gemm_problem.h"

// The pieces from first to end, for both halves.
static void multiply_chunk(gemm_t *gemm, loader_t *loads, const place_t *place, uint32_t first, uint32_t end) {
  const uint32_t halves = ceil_div(place->cols, HALF_COLS);
  const uint32_t part = gemm->quarters ? HALF_COLS / 2 : HALF_COLS;
  uint32_t number = gemm->results;
  for (uint32_t i = 0; i < halves; ++i) {
    const half_t half = {.col = i * HALF_COLS,
                         .cols = tile_length(place->cols, HALF_COLS, i),
                         .first = i == 0,
                         .last = i + 1 == halves,
                         .part = part,
                         .number = number};
    for (uint32_t piece = first; piece < end; ++piece) {
      load_some(gemm, loads);
      multiply(gemm, place, &half, piece);
    }
    if (end == gemm->pieces) {
      store(gemm, place, &half);
    }
    number += ceil_div(half.cols, part);
  }
  if (end == gemm->pieces) {
    gemm->results = number;
  }
}

static void for_rings(const gemm_t *gemm, uint32_t first, uint32_t end, void (*act)(const ring_t *ring)) {
  for (uint32_t i = first; i < end; ++i) {
    act(&gemm->ring[i]);
  }
}

void cube_main(void) {
  gemm_t gemm;
  gemm_open(&gemm);
  place_t place = first_place(&gemm);
  loader_t loads = {.place = place};
  // Loads first: it is two microseconds until they are there.
  for_rings(&gemm, RING_A, RING_L0, ring_open);
  load_some(&gemm, &loads);
  for_rings(&gemm, RING_L0, RINGS, ring_open);
  for (; place.tile < gemm.tiles; next_place(&gemm, &place)) {
    const uint32_t chunk = place.opens || place.closes ? A_DEPTH / DEPTH : gemm.chunk;
    for (uint32_t piece = 0; piece < gemm.pieces; piece += chunk) {
      multiply_chunk(&gemm, &loads, &place, piece, min_u32(piece + chunk, gemm.pieces));
    }
  }
  for_rings(&gemm, RING_A, RINGS, ring_drain);
}

#endif
