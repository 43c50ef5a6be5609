// Pushed by firmware/commands.c: a list in global memory, in which each core finds its own commands.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_SOC_FIRMWARE_COMMANDS_LIST_H
#define AMALGAM_TESTS_SOC_FIRMWARE_COMMANDS_LIST_H

#include <stdint.h>

#include "hal/command.h"

typedef struct listed_command {
  uint32_t kind, core, sub;  // who pushes it: REG_CORE_KIND, REG_CORE_INDEX, REG_SUB_INDEX
  uint32_t reads;            // registers it reads before that
  command_t command;
} listed_command_t;

typedef struct commands_args {
  uint64_t list, count;
} commands_args_t;

enum { COMMANDS_READS = 4 };  // registers that a core reads before all else

#endif
