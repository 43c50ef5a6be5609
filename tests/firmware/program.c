// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/native.h"
#include "hal/registers.h"

// The core whose program runs; firmware has no other way to find its machine.
static struct {
  const program_machine_t *machine;
  const program_core_t *core;
  program_t *program;
  jmp_buf halted;
} recording;

static uint64_t record_read(enum scalar_register reg) {
  const program_core_t *core = recording.core;
  switch (reg) {
    case REG_CORE_KIND:
      return core->kind == CORE_VECTOR;
    case REG_CORE_INDEX:
      return core->ai_core;
    case REG_CORE_COUNT:
      return recording.machine->ai_cores;
    case REG_SUB_INDEX:
      return core->sub;
    case REG_SUB_COUNT:
      return recording.machine->vector_cores;
    case REG_PAIR_COUNT:
      return recording.machine->ai_cores % 2 == 0 ? recording.machine->ai_cores / 2 : 0;
    case REG_PAIR_INDEX:
      return core->ai_core / 2;
    case REG_PAIR_SIDE:
      return core->ai_core % 2;
    case REG_ARGS:
      return recording.machine->args;
    default:
      return 0;
  }
}

static void record_write(enum scalar_register reg, uint64_t value) {
  program_t *program = recording.program;
  if (reg == REG_HALT) {
    program->panic = value;
    longjmp(recording.halted, 1);
  }
  if (reg != REG_PUSH) {
    return;
  }
  if (program->length == program->capacity) {
    program->capacity = program->capacity == 0 ? 1024 : 2 * program->capacity;
    program->command = realloc(program->command, program->capacity * sizeof *program->command);
    if (program->command == NULL) {
      abort();
    }
  }
  // The command on the firmware's stack is only as long as its own kind; commands differ in length.
  static const size_t bytes[] = {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) [OP_##NAME] = sizeof(cmd_##name##_t),
#include "hal/commands.def"
  };
  const void *from = (const void *)(uintptr_t)value;
  const uint8_t opcode = *(const uint8_t *)from;
  command_t *command = &program->command[program->length++];
  memset(command, 0, sizeof *command);
  memcpy(command, from, opcode < OP_COUNT ? bytes[opcode] : sizeof(cmd_header_t));
}

static const void *record_gm(uint64_t address) { return recording.machine->gm + (address - GM_BASE); }

bool program_record(const program_machine_t *machine, const program_core_t *core, program_t *program, char *error,
                    size_t error_bytes) {
  static const hal_host_t host = {record_read, record_write, record_gm};
  void *library = dlopen(machine->firmware, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    snprintf(error, error_bytes, "%s", dlerror());
    return false;
  }
  const hal_host_t **slot = dlsym(library, "hal_host");
  *slot = &host;
  void (*entry)(void);
  *(void **)&entry = dlsym(library, core->kind == CORE_CUBE ? "cube_main" : "vector_main");
  recording.machine = machine;
  recording.core = core;
  recording.program = program;
  if (entry != NULL && setjmp(recording.halted) == 0) {  // NULL: nothing to do
    entry();
  }
  dlclose(library);
  if (program->panic != 0) {
    snprintf(error, error_bytes, "panic %llu", (unsigned long long)program->panic);
    return false;
  }
  return true;
}
