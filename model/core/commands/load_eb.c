// LOAD_EB: rows from GM to an engine's buffer, multiplied by a factor or not.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"
#include "num/engine/num_bf16.h"
#include "num/num_format.h"

bool core_load_eb_check(const core_checker_t *check, const cmd_load_eb_t *c) {
  return core_one_or_more(check, "rows", c->rows) && core_one_or_more(check, "row_bytes", c->row_bytes) &&
         core_expect(check, c->scale == 0 || c->row_bytes % 2 == 0, "row_bytes", c->row_bytes,
                     "a multiple of 2 with a scale");
}

size_t core_load_eb_operands(const cmd_load_eb_t *c, core_operand_t *operand) {
  operand[0] = core_global(false, c->gm, c->gm_pitch, c->rows, c->row_bytes, c->scale == 0 ? 1 : 2);
  operand[1] = core_rectangle(SPACE_EB, true, "eb", c->eb, "eb_pitch", c->eb_pitch, c->rows, c->row_bytes);
  return 2;
}

core_shape_t core_load_eb_shape(const cmd_load_eb_t *c, const core_operand_t *operand) {
  (void)operand;
  return c->scale == 0 ? core_in_bytes(c->rows, c->row_bytes) : core_in_rows(TYPE_BF16, c->rows, c->row_bytes / 2);
}

uint64_t core_load_eb_bytes(const cmd_load_eb_t *c) { return (uint64_t)c->rows * c->row_bytes; }

void core_load_eb_execute(const core_memory_t *memory, const cmd_load_eb_t *c) {
  for (size_t r = 0; r < c->rows; ++r) {
    uint8_t *to = core_at(memory, SPACE_EB, c->eb) + r * c->eb_pitch;
    memcpy(to, core_at(memory, SPACE_GM, c->gm) + r * c->gm_pitch, c->row_bytes);
    num_bf16_t *values = (num_bf16_t *)(void *)to;
    for (size_t i = 0; c->scale != 0 && i < c->row_bytes / sizeof *values; ++i) {
      values[i] = num_bf16_scale(values[i], num_f32_from_bits(c->scale));
    }
  }
}
