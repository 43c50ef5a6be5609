// Finds the wrong line of the kernel: the one whose change makes the result right. Each line's commands are changed in
// one way after the other, as kernel writers get them wrong: left out, a size one off, a pitch, a type, a flag of the
// command, a factor, an address, another operation. The run's effects are carried out again with the change (replay.h),
// and the result is compared with what was expected. Times do not change, so missing waits and flags are not found
// here: the race detector finds them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BLAME_REPAIR_H
#define AMALGAM_BLAME_REPAIR_H

#include "blame/place.h"

// The values that a run should have left in an array.
typedef struct blame_expected {
  const soc_buffer_t *array;
  const double *want;         // [elements]
  double absolute, relative;  // an element may be off by absolute + relative * |want|
} blame_expected_t;

// Is this element off? A NaN is as good as another.
bool blame_is_off(const blame_expected_t *expected, uint64_t index, double have);

enum { BLAME_CHANGE_BYTES = 96 };

typedef struct blame_repair {
  size_t effect;                    // the first one that is changed
  size_t commands;                  // how many are
  char change[BLAME_CHANGE_BYTES];  // "l1_pitch 1024 instead of 512"
  uint64_t off;                     // elements that are still off
  unsigned order;                   // of several as good, the lower one is the likelier slip
} blame_repair_t;

enum { BLAME_REPAIRS = 8 };

typedef struct blame_repairs {
  uint64_t off;                        // elements as it was
  blame_repair_t list[BLAME_REPAIRS];  // the best first; each leaves less than half of them
  size_t count;
  size_t tried;
  bool all;  // else there were more changes than time for them
} blame_repairs_t;

// False: out of memory.
bool blame_repair(soc_replay_t *replay, const blame_expected_t *expected, blame_repairs_t *repairs);

#endif
