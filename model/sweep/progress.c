// SPDX-License-Identifier: Apache-2.0
#include "sweep/progress.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/host.h"
#include "host/interrupt.h"

enum { TEXT_BYTES = 160 };

static const double step = 0.2;    // seconds between two lines
static const int watch_ms = 2000;  // between two looks at the store

static size_t ended(const sweep_count_t *count) { return count->done + count->failed; }

static void append_count(char *text, size_t size, size_t value, const char *what) {
  const size_t used = strlen(text);
  if (value > 0) {
    snprintf(text + used, size - used, "%s%zu %s", used > 0 ? ", " : "", value, what);
  }
}

void sweep_progress_text(const sweep_count_t *count, double seconds, char *text, size_t size) {
  snprintf(text, size, "%zu done", count->done);
  append_count(text, size, count->failed, "failed");
  append_count(text, size, count->running, "running");
  append_count(text, size, count->waiting, "left");
  if (seconds > 0) {
    const unsigned whole = (unsigned)seconds;
    const size_t used = strlen(text);
    if (whole < 3600) {
      snprintf(text + used, size - used, ", %u:%02u to go", whole / 60, whole % 60);
    } else {
      snprintf(text + used, size - used, ", %u:%02u:%02u to go", whole / 3600, whole / 60 % 60, whole % 60);
    }
  }
}

static double seconds_left(const sweep_progress_t *progress, const sweep_count_t *count) {
  const size_t since = ended(count) - progress->ended;
  const size_t left = count->waiting + count->running;
  return ended(count) <= progress->ended || left == 0
             ? 0
             : (host_seconds() - progress->began) / (double)since * (double)left + 0.5;
}

static void print_line(const sweep_progress_t *progress, const char *begin, const char *end) {
  char text[TEXT_BYTES];
  const sweep_count_t count = sweep_count(progress->sweep);
  sweep_progress_text(&count, seconds_left(progress, &count), text, sizeof text);
  fprintf(stderr, "%s%s: %s%s", begin, progress->sweep->study->name, text, end);
}

void sweep_progress_begin(sweep_progress_t *progress, const sweep_t *sweep) {
  const sweep_count_t count = sweep_count(sweep);
  *progress = (sweep_progress_t){.sweep = sweep,
                                 .shows = !sweep->settings.quiet && isatty(STDERR_FILENO) == 1,
                                 .began = host_seconds(),
                                 .ended = ended(&count)};
}

void sweep_progress_show(sweep_progress_t *progress, bool now) {
  const double time = host_seconds();
  if (progress->shows && (now || time > progress->last + step)) {
    progress->last = time;
    print_line(progress, "\r\033[K", "");
  }
}

void sweep_progress_end(sweep_progress_t *progress) {
  if (progress->shows) {
    fputs("\r\033[K", stderr);
  }
}

// On a terminal one line that changes, elsewhere a line for each change.
base_exit_t sweep_watch(sweep_t *sweep, base_error_t *error) {
  sweep_progress_t progress;
  char text[TEXT_BYTES], last[TEXT_BYTES] = "";
  sweep_progress_begin(&progress, sweep);
  struct pollfd interrupt = {.fd = host_interrupt_event(), .events = POLLIN};
  for (;;) {
    const sweep_count_t count = sweep_count(sweep);
    sweep_progress_text(&count, 0, text, sizeof text);
    sweep_progress_show(&progress, true);
    if (!progress.shows && strcmp(text, last) != 0) {
      print_line(&progress, "", "\n");
      memcpy(last, text, sizeof last);
    }
    if (count.running == 0) {
      break;
    }
    poll(&interrupt, 1, watch_ms);
    if (host_interrupted() || !sweep_look(sweep, error)) {
      sweep_progress_end(&progress);
      return host_interrupted() ? BASE_INTERRUPTED : BASE_BAD_INPUT;
    }
  }
  sweep_progress_end(&progress);
  return BASE_OK;
}
