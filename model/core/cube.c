// The cube core's commands.
//
//   GM --LOAD_NZ--> L1 --LOAD_A--> L0A --MMAD--> L0C --FIXPIPE--> GM
//                   L1 --LOAD_B--> L0B --^
//
// L1, L0A and L0B hold strips of 16 columns:      strip 0         strip 1
//                                              +-------------+ +-------------+
//                                        row 0 | 16 elements | | 16 elements |   32 bytes
//                                        row 1 |             | |             |
//                                          ... +-------------+ +-------------+
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/size.h"
#include "core_internal.h"
#include "num/num_format.h"
#include "num/num_gm.h"
#include "num/num_isa.h"
#include "num/num_matmul.h"
#include "num/num_transpose.h"

enum {
  BLOCK = 16,  // rows of a strip that are moved at a time
  BLOCK_BYTES = BLOCK * STRIP_ROW,
};

// Strips as they are, the rows up to the next multiple of 16 zero.
static void copy_strips(uint8_t *to, const uint8_t *from, size_t from_pitch, uint32_t rows, uint32_t cols) {
  const size_t bytes = (size_t)rows * STRIP_ROW;
  const size_t to_pitch = core_round_16(rows) * STRIP_ROW;
  for (size_t s = 0; s < core_strips(cols); ++s) {
    memcpy(to + s * to_pitch, from + s * from_pitch, bytes);
    memset(to + s * to_pitch + bytes, 0, to_pitch - bytes);
  }
}

// 16 rows at a time, so that both the rows in GM and the strips in L1 are walked along.
static void load_rows(const core_memory_t *memory, const cmd_load_nz_t *c) {
  const uint8_t *gm = core_at(memory, SPACE_GM, c->gm);
  uint8_t *l1 = core_at(memory, SPACE_L1, c->l1);
  const size_t strip_bytes = core_round_16(c->rows) * STRIP_ROW;
  const size_t whole = c->cols / STRIP;
  const size_t rest = c->cols % STRIP * 2u;  // bytes a row in a strip that is not whole
  for (size_t r0 = 0; r0 < c->rows; r0 += BLOCK) {
    const size_t rows = smaller(c->rows - r0, BLOCK);
    for (size_t s = 0; s < core_strips(c->cols); ++s) {
      const uint8_t *from = gm + r0 * c->gm_pitch + s * STRIP_ROW;
      uint8_t *to = l1 + s * strip_bytes + r0 * STRIP_ROW;
      if (s == whole || rows < BLOCK) {
        memset(to, 0, BLOCK_BYTES);
      }
      if (s == whole) {
        for (size_t r = 0; r < rows; ++r) {
          memcpy(to + r * STRIP_ROW, from + r * c->gm_pitch, rest);
        }
      } else {
        for (size_t r = 0; r < rows; ++r) {
          memcpy(to + r * STRIP_ROW, from + r * c->gm_pitch, STRIP_ROW);
        }
      }
    }
  }
}

void core_load_nz(const core_memory_t *memory, const cmd_load_nz_t *c) {
  if (c->strips == 0) {
    load_rows(memory, c);
  } else {
    copy_strips(core_at(memory, SPACE_L1, c->l1), core_at(memory, SPACE_GM, c->gm), c->gm_pitch, c->rows, c->cols);
  }
}

void core_load_a(const core_memory_t *memory, const cmd_load_a_t *c) {
  copy_strips(core_at(memory, SPACE_L0A, c->l0a), core_at(memory, SPACE_L1, c->l1), c->l1_pitch, c->m, c->k);
}

// L1 holds strips of 16 k, L0B gets strips of 16 n; a block of 16 n and 16 k is contiguous in both.
// Rows beyond k and columns beyond n become zero.
NUM_CLONES
static void turn_strips(uint8_t *to, const uint8_t *from, size_t from_pitch, size_t k, size_t n) {
  const size_t k_blocks = (k + BLOCK - 1) / BLOCK;
  const size_t n_blocks = (n + BLOCK - 1) / BLOCK;
  for (size_t nb = 0; nb < n_blocks; ++nb) {
    const size_t rows = smaller(n - nb * BLOCK, BLOCK);
    for (size_t kb = 0; kb < k_blocks; ++kb) {
      const uint8_t *block = from + kb * from_pitch + nb * BLOCK_BYTES;
      uint8_t *turned = to + (nb * k_blocks + kb) * BLOCK_BYTES;
      uint8_t ragged[BLOCK_BYTES];
      if (rows < BLOCK) {
        memset(ragged, 0, sizeof ragged);
        memcpy(ragged, block, rows * STRIP_ROW);
        block = ragged;
      }
      uint16_t x[NUM_BLOCK_ELEMENTS];
      memcpy(x, block, BLOCK_BYTES);
      num_transpose_block(x);
      memcpy(turned, x, BLOCK_BYTES);
      const size_t used = smaller(k - kb * BLOCK, BLOCK) * STRIP_ROW;
      memset(turned + used, 0, BLOCK_BYTES - used);
    }
  }
}

