// A run's timeline as the simulator writes it (Chrome trace JSON), read back.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_AMLA_TRACE_H
#define AMALGAM_REPORT_AMLA_TRACE_H

#include <stddef.h>

#include "base/error.h"

enum { TRACE_NAME_BYTES = 48 };

// Work of a pipe from begin to end, us.
typedef struct trace_event {
  size_t track;                 // index
  char name[TRACE_NAME_BYTES];  // "MMAD"
  double begin, end;
} trace_event_t;

// A pipe: "cube0 MTE2".
typedef struct trace_track {
  int process, thread;
  char name[TRACE_NAME_BYTES];
} trace_track_t;

typedef struct trace {
  trace_track_t *tracks;  // in the order of the file
  size_t track_count;
  trace_event_t *events;  // of each track in order of time
  size_t event_count;
  double end;  // of the last event
} trace_t;

// Complete events ("X") on named threads; what else is in the file is passed over.
bool trace_read(const char *path, trace_t *trace, base_error_t *error);
void trace_free(trace_t *trace);

#endif
