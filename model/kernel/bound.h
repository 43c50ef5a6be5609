// The pipe that a run was bound by.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_BOUND_H
#define AMALGAM_KERNEL_BOUND_H

#include "soc/soc.h"

// Pipes of one name on all cores of a kind.
typedef struct kernel_bound {
  char core[16];     // "cube"
  const char *pipe;  // "M", NULL: there were no cycles
  double busy;       // mean share of the run's cycles, 0 to 1
} kernel_bound_t;

// The busiest.
kernel_bound_t kernel_bound(const soc_result_t *soc);

// Cycles that a pipe is busy, the mean over the cores of a kind; 0 if there are none.
double kernel_busy(const soc_result_t *soc, const char *core, const char *pipe);

#endif
