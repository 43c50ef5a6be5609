// Lists of operations on the SoC: arrays and entries are put together one by one, and run in a process of their own.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_STEP_STEP_LIST_H
#define AMALGAM_TESTS_STEP_STEP_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/step/step_args.h"
#include "soc/soc.h"

enum { STEP_LIST_ARRAYS = 64, STEP_LIST_ENTRIES = 128, STEP_LIST_BYTES = 1 << 16 };

typedef struct step_list {
  soc_buffer_t array[STEP_LIST_ARRAYS];  // the list itself comes first
  size_t arrays;
  uint32_t count;  // of entries
  uint64_t used;   // bytes of the list
  _Alignas(64) uint8_t bytes[STEP_LIST_BYTES];
} step_list_t;

// The machine that a list runs on.
typedef struct step_machine {
  const char *firmware;  // "step_amla.elf", or .so
  const char *config;    // NULL: ascend910_core
  unsigned cores;        // 0: as many AI cores as the machine has, else of a die's
  unsigned queue_depth;  // 0: the machine's
  unsigned threads;
  bool pairs, timing_only, rtl;
  void (*on_mark)(void *context, uint32_t number);
  void *on_mark_context;
} step_machine_t;

// Zeros, and one more of them; without memory the test ends.
void *step_allocate(size_t count, size_t size);

void step_list_open(step_list_t *list);

// Addresses of arrays: one that only the host writes; numbers that scalar cores read, which operations may write unless
// read_only; one that starts as 0xFF and is copied to result, if that is not NULL.
uint64_t step_list_input(step_list_t *list, const char *name, const void *data, uint64_t bytes);
uint64_t step_list_numbers(step_list_t *list, const char *name, const int32_t *data, uint64_t bytes, bool read_only);
uint64_t step_list_output(step_list_t *list, const char *name, void *result, uint64_t bytes);

// Arguments for others to point to, and an entry with its arguments. Its number is its place in the list.
uint64_t step_list_args(step_list_t *list, const void *args, size_t bytes);
void step_list_add(step_list_t *list, enum step_op op, const void *args, size_t bytes);

// One run a process; with another firmware, if $STEP_FIRMWARE names a file. Returns its status; result is the run's
// books.
soc_status_t step_list_run(step_list_t *list, const step_machine_t *machine, soc_result_t *result);

// Global memory as it is, within on_mark.
const void *step_list_bytes(uint64_t address);

// A sum over the pipes' commands: equal if each pipe of each core took as many.
uint64_t step_commands(const soc_result_t *result);

// Calls a function in a child process; what it left in outcome is there afterwards. False: the child crashed.
bool step_forked(void (*run)(const void *what, void *outcome), const void *what, void *outcome, size_t bytes);

#endif
