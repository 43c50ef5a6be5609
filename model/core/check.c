// Is a command well formed?  Nothing of the command is believed here: sizes are computed with
// arithmetic that sticks instead of wrapping (core_operands).
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "core/commands/command.h"

static bool wrong_core(const core_checker_t *check, unsigned cores) {
  char text[64] = "";
  for (core_kind_t kind = 0; kind < CORE_KIND_COUNT; ++kind) {
    if ((cores >> kind & 1) != 0) {
      const size_t length = strlen(text);
      snprintf(text + length, sizeof text - length, "%s%s", length == 0 ? "" : " or ", core_kind_text(kind));
    }
  }
  return core_wrong(check, "on %s: expected %s", core_kind_text(check->kind), text);
}

static bool wrong_pipe(const core_checker_t *check, unsigned pipes) {
  const unsigned pipe = check->command->header.pipe_;
  unsigned count = 0, last = 0;
  for (unsigned id = 0; id < PIPE_COUNT; ++id) {
    if ((pipes >> id & 1) != 0 && core_has_pipe(check->kind, id)) {
      last = id;
      ++count;
    }
  }
  return count == 1 ? core_wrong(check, "pipe=%u (%s): expected %s", pipe, core_pipe_name(pipe), core_pipe_name(last))
                    : core_wrong(check, "pipe=%u (%s): expected a pipe of %s", pipe, core_pipe_name(pipe),
                                 core_kind_text(check->kind));
}

// The opcode, the core, the pipe and the bytes that must be zero.
static bool check_header(const core_checker_t *check) {
  const cmd_header_t *header = &check->command->header;
  if (header->opcode_ >= OP_COUNT) {
    return core_wrong(check, "opcode=%u: expected 0 to %d", header->opcode_, OP_COUNT - 1);
  }
  if (header->zero_ != 0 || header->zero2_ != 0) {
    return core_wrong(check, "bytes 2 to 7 of the command: expected 0");
  }
  const unsigned cores = core_command_cores(header->opcode_);
  const unsigned pipes = core_command_pipes(header->opcode_);
  if ((cores >> check->kind & 1) == 0) {
    return wrong_core(check, cores);
  }
  return (core_has_pipe(check->kind, header->pipe_) && (pipes >> header->pipe_ & 1) != 0) || wrong_pipe(check, pipes);
}

static bool check_fields(const core_checker_t *check) {
  const command_t *command = check->command;
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  case OP_##NAME:                                                         \
    return core_##name##_check(check, &command->name);
#include "hal/commands.def"
    default:
      return false;
  }
}

bool core_check(core_kind_t kind, const core_memory_t *memory, const command_t *command, char error[CORE_ERROR_BYTES]) {
  core_checker_t check = {.kind = kind, .memory = memory, .command = command, .error = error};
  error[0] = '\0';
  if (!check_header(&check)) {
    return false;
  }
  check.operation = core_operation_name(command->header.opcode_, core_operation(command));
  if (!check_fields(&check)) {
    return false;
  }
  core_operand_t operand[CORE_MAX_ACCESSES];
  const size_t count = core_operands(command, operand);
  return core_check_operands(&check, operand, count);
}
