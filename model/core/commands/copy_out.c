// COPY_OUT: rows from UB to GM, stored or combined with what is there.
// SPDX-License-Identifier: Apache-2.0
#include "core/commands/command.h"
#include "num/num_gm.h"

// An operand of 0 then changes nothing.
static bool adds_integers(uint32_t op) {
  return (op >= GM_ADD_S32 && op <= GM_RESCALE) || op == GM_ADD_S16 || op == GM_ADD_S8;
}

bool core_copy_out_check(const core_checker_t *check, const cmd_copy_out_t *c) {
  return core_one_or_more(check, "rows", c->rows) && core_one_or_more(check, "row_bytes", c->row_bytes) &&
         core_below(check, "op", c->op, GM_OP_COUNT) &&
         core_expect(check, c->op == GM_STORE || c->row_bytes % 4 == 0, "row_bytes", c->row_bytes,
                     "a multiple of 4 with an atomic operation") &&
         core_below(check, "skip_zero", c->skip_zero, 2) &&
         core_expect(check, c->skip_zero == 0 || adds_integers(c->op), "skip_zero", c->skip_zero,
                     "0 without an addition of integers");
}

// With RESCALE the operand of a row is one word, the rows' words packed.
size_t core_copy_out_operands(const cmd_copy_out_t *c, core_operand_t *operand) {
  operand[0] = c->op == GM_RESCALE
                   ? core_run(SPACE_UB, false, "ub", c->ub, (uint64_t)c->rows * 4)
                   : core_rectangle(SPACE_UB, false, "ub", c->ub, "ub_pitch", c->ub_pitch, c->rows, c->row_bytes);
  operand[1] = core_global(true, c->gm, c->gm_pitch, c->rows, c->row_bytes, c->op == GM_STORE ? 1 : 4);
  operand[1].access.atomic = c->op != GM_STORE;
  return 2;
}

core_shape_t core_copy_out_shape(const cmd_copy_out_t *c, const core_operand_t *operand) {
  if (c->op == GM_STORE) {
    return core_in_bytes(c->rows, c->row_bytes);
  }
  const bool in_gm = operand->access.space == SPACE_GM;
  const uint32_t type = in_gm ? core_gm_memory_type(c->op) : core_gm_operand_type(c->op);
  return core_in_rows(type, c->rows, !in_gm && c->op == GM_RESCALE ? 1 : c->row_bytes / core_type_bytes(type));
}

uint64_t core_copy_out_bytes(const cmd_copy_out_t *c) {
  return (uint64_t)c->rows * (c->op == GM_RESCALE ? 4 : c->row_bytes);
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

const uint32_t *core_atomic_row(const core_memory_t *memory, const command_t *command, uint64_t row, uint32_t *room) {
  const cmd_copy_out_t *c = &command->copy_out;
  if (command->header.opcode_ == OP_FIXPIPE) {
    return core_fixpipe_row(memory, &command->fixpipe, row, room);
  }
  return (const uint32_t *)(const void *)(core_at(memory, SPACE_UB, c->ub) +
                                          row * (c->op == GM_RESCALE ? 4 : c->ub_pitch));
}

void core_copy_out_execute(const core_memory_t *memory, const cmd_copy_out_t *c) {
  const uint8_t *ub = core_at(memory, SPACE_UB, c->ub);
  uint8_t *gm = core_at(memory, SPACE_GM, c->gm);
  if (c->op == GM_STORE) {
    core_copy_rows(gm, c->gm_pitch, ub, c->ub_pitch, c->rows, c->row_bytes);
    return;
  }
  const size_t pitch = c->op == GM_RESCALE ? 4 : c->ub_pitch;
  for (size_t r = 0; r < c->rows; ++r) {
    num_gm_apply_n((enum num_gm_op)c->op, (uint32_t *)(void *)(gm + r * c->gm_pitch),
                   (const uint32_t *)(const void *)(ub + r * pitch), c->row_bytes / 4, NULL);
  }
}
