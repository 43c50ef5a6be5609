// Arrays of one problem of a kernel, and the kernel on a machine that steps in random order (machine.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_FIRMWARE_SCHEDULE_H
#define AMALGAM_TESTS_FIRMWARE_SCHEDULE_H

#include "firmware/machine.h"
#include "test.h"

// All zeros at first. The kernel's arguments are placed first.
typedef struct schedule {
  machine_options_t
      machine;  // its firmware, cores and queue depth are the test's; 0: 1 AI core, 2 vector cores, a depth of 32
  machine_array_t array[64];
  uint8_t *gm;
} schedule_t;

// An array's address; what is not read only is written by the kernel.
uint64_t schedule_place(schedule_t *schedule, const char *name, uint64_t bytes, bool read_only);

// Memory for all arrays, zeros; to be called once they are placed. The caller frees schedule->gm.
void schedule_allocate(schedule_t *schedule);

void *schedule_host(const schedule_t *schedule, uint64_t address);

// Runs the kernel with seeds 1 .. seeds, its results and workspace full of ones at first. Every order has to end,
// without a race and without a flag left up, and in each wrong(problem), the number of wrong values, has to be 0. What
// fails is shape number `shape`.
void schedule_every_order(schedule_t *schedule, uint64_t seeds, size_t shape, size_t (*wrong)(const void *problem),
                          const void *problem);

#endif
