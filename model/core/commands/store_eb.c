// STORE_EB: rows in an engine's buffer to GM.
// SPDX-License-Identifier: Apache-2.0
#include "core/commands/command.h"

bool core_store_eb_check(const core_checker_t *check, const cmd_store_eb_t *c) {
  return core_one_or_more(check, "rows", c->rows) && core_one_or_more(check, "row_bytes", c->row_bytes);
}

size_t core_store_eb_operands(const cmd_store_eb_t *c, core_operand_t *operand) {
  operand[0] = core_rectangle(SPACE_EB, false, "eb", c->eb, "eb_pitch", c->eb_pitch, c->rows, c->row_bytes);
  operand[1] = core_global(true, c->gm, c->gm_pitch, c->rows, c->row_bytes, 1);
  return 2;
}

core_shape_t core_store_eb_shape(const cmd_store_eb_t *c, const core_operand_t *operand) {
  (void)operand;
  return core_in_bytes(c->rows, c->row_bytes);
}

uint64_t core_store_eb_bytes(const cmd_store_eb_t *c) { return (uint64_t)c->rows * c->row_bytes; }

void core_store_eb_execute(const core_memory_t *memory, const cmd_store_eb_t *c) {
  core_copy_rows(core_at(memory, SPACE_GM, c->gm), c->gm_pitch, core_at(memory, SPACE_EB, c->eb), c->eb_pitch, c->rows,
                 c->row_bytes);
}
