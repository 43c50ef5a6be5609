// READ_VALUE and WRITE_VALUE: the scalar core reads and writes a number, in a pipe's order.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"

enum { REACH_GM = PIPE_BIT_MTE2 | PIPE_BIT_FIX | PIPE_BIT_MTE3 | PIPE_BIT_S };

static bool check_place(const core_checker_t *check, uint64_t gm, uint32_t bytes) {
  const unsigned pipe = check->command->header.pipe_;
  return core_expect(check, bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "bytes", bytes, "1, 2, 4 or 8") &&
         (gm != 0 || check->kind == CORE_VECTOR ||
          core_wrong(check, "gm=0: expected an address, %s has no UB", core_kind_text(check->kind))) &&
         (gm == 0 || (REACH_GM >> pipe & 1) != 0 ||
          core_wrong(check, "pipe=%u (%s): expected one that reaches global memory", pipe, core_pipe_name(pipe)));
}

// As a flag to the scalar core: the vector pipe drains.
static uint64_t cycles_on(const config_t *config, uint8_t pipe) {
  return pipe == PIPE_V ? config->vector.drain : config->soc.flag_cycles;
}

static core_operand_t number_at(bool write, uint64_t gm, uint32_t ub, uint32_t bytes) {
  core_operand_t operand =
      gm != 0 ? core_run(SPACE_GM, write, "gm", gm, bytes) : core_run(SPACE_UB, write, "ub", ub, bytes);
  operand.align = bytes;
  return operand;
}

bool core_read_value_check(const core_checker_t *check, const cmd_read_value_t *c) {
  return check_place(check, c->gm, c->bytes);
}

size_t core_read_value_operands(const cmd_read_value_t *c, core_operand_t *operand) {
  operand[0] = number_at(false, c->gm, c->ub, c->bytes);
  return 1;
}

core_shape_t core_read_value_shape(const cmd_read_value_t *c, const core_operand_t *operand) {
  (void)operand;
  return core_in_bytes(1, c->bytes);
}

uint64_t core_read_value_cycles(const config_t *config, const cmd_read_value_t *c) {
  return cycles_on(config, c->pipe_);
}

uint64_t core_value(const core_memory_t *memory, const cmd_read_value_t *c) {
  uint64_t value = 0;
  memcpy(&value, c->gm != 0 ? core_at(memory, SPACE_GM, c->gm) : core_at(memory, SPACE_UB, c->ub), c->bytes);
  return value;
}

bool core_write_value_check(const core_checker_t *check, const cmd_write_value_t *c) {
  return check_place(check, c->gm, c->bytes);
}

size_t core_write_value_operands(const cmd_write_value_t *c, core_operand_t *operand) {
  operand[0] = number_at(true, c->gm, c->ub, c->bytes);
  return 1;
}

core_shape_t core_write_value_shape(const cmd_write_value_t *c, const core_operand_t *operand) {
  (void)operand;
  return core_in_bytes(1, c->bytes);
}

size_t core_write_value_sources(const cmd_write_value_t *c, const core_tensor_t *tensors, size_t count, uint64_t row,
                                uint64_t col, core_source_t *source) {
  (void)c;
  (void)tensors;
  (void)count;
  (void)row;
  (void)col;
  (void)source;
  return 0;
}

uint64_t core_write_value_cycles(const config_t *config, const cmd_write_value_t *c) {
  return cycles_on(config, c->pipe_);
}

void core_write_value_execute(const core_memory_t *memory, const cmd_write_value_t *c) {
  memcpy(c->gm != 0 ? core_at(memory, SPACE_GM, c->gm) : core_at(memory, SPACE_UB, c->ub), &c->value, c->bytes);
}
