// SPDX-License-Identifier: Apache-2.0
#include "report/amla/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static size_t find_track(const trace_t *trace, const cJSON *event) {
  const int process = (int)json_number(event, "pid");
  const int thread = (int)json_number(event, "tid");
  size_t i = 0;
  while (i < trace->track_count && (trace->tracks[i].process != process || trace->tracks[i].thread != thread)) {
    ++i;
  }
  return i;
}

static void add_track(trace_t *trace, const cJSON *event) {
  trace_track_t *track = &trace->tracks[trace->track_count++];
  track->process = (int)json_number(event, "pid");
  track->thread = (int)json_number(event, "tid");
  snprintf(track->name, sizeof track->name, "%s", json_text(cJSON_GetObjectItem(event, "args"), "name"));
}

// A thread that does not say which core it is of belongs to the process of that name.
static void add_process(trace_t *trace, const cJSON *event) {
  const char *process = json_text(cJSON_GetObjectItem(event, "args"), "name");
  for (size_t i = 0; i < trace->track_count; ++i) {
    trace_track_t *track = &trace->tracks[i];
    if (track->process == (int)json_number(event, "pid") && strchr(track->name, ' ') == NULL) {
      char name[sizeof track->name];
      memcpy(name, track->name, sizeof name);
      snprintf(track->name, sizeof track->name, "%.23s %.23s", process, name);
    }
  }
}

static void add_event(trace_t *trace, const cJSON *event) {
  const size_t track = find_track(trace, event);
  if (track == trace->track_count) {
    return;
  }
  trace_event_t *to = &trace->events[trace->event_count++];
  to->track = track;
  to->begin = json_number(event, "ts");
  to->end = to->begin + json_number(event, "dur");
  snprintf(to->name, sizeof to->name, "%s", json_text(event, "name"));
  trace->end = to->end > trace->end ? to->end : trace->end;
}

static int by_time(const void *left, const void *right) {
  const trace_event_t *a = left;
  const trace_event_t *b = right;
  if (a->track != b->track) {
    return a->track < b->track ? -1 : 1;
  }
  return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void take(trace_t *trace, const cJSON *events) {
  const cJSON *event;
  cJSON_ArrayForEach(event, events) {
    if (strcmp(json_text(event, "name"), "thread_name") == 0) {
      add_track(trace, event);
    }
  }
  cJSON_ArrayForEach(event, events) {
    if (strcmp(json_text(event, "name"), "process_name") == 0) {
      add_process(trace, event);
    } else if (strcmp(json_text(event, "ph"), "X") == 0) {
      add_event(trace, event);
    }
  }
  qsort(trace->events, trace->event_count, sizeof *trace->events, by_time);
}

bool trace_read(const char *path, trace_t *trace, base_error_t *error) {
  *trace = (trace_t){0};
  cJSON *root = json_read(path);
  if (root == NULL) {
    return base_fail(error, "%s: expected a timeline in JSON", path);
  }
  const cJSON *events = cJSON_GetObjectItem(root, "traceEvents");
  const size_t room = (size_t)cJSON_GetArraySize(events) + 1;
  trace->tracks = calloc(room, sizeof *trace->tracks);
  trace->events = calloc(room, sizeof *trace->events);
  const bool good = (trace->tracks != NULL && trace->events != NULL) || base_fail(error, "%s: out of memory", path);
  if (good) {
    take(trace, events);
  }
  cJSON_Delete(root);
  return good && (trace->event_count > 0 || base_fail(error, "%s: no events", path));
}

void trace_free(trace_t *trace) {
  free(trace->tracks);
  free(trace->events);
  *trace = (trace_t){0};
}
