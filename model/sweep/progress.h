// Internal to sweep: a line on the terminal, if there is one, that says how far a sweep is.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SWEEP_PROGRESS_H
#define AMALGAM_SWEEP_PROGRESS_H

#include "sweep/sweep.h"

typedef struct sweep_progress {
  const sweep_t *sweep;
  bool shows;
  double began, last;
  size_t ended;  // done and failed when it began
} sweep_progress_t;

// Shows nothing if the sweep is quiet or stderr is no terminal.
void sweep_progress_begin(sweep_progress_t *progress, const sweep_t *sweep);

// At most five times a second, unless `now`.
void sweep_progress_show(sweep_progress_t *progress, bool now);

// Clears the line.
void sweep_progress_end(sweep_progress_t *progress);

// "58 done, 2 failed, 2 running, 5 left, 0:41 to go"; 0 seconds: not known.
void sweep_progress_text(const sweep_count_t *count, double seconds, char *text, size_t size);

#endif
