// The memory that points will take, learnt from the points beside them, and whether there is room for one more.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_WORK_MEMORY_H
#define AMALGAM_SWEEP_WORK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/study/points.h"

// In MB.
typedef struct memory {
  const study_t *study;
  float *peak;   // [points]; 0: not known
  double all;    // for all runs together
  double most;   // of the last that are known
  double taken;  // by those under way
} memory_t;

// The memory that is free on this host, or left to the group of processes that this one is in, if that is less.
double memory_free_mb(void);

// The peak that is to be expected of a point: the largest of the points that differ by one step in one axis, else of
// those that ended last; with some room.
double memory_expected(const memory_t *memory, size_t point);

// Is there room for one more? If nothing runs there always is.
bool memory_fits(const memory_t *memory, double mb);

#endif
