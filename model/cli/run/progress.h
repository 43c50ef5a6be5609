// The progress of a long simulation, in one line of a terminal that is cleared at the end.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_RUN_PROGRESS_H
#define AMALGAM_CLI_RUN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

enum { PROGRESS_TEXT_BYTES = 128 };

typedef struct progress {
  bool enabled;    // nothing is printed otherwise
  uint64_t flops;  // of the whole simulation
  double clock_mhz;
  double start;  // host seconds
} progress_t;

// Starts the clock.  Prints nothing unless stderr is a terminal and quiet is false.
void progress_start(progress_t *progress, bool quiet, uint64_t flops, double clock_mhz);

// Draws the bar on stderr, from the second second on.  A callback of soc.h; context is the
// progress_t.
void progress_update(void *context, uint64_t cycles, uint64_t flops);

// For what waits for a build of RTL: it is said on the line.
engine_progress_t progress_building(const progress_t *progress);

// Replaces the line by a text; "" clears it.
void progress_note(const progress_t *progress, const char *text);

// Like progress_note, but only from the second second on.
void progress_late_note(const progress_t *progress, const char *text);

// The bar's text: done FLOPs of the whole, cycles simulated, host seconds since the start.
void progress_text(const progress_t *progress, uint64_t cycles, uint64_t flops, double seconds,
                   char text[PROGRESS_TEXT_BYTES]);

#endif
