// A machine without time, to run firmware in any order the contract of the pipes allows.
//
// The scalar cores' programs are recorded first: firmware never reads a result, so it pushes the
// same commands whatever the machine does.  Then scalar cores (which push, if there is room in the
// queue) and pipes (which take a command, if its flag is up) step one at a time, in an order drawn
// from the seed.  A command takes effect as a whole in its step.  A happens-before race detector
// finds conflicting accesses that no flag orders, in whichever order they came.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_FIRMWARE_MACHINE_H
#define AMALGAM_TESTS_FIRMWARE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal/command.h"

// An array in global memory; between arrays there is nothing.
typedef struct machine_array {
  const char *name;
  uint64_t address;  // from GM_BASE
  uint64_t bytes;
  bool read_only;
} machine_array_t;

typedef struct machine_options {
  const char *firmware;  // shared object
  uint8_t *gm;           // stands for GM_BASE
  uint64_t gm_bytes;
  const machine_array_t *arrays;
  size_t array_count;
  uint64_t args;  // address of the kernel's arguments
  unsigned ai_cores;
  unsigned vector_cores;  // of an AI core
  bool direct_path;       // vector cores reach the L1 of their cube core and of the pair's other one
  size_t queue_depth;
  uint64_t seed;
} machine_options_t;

enum { MACHINE_ERROR_BYTES = 512 };

// False: error says what went wrong (malformed command, race, deadlock, flag misused or left up).
bool machine_run(const machine_options_t *options, char error[MACHINE_ERROR_BYTES]);

#endif