void core_load_b(const core_memory_t *memory, const cmd_load_b_t *c) {
  const uint8_t *l1 = core_at(memory, SPACE_L1, c->l1);
  uint8_t *l0b = core_at(memory, SPACE_L0B, c->l0b);
  if (c->transpose) {
    turn_strips(l0b, l1, c->l1_pitch, c->k, c->n);
  } else {
    copy_strips(l0b, l1, c->l1_pitch, c->k, c->n);
  }
}

// Part of a tile that MMAD widens to FP32 at a time.  Chains go on across parts of k: what they
// have reached is an FP32 in L0C.  Rows end with a gap so that they do not all fall into the same
// cache sets.
enum { PART_M = 128, PART_N = 256, PART_K = 128, GAP = 16, LDA = PART_K + GAP, LDB = PART_N + GAP };

// On the stack: thread-local storage would cost each of the many threads of scalar cores its pages.
typedef struct scratch {
  _Alignas(64) float a[PART_M * LDA];  // [m][k]
  _Alignas(64) float b[PART_K * LDB];  // [k][n]
} scratch_t;

// [rows][cols] out of strips as rows of FP32; whole strips are written, so ld >= cols rounded up.
NUM_INLINE void widen_strips(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, bool bf16,
                             float *restrict to, size_t ld) {
  for (size_t s = 0; s < (cols + STRIP - 1) / STRIP; ++s) {
    for (size_t r = 0; r < rows; ++r) {
      uint16_t in[STRIP];
      float *out = to + r * ld + s * STRIP;
      memcpy(in, strip + s * strip_bytes + r * STRIP_ROW, sizeof in);
      for (size_t j = 0; j < STRIP; ++j) {
        out[j] = bf16 ? num_bf16_to_f32(in[j]) : num_fp16_to_f32(in[j]);
      }
    }
  }
}

NUM_CLONES
static void widen_bf16(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, float *to, size_t ld) {
  widen_strips(strip, strip_bytes, rows, cols, true, to, ld);
}

NUM_CLONES
static void widen_fp16(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, float *to, size_t ld) {
  widen_strips(strip, strip_bytes, rows, cols, false, to, ld);
}

// Only rows below m and columns below n of the tile are written.
void core_mmad(const core_memory_t *memory, const cmd_mmad_t *c) {
  const uint8_t *l0a = core_at(memory, SPACE_L0A, c->l0a);
  const uint8_t *l0b = core_at(memory, SPACE_L0B, c->l0b);
  float *l0c = (float *)(void *)core_at(memory, SPACE_L0C, c->l0c);
  const size_t a_strip = core_round_16(c->m) * STRIP_ROW;
  const size_t b_strip = core_round_16(c->k) * STRIP_ROW;
  const size_t ldc = core_round_16(c->n);
  num_matmul_fn *const matmul = num_matmul_select(NUM_ISA_AUTO);
  void (*const widen)(const uint8_t *, size_t, size_t, size_t, float *, size_t) =
      c->type == TYPE_BF16 ? widen_bf16 : widen_fp16;

  scratch_t scratch;

  for (size_t k0 = 0; k0 < c->k; k0 += PART_K) {
    const size_t k = smaller(c->k - k0, PART_K);
    const bool accumulate = c->accumulate || k0 > 0;
    for (size_t n0 = 0; n0 < c->n; n0 += PART_N) {
      const size_t n = smaller(c->n - n0, PART_N);
      widen(l0b + n0 / STRIP * b_strip + k0 * STRIP_ROW, b_strip, k, n, scratch.b, LDB);
      for (size_t m0 = 0; m0 < c->m; m0 += PART_M) {
        const size_t m = smaller(c->m - m0, PART_M);
        widen(l0a + k0 / STRIP * a_strip + m0 * STRIP_ROW, a_strip, m, k, scratch.a, LDA);
        matmul(m, n, k, scratch.a, LDA, scratch.b, LDB, l0c + m0 * ldc + n0, ldc, accumulate);
      }
    }
  }
}

void core_fixpipe(const core_memory_t *memory, const cmd_fixpipe_t *c) {
  const float *l0c = (const float *)(const void *)core_at(memory, SPACE_L0C, c->l0c);
  const size_t ldc = core_round_16(c->n);
  for (size_t r = 0; r < c->m; ++r) {
    const float *from = l0c + r * ldc;
    void *to = core_at(memory, SPACE_GM, c->gm) + r * c->gm_pitch;
    if (c->op == GM_ADD_F32) {
      num_gm_apply_n(NUM_GM_ADD_F32, to, (const uint32_t *)(const void *)from, c->n, NULL);
    } else if (c->type == TYPE_BF16) {
      num_bf16_from_f32_n(from, to, c->n);
    } else if (c->type == TYPE_F16) {
      num_fp16_from_f32_n(from, to, c->n);
    } else {
      memcpy(to, from, (size_t)c->n * 4);
    }
  }
}
