// LOAD_A: an MMAD's left operand, from L1 to L0A.
// SPDX-License-Identifier: Apache-2.0
#include "core/commands/command.h"

bool core_load_a_check(const core_checker_t *check, const cmd_load_a_t *c) {
  return core_one_or_more(check, "m", c->m) && core_one_or_more(check, "k", c->k) &&
         core_below(check, "element", c->element, ELEMENT_COUNT);
}

static uint64_t strips_of(const cmd_load_a_t *c) { return core_strips_of(core_element_type(c->element), c->k); }

size_t core_load_a_operands(const cmd_load_a_t *c, core_operand_t *operand) {
  operand[0] =
      core_rectangle(SPACE_L1, false, "l1", c->l1, "l1_pitch", c->l1_pitch, strips_of(c), (uint64_t)c->m * STRIP_ROW);
  operand[1] = core_padded_strips(SPACE_L0A, "l0a", c->l0a, c->m, strips_of(c));
  return 2;
}

core_shape_t core_load_a_shape(const cmd_load_a_t *c, const core_operand_t *operand) {
  (void)operand;
  return core_in_strips(core_element_type(c->element), c->m, c->k);
}

uint64_t core_load_a_bytes(const cmd_load_a_t *c) { return core_strip_bytes(c->m, strips_of(c)); }

void core_load_a_execute(const core_memory_t *memory, const cmd_load_a_t *c) {
  core_copy_strips(core_at(memory, SPACE_L0A, c->l0a), core_at(memory, SPACE_L1, c->l1), c->l1_pitch, c->m,
                   strips_of(c));
}
