// COPY_L1: rows in UB to strips in a cube core's L1, by the direct path.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"

static core_space_t target_of(const cmd_copy_l1_t *c) { return c->pair == 0 ? SPACE_L1 : SPACE_PAIR_L1; }

bool core_copy_l1_check(const core_checker_t *check, const cmd_copy_l1_t *c) {
  if (check->memory->bytes[SPACE_L1] == 0) {
    return core_wrong(check, "needs the direct path to L1: soc.direct_path is 0");
  }
  return core_one_or_more(check, "rows", c->rows) && core_one_or_more(check, "cols", c->cols) &&
         core_below(check, "pair", c->pair, 2) &&
         core_expect(check, check->memory->bytes[target_of(c)] != 0, "pair", c->pair,
                     "0 in a run that is not one of pairs");
}

// Whole strips' rows are written, so columns beyond the last are there.
size_t core_copy_l1_operands(const cmd_copy_l1_t *c, core_operand_t *operand) {
  operand[0] = core_rectangle(SPACE_UB, false, "ub", c->ub, "ub_pitch", c->ub_pitch, c->rows, (uint64_t)c->cols * 2);
  operand[1] = core_rectangle(target_of(c), true, "l1", c->l1, "l1_pitch", c->l1_pitch, core_strips(c->cols),
                              (uint64_t)c->rows * STRIP_ROW);
  return 2;
}

core_shape_t core_copy_l1_shape(const cmd_copy_l1_t *c, const core_operand_t *operand) {
  return operand->access.space == SPACE_UB ? core_in_rows(CORE_TYPE_U16, c->rows, c->cols)
                                           : core_in_strips(CORE_TYPE_U16, c->rows, c->cols);
}

uint64_t core_copy_l1_bytes(const cmd_copy_l1_t *c) { return core_strips(c->cols) * c->rows * STRIP_ROW; }

void core_copy_l1_execute(const core_memory_t *memory, const cmd_copy_l1_t *c) {
  const uint8_t *ub = core_at(memory, SPACE_UB, c->ub);
  uint8_t *l1 = core_at(memory, target_of(c), c->l1);
  const size_t row_bytes = (size_t)c->cols * 2;
  for (size_t s = 0; s < core_strips(c->cols); ++s) {
    const size_t at = s * STRIP_ROW;
    const size_t bytes = smaller(row_bytes - at, STRIP_ROW);
    for (size_t r = 0; r < c->rows; ++r) {
      uint8_t *to = l1 + s * c->l1_pitch + r * STRIP_ROW;
      memcpy(to, ub + r * c->ub_pitch + at, bytes);
      memset(to + bytes, 0, STRIP_ROW - bytes);
    }
  }
}
