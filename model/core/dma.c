// The vector core's copies between global memory and UB, and from UB to its cube core's L1.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core_internal.h"
#include "num/num_gm.h"

static void copy_rows(uint8_t *to, size_t to_pitch, const uint8_t *from, size_t from_pitch, size_t rows,
                      size_t row_bytes) {
  if (to_pitch == row_bytes && from_pitch == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  for (size_t r = 0; r < rows; ++r) {
    memcpy(to + r * to_pitch, from + r * from_pitch, row_bytes);
  }
}

void core_copy_in(const core_memory_t *memory, const cmd_copy_in_t *c) {
  copy_rows(core_at(memory, SPACE_UB, c->ub), c->ub_pitch, core_at(memory, SPACE_GM, c->gm), c->gm_pitch, c->rows,
            c->row_bytes);
}

core_gather_t core_gather_row(const core_memory_t *memory, const cmd_gather_in_t *c, uint32_t row, uint64_t *address) {
  const uint32_t place = c->first + row;
  int32_t number;
  memcpy(&number, core_at(memory, SPACE_GM, c->list + place / c->page * UINT64_C(4)), sizeof number);
  if (number < 0) {
    return number == -1 ? CORE_GATHER_NOTHING : CORE_GATHER_WRONG;
  }
  const uint64_t from = core_add(core_mul((uint64_t)number, c->page), place % c->page);
  *address = core_add(c->gm, core_mul(from, c->gm_pitch));
  return CORE_GATHER_ROW;
}

void core_gather_in(const core_memory_t *memory, const cmd_gather_in_t *c) {
  uint8_t *to = core_at(memory, SPACE_UB, c->ub);
  for (uint32_t row = 0; row < c->rows; ++row) {
    uint64_t from;
    if (core_gather_row(memory, c, row, &from) == CORE_GATHER_ROW) {
      memcpy(to + (size_t)row * c->ub_pitch, core_at(memory, SPACE_GM, from), c->row_bytes);
    } else {
      memset(to + (size_t)row * c->ub_pitch, 0, c->row_bytes);
    }
  }
}

bool core_row_sent(const core_memory_t *memory, const cmd_copy_out_t *c, uint32_t row) {
  if (c->skip_zero == 0) {
    return true;
  }
  const size_t pitch = c->op == GM_RESCALE ? 4 : c->ub_pitch;
  const size_t bytes = c->op == GM_RESCALE ? 4 : c->row_bytes;
  const uint8_t *operands = core_at(memory, SPACE_UB, c->ub) + row * pitch;
  for (size_t i = 0; i < bytes; ++i) {
    if (operands[i] != 0) {
      return true;
    }
  }
  return false;
}

uint64_t core_rows_sent(const core_memory_t *memory, const command_t *command) {
  const cmd_copy_out_t *c = &command->copy_out;
  uint64_t sent = 0;
  for (uint32_t row = 0; command->header.opcode_ == OP_COPY_OUT && row < c->rows; ++row) {
    sent += core_row_sent(memory, c, row);
  }
  return sent;
}

void core_copy_out(const core_memory_t *memory, const cmd_copy_out_t *c) {
  const uint8_t *ub = core_at(memory, SPACE_UB, c->ub);
  uint8_t *gm = core_at(memory, SPACE_GM, c->gm);
  if (c->op == GM_STORE) {
    copy_rows(gm, c->gm_pitch, ub, c->ub_pitch, c->rows, c->row_bytes);
    return;
  }
  // With RESCALE the operand of a row is one word, the rows' words packed.
  const size_t pitch = c->op == GM_RESCALE ? 4 : c->ub_pitch;
  for (size_t r = 0; r < c->rows; ++r) {
    num_gm_apply_n((enum num_gm_op)c->op, (uint32_t *)(void *)(gm + r * c->gm_pitch),
                   (const uint32_t *)(const void *)(ub + r * pitch), c->row_bytes / 4, NULL);
  }
}

core_space_t core_copy_l1_to(const cmd_copy_l1_t *c) { return c->pair == 0 ? SPACE_L1 : SPACE_PAIR_L1; }

void core_copy_l1(const core_memory_t *memory, const cmd_copy_l1_t *c) {
  const uint8_t *ub = core_at(memory, SPACE_UB, c->ub);
  uint8_t *l1 = core_at(memory, core_copy_l1_to(c), c->l1);
  const size_t row_bytes = (size_t)c->cols * 2;
  for (size_t s = 0; s < core_strips(c->cols); ++s) {
    const size_t at = s * STRIP_ROW;
    const size_t bytes = row_bytes - at < STRIP_ROW ? row_bytes - at : STRIP_ROW;
    for (size_t r = 0; r < c->rows; ++r) {
      uint8_t *to = l1 + s * c->l1_pitch + r * STRIP_ROW;
      memcpy(to, ub + r * c->ub_pitch + at, bytes);
      memset(to + bytes, 0, STRIP_ROW - bytes);
    }
  }
}
