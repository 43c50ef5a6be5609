// Random programs of several AI cores, and whether they race: by the order that flags and SYNC_ALLs make, walked as a
// graph of commands, and by sets of bytes.  Written apart from the simulator's detector, which it is to be compared
// with; both take from core/core.h what a command reads and writes.
//
// A program is made in one order in which it could run, so that it never hangs. Each command knows all that come before
// it on some way of flags. An access that races is mostly thrown away, and another one tried.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_SOC_RACES_RACE_PROGRAM_H
#define AMALGAM_TESTS_SOC_RACES_RACE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/commands_list.h"
#include "soc/soc.h"

enum { RACE_MOST = 768, RACE_BYTES = 8192, RACE_CORES = 24 };

typedef struct race_program {
  unsigned ai_cores, vector_cores;
  bool pairs, direct_path;
  listed_command_t list[RACE_MOST];
  size_t count;
  bool races;
  size_t race[2];  // commands, of the first race that was made
  soc_buffer_t buffer[2];
  uint8_t out[RACE_BYTES];  // what a run has left
} race_program_t;

// To be called once: gives the arrays addresses.
void race_program_place(race_program_t *program);
// A program from a seed. The first decisions are taken from bytes.
void race_program_make(race_program_t *program, uint64_t seed, const uint8_t *bytes, size_t size);

// Does the detector say so, too? False: one line on stderr.
bool race_program_agrees(race_program_t *program);
// Without the detector: does it leave the same bytes with any number of threads? False: one line on stderr.
bool race_program_has_one_result(race_program_t *program);

#endif
