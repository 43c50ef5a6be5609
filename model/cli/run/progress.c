// SPDX-License-Identifier: Apache-2.0
#include "cli/run/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "host/host.h"

enum { BAR = 24, DURATION_BYTES = 32 };
static const double patience = 2;  // seconds without a bar

void progress_start(progress_t *progress, bool quiet, uint64_t flops, double clock_mhz) {
  *progress = (progress_t){
      .enabled = !quiet && isatty(STDERR_FILENO) != 0, .flops = flops, .clock_mhz = clock_mhz, .start = host_seconds()};
}

static void duration_text(double seconds, char text[DURATION_BYTES]) {
  if (seconds >= 360000) {
    snprintf(text, DURATION_BYTES, "days");
    return;
  }
  const unsigned whole = (unsigned)(seconds + 0.5);
  if (whole < 60) {
    snprintf(text, DURATION_BYTES, "%u s", whole);
  } else if (whole < 3600) {
    snprintf(text, DURATION_BYTES, "%u min %02u s", whole / 60, whole % 60);
  } else {
    snprintf(text, DURATION_BYTES, "%u h %02u min", whole / 3600, whole % 3600 / 60);
  }
}

// Kernels pad blocks, so the MMADs may do a little more than was expected.
static double share_done(const progress_t *progress, uint64_t flops) {
  return flops < progress->flops ? (double)flops / (double)progress->flops : 1;
}

void progress_text(const progress_t *progress, uint64_t cycles, uint64_t flops, double seconds,
                   char text[PROGRESS_TEXT_BYTES]) {
  const double share = share_done(progress, flops);
  const int full = (int)(share * BAR);
  char left[DURATION_BYTES] = "?";
  if (flops > 0) {
    duration_text(seconds * (1 - share) / share, left);
  }
  snprintf(text, PROGRESS_TEXT_BYTES, "[%.*s%.*s] %3d %%  %.0f us simulated, %s left", full, "########################",
           BAR - full, "........................", (int)(share * 100), (double)cycles / progress->clock_mhz, left);
}

void progress_note(const progress_t *progress, const char *text) {
  if (progress->enabled) {
    fprintf(stderr, "\r\033[K%s", text);
    fflush(stderr);
  }
}

static void tell_building(void *progress, const char *what) { progress_note(progress, what); }

engine_progress_t progress_building(const progress_t *progress) {
  return (engine_progress_t){tell_building, (void *)progress};
}

void progress_late_note(const progress_t *progress, const char *text) {
  if (host_seconds() - progress->start >= patience) {
    progress_note(progress, text);
  }
}

void progress_update(void *context, uint64_t cycles, uint64_t flops) {
  const progress_t *progress = context;
  const double seconds = host_seconds() - progress->start;
  if (progress->enabled && seconds >= patience) {
    char text[PROGRESS_TEXT_BYTES];
    progress_text(progress, cycles, flops, seconds, text);
    progress_note(progress, text);
  }
}
