// LOAD_NZ: GM to strips in L1.
//
// L1, L0A and L0B hold strips of 16 columns (of 32, if elements have 8 bits):      strip 0         strip 1
//                                              +-------------+ +-------------+
//                                        row 0 | 16 elements | | 16 elements |   32 bytes
//                                        row 1 |             | |             |
//                                          ... +-------------+ +-------------+
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"

bool core_load_nz_check(const core_checker_t *check, const cmd_load_nz_t *c) {
  return core_one_or_more(check, "rows", c->rows) && core_one_or_more(check, "cols", c->cols) &&
         core_below(check, "strips", c->strips, 2) && core_below(check, "element", c->element, ELEMENT_COUNT);
}

static uint32_t type_of(const cmd_load_nz_t *c) { return core_element_type(c->element); }

static uint64_t strips_of(const cmd_load_nz_t *c) { return core_strips_of(type_of(c), c->cols); }

// Strips with a pitch of their own have no rows of padding, so that several loads can fill one.
static uint32_t rows_written(const cmd_load_nz_t *c) {
  return c->strip_pitch != 0 ? c->rows : (uint32_t)core_round_16(c->rows);
}

static size_t pitch_of(const cmd_load_nz_t *c) {
  return c->strip_pitch != 0 ? c->strip_pitch : core_round_16(c->rows) * STRIP_ROW;
}

size_t core_load_nz_operands(const cmd_load_nz_t *c, core_operand_t *operand) {
  const uint32_t bytes = core_type_bytes(type_of(c));
  operand[0] = c->strips == 0
                   ? core_global(false, c->gm, c->gm_pitch, c->rows, (uint64_t)c->cols * bytes, bytes)
                   : core_global(false, c->gm, c->gm_pitch, strips_of(c), (uint64_t)c->rows * STRIP_ROW, bytes);
  operand[1] = c->strip_pitch != 0 ? core_rectangle(SPACE_L1, true, "l1", c->l1, "strip_pitch", c->strip_pitch,
                                                    strips_of(c), (uint64_t)c->rows * STRIP_ROW)
                                   : core_padded_strips(SPACE_L1, "l1", c->l1, c->rows, strips_of(c));
  return 2;
}

core_shape_t core_load_nz_shape(const cmd_load_nz_t *c, const core_operand_t *operand) {
  return operand->access.space == SPACE_GM && c->strips == 0 ? core_in_rows(type_of(c), c->rows, c->cols)
                                                             : core_in_strips(type_of(c), c->rows, c->cols);
}

uint64_t core_load_nz_bytes(const cmd_load_nz_t *c) {
  return c->rows * (c->strips == 0 ? core_row_bytes(type_of(c), c->cols) : strips_of(c) * STRIP_ROW);
}

// A block of rows at a time, so that both the rows in GM and the strips in L1 are walked along.
static void load_rows(const core_memory_t *memory, const cmd_load_nz_t *c) {
  const uint8_t *gm = core_at(memory, SPACE_GM, c->gm);
  uint8_t *l1 = core_at(memory, SPACE_L1, c->l1);
  const size_t strip_bytes = pitch_of(c);
  const size_t row_bytes = core_row_bytes(type_of(c), c->cols);
  const size_t whole = row_bytes / STRIP_ROW;
  const size_t rest = row_bytes % STRIP_ROW;  // bytes a row in a strip that is not whole
  for (size_t r0 = 0; r0 < c->rows; r0 += CORE_BLOCK) {
    const size_t rows = smaller(c->rows - r0, CORE_BLOCK);
    for (size_t s = 0; s < strips_of(c); ++s) {
      const uint8_t *from = gm + r0 * c->gm_pitch + s * STRIP_ROW;
      uint8_t *to = l1 + s * strip_bytes + r0 * STRIP_ROW;
      if (s == whole || rows < CORE_BLOCK) {
        memset(to, 0, smaller(rows_written(c) - r0, CORE_BLOCK) * STRIP_ROW);
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

void core_load_nz_execute(const core_memory_t *memory, const cmd_load_nz_t *c) {
  if (c->strips == 0) {
    load_rows(memory, c);
  } else if (c->strip_pitch != 0) {
    core_copy_rows(core_at(memory, SPACE_L1, c->l1), c->strip_pitch, core_at(memory, SPACE_GM, c->gm), c->gm_pitch,
                   strips_of(c), (size_t)c->rows * STRIP_ROW);
  } else {
    core_copy_strips(core_at(memory, SPACE_L1, c->l1), core_at(memory, SPACE_GM, c->gm), c->gm_pitch, c->rows,
                     strips_of(c));
  }
}
