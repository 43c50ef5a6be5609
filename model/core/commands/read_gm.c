// READ_GM: the scalar core reads global memory, in its pipe's order.
// SPDX-License-Identifier: Apache-2.0
#include "core/commands/command.h"

bool core_read_gm_check(const core_checker_t *check, const cmd_read_gm_t *c) {
  return core_one_or_more(check, "bytes", c->bytes);
}

size_t core_read_gm_operands(const cmd_read_gm_t *c, core_operand_t *operand) {
  operand[0] = core_run(SPACE_GM, false, "gm", c->gm, c->bytes);
  operand[0].align = 4;
  return 1;
}

core_shape_t core_read_gm_shape(const cmd_read_gm_t *c, const core_operand_t *operand) {
  (void)operand;
  return core_in_bytes(1, c->bytes);
}
