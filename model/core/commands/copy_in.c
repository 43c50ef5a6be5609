// COPY_IN: rows from GM to UB.
// SPDX-License-Identifier: Apache-2.0
#include "core/commands/command.h"

bool core_copy_in_check(const core_checker_t *check, const cmd_copy_in_t *c) {
  return core_one_or_more(check, "rows", c->rows) && core_one_or_more(check, "row_bytes", c->row_bytes);
}

size_t core_copy_in_operands(const cmd_copy_in_t *c, core_operand_t *operand) {
  operand[0] = core_global(false, c->gm, c->gm_pitch, c->rows, c->row_bytes, 1);
  operand[1] = core_rectangle(SPACE_UB, true, "ub", c->ub, "ub_pitch", c->ub_pitch, c->rows, c->row_bytes);
  return 2;
}

core_shape_t core_copy_in_shape(const cmd_copy_in_t *c, const core_operand_t *operand) {
  (void)operand;
  return core_in_bytes(c->rows, c->row_bytes);
}

uint64_t core_copy_in_bytes(const cmd_copy_in_t *c) { return (uint64_t)c->rows * c->row_bytes; }

void core_copy_in_execute(const core_memory_t *memory, const cmd_copy_in_t *c) {
  core_copy_rows(core_at(memory, SPACE_UB, c->ub), c->ub_pitch, core_at(memory, SPACE_GM, c->gm), c->gm_pitch, c->rows,
                 c->row_bytes);
}
