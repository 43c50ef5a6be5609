// LOAD_B: an MMAD's right operand, from L1 to L0B, turned on the way or not.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"
#include "num/num_isa.h"
#include "num/num_transpose.h"

bool core_load_b_check(const core_checker_t *check, const cmd_load_b_t *c) {
  return core_one_or_more(check, "k", c->k) && core_one_or_more(check, "n", c->n) &&
         core_below(check, "transpose", c->transpose, 2) && core_below(check, "element", c->element, ELEMENT_COUNT);
}

static uint32_t type_of(const cmd_load_b_t *c) { return core_element_type(c->element); }

static uint64_t strips_of(const cmd_load_b_t *c) { return core_strips_of(type_of(c), c->n); }  // in L0B

size_t core_load_b_operands(const cmd_load_b_t *c, core_operand_t *operand) {
  const uint32_t rows = c->transpose ? c->n : c->k;  // of the matrix in L1
  const uint32_t cols = c->transpose ? c->k : c->n;
  operand[0] = core_rectangle(SPACE_L1, false, "l1", c->l1, "l1_pitch", c->l1_pitch, core_strips_of(type_of(c), cols),
                              (uint64_t)rows * STRIP_ROW);
  operand[1] = core_padded_strips(SPACE_L0B, "l0b", c->l0b, c->k, strips_of(c));
  return 2;
}

core_shape_t core_load_b_shape(const cmd_load_b_t *c, const core_operand_t *operand) {
  return operand->access.space == SPACE_L1 && c->transpose != 0 ? core_in_strips(type_of(c), c->n, c->k)
                                                                : core_in_strips(type_of(c), c->k, c->n);
}

size_t core_load_b_sources(const cmd_load_b_t *c, const core_tensor_t *tensors, size_t count, uint64_t row,
                           uint64_t col, core_source_t *source) {
  (void)tensors;
  source[0] = c->transpose != 0 ? core_element(0, col, row) : core_element(0, row, col);
  return count - 1;
}

uint64_t core_load_b_bytes(const cmd_load_b_t *c) { return core_strip_bytes(c->k, strips_of(c)); }

// L1 holds strips of 16 k, L0B gets strips of 16 n; a block of 16 n and 16 k is contiguous in both.
// Rows beyond k and columns beyond n become zero.
NUM_CLONES
static void turn_strips(uint8_t *to, const uint8_t *from, size_t from_pitch, size_t k, size_t n) {
  const size_t k_blocks = (k + CORE_BLOCK - 1) / CORE_BLOCK;
  const size_t n_blocks = (n + CORE_BLOCK - 1) / CORE_BLOCK;
  for (size_t nb = 0; nb < n_blocks; ++nb) {
    const size_t rows = smaller(n - nb * CORE_BLOCK, CORE_BLOCK);
    for (size_t kb = 0; kb < k_blocks; ++kb) {
      const uint8_t *block = from + kb * from_pitch + nb * CORE_BLOCK_BYTES;
      uint8_t *turned = to + (nb * k_blocks + kb) * CORE_BLOCK_BYTES;
      uint8_t ragged[CORE_BLOCK_BYTES];
      if (rows < CORE_BLOCK) {
        memset(ragged, 0, sizeof ragged);
        memcpy(ragged, block, rows * STRIP_ROW);
        block = ragged;
      }
      uint16_t x[NUM_BLOCK_ELEMENTS];
      memcpy(x, block, CORE_BLOCK_BYTES);
      num_transpose_block(x);
      memcpy(turned, x, CORE_BLOCK_BYTES);
      const size_t used = smaller(k - kb * CORE_BLOCK, CORE_BLOCK) * STRIP_ROW;
      memset(turned + used, 0, CORE_BLOCK_BYTES - used);
    }
  }
}

// A square of 8-bit elements, in rows of 32 bytes: of so many rows and columns, those beyond them zero.
NUM_INLINE void turn_square(uint8_t *restrict to, const uint8_t *restrict from, size_t rows, size_t cols) {
  uint8_t square[STRIP_ROW][STRIP_ROW] = {{0}};
  memcpy(square, from, rows * STRIP_ROW);
  for (size_t k = 0; k < cols; ++k) {
    for (size_t n = 0; n < STRIP_ROW; ++n) {
      to[k * STRIP_ROW + n] = square[n][k];
    }
  }
}

// L1 holds strips of 32 k, L0B gets strips of 32 n, whose rows are padded to a multiple of 16.
NUM_CLONES
static void turn_bytes(uint8_t *to, const uint8_t *from, size_t from_pitch, size_t k, size_t n) {
  const size_t to_pitch = round_up(k, STRIP) * STRIP_ROW;
  memset(to, 0, ceil_div(n, STRIP_ROW) * to_pitch);
  for (size_t n0 = 0; n0 < n; n0 += STRIP_ROW) {
    for (size_t k0 = 0; k0 < k; k0 += STRIP_ROW) {
      turn_square(to + n0 / STRIP_ROW * to_pitch + k0 * STRIP_ROW, from + k0 / STRIP_ROW * from_pitch + n0 * STRIP_ROW,
                  smaller(n - n0, STRIP_ROW), smaller(k - k0, STRIP_ROW));
    }
  }
}

void core_load_b_execute(const core_memory_t *memory, const cmd_load_b_t *c) {
  const uint8_t *l1 = core_at(memory, SPACE_L1, c->l1);
  uint8_t *l0b = core_at(memory, SPACE_L0B, c->l0b);
  if (c->transpose) {
    (c->element == ELEMENT_8 ? turn_bytes : turn_strips)(l0b, l1, c->l1_pitch, c->k, c->n);
  } else {
    core_copy_strips(l0b, l1, c->l1_pitch, c->k, strips_of(c));
  }
}
