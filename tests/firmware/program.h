// The commands that a scalar core's firmware pushes, recorded without a machine: firmware never reads
// a result, so they are the same whatever the machine does.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_FIRMWARE_PROGRAM_H
#define AMALGAM_TESTS_FIRMWARE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

// The machine's functions for firmware.
typedef struct program_machine {
  const char *firmware;  // shared object
  const uint8_t *gm;     // stands for GM_BASE
  uint64_t args;         // address of the kernel's arguments
  unsigned ai_cores;
  unsigned vector_cores;  // of an AI core
} program_machine_t;

typedef struct program_core {
  core_kind_t kind;
  unsigned ai_core, sub;
} program_core_t;

typedef struct program {
  command_t *command;  // the caller frees it
  size_t length, capacity;
  uint64_t panic;  // code; 0: the program ended well
} program_t;

// Appends to program, zeros at first. False: error says why (the firmware cannot be loaded, panic).
bool program_record(const program_machine_t *machine, const program_core_t *core, program_t *program, char *error,
                    size_t error_bytes);

#endif
