// The cutting of attention's products: how much of Q, P, K and V is in L1 and L0 at once.  Shared by
// firmware and host, which refuses a machine whose L1 is too small.
//
// A product is L R, [rows][k] x [k][n], see cube/attention_cube_impl.h.  An L tile is 128 rows by `stripe` of
// k, an R piece `stripe` of k by 128 columns; an MMAD takes `base` of k.
//
//            stripe     base       buffer   L    R   L0, L0C
//   paper    288, 256    96, 128   72 KB    4    3   2          k outermost, then both m-tiles
//   tuned    144, 128    80, 128   36 KB    8    6   2          both m-tiles outermost, then k
//   single   288, 256    96, 128   72 KB    1    1   1          everything is loaded for each use
//
// `tuned` gives L back in finer tiles, so that P follows Q (and Q P) into the same buffers without a
// pause: 8 x 36 KB are exactly Q's 256 x 576.  FIX has a whole m-tile's time to empty one half of L0C
// while the other half is filled; for that the pieces of R that make up 128 columns stay in L1 until
// both m-tiles have used them, and two more are on their way.  `paper` does the same if it has buffers
// for it (kv_buffers).  With one m-tile there is nothing in that, and larger pieces are better: `tuned`
// is `paper` then, unless buffers are asked for.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_ATTENTION_TILING_H
#define AMALGAM_SW_KERNELS_ATTENTION_ATTENTION_TILING_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/attention/attention_args.h"

typedef struct attention_tiling {
  uint32_t scores_stripe, output_stripe;  // of C1 and C2
  uint32_t scores_base, output_base;
  uint32_t buffer;  // bytes of an L tile or an R piece in L1
  uint32_t left;    // buffers for L: of Q and P together, or of each of them
  uint32_t right;   // buffers for R
  uint32_t halves;  // of L0A, L0B and L0C in use
  bool separate;    // Q and P have `left` buffers each, and Q stays
  bool keep;        // L stays for all columns and R for all m-tiles, else one product
  bool m_first;     // m-tiles outside of k
} attention_tiling_t;

enum { ATTENTION_TILE = 128 };  // rows of an L tile, columns of a result

// kv_buffers: 0 for the tiling's own.  rows: of a group, at most.
static inline attention_tiling_t attention_tiling(uint32_t tiling, uint32_t kv_buffers, uint32_t qp_buffers,
                                                  uint32_t rows) {
  static const attention_tiling_t table[TILING_COUNT] = {
      [TILING_PAPER] = {288, 256, 96, 128, 72 * 1024, 4, 3, 2, .keep = true},
      [TILING_SINGLE] = {288, 256, 96, 128, 72 * 1024, 1, 1, 1, .m_first = true},
      [TILING_TUNED] = {144, 128, 80, 128, 36 * 1024, 8, 6, 2, .keep = true},
  };
  const bool as_asked = kv_buffers != 0 || qp_buffers == QP_SEPARATE || rows > ATTENTION_TILE;
  attention_tiling_t t = table[tiling == TILING_TUNED && !as_asked ? TILING_PAPER : tiling];
  const uint32_t pieces = (ATTENTION_MAX_DK + t.scores_stripe - 1) / t.scores_stripe;
  const uint32_t enough = tiling == TILING_PAPER ? 2 * pieces : pieces + 1;
  t.right = kv_buffers != 0 ? kv_buffers : t.right;
  t.separate = qp_buffers == QP_SEPARATE;
  t.m_first = t.m_first || t.right >= enough;
  return t;
}

static inline uint32_t attention_l1_bytes(const attention_tiling_t *t) {
  return (t->left * (t->separate ? 2 : 1) + t->right) * t->buffer;
}

#endif
