// A piece of a run's timeline: which command each pipe of an AI core is at.  AMLA with two query
// tokens, in the middle of the run, where the blocks follow each other at an even pace.
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/files.h"
#include "report/amla/trace.h"
#include "report/report.h"
#include "report/report_write.h"

enum { USUAL_KEYS = 4096, PATH_BYTES = 4096, PLOT_PIXELS = 880 };

static const double excerpt_us = 30;

// The purpose of a command; waits come last, so that they are drawn where nothing else is.
typedef enum kind { LOAD, MOVE, MULTIPLY, VECTOR, STORE, OTHER, WAIT, KINDS, INSTANT } kind_t;

static const struct {
  const char *title, *color;
} kinds[KINDS] = {{"load from memory", "#2b6cb0"},  {"move to L0", "#2a9d8f"},      {"multiply", "#d9632a"},
                  {"vector arithmetic", "#8250b8"}, {"store to memory", "#3a8a3a"}, {"other", "#777777"},
                  {"wait for a flag", "#d5d9de"}};

static const struct {
  const char *pipe;
  kind_t kind;
} pipes[] = {{"MTE2", LOAD}, {"LOAD", LOAD}, {"MTE1", MOVE},  {"M", MULTIPLY},
             {"V", VECTOR},  {"FIX", STORE}, {"MTE3", STORE}, {"STORE", STORE}};

typedef struct excerpt {
  trace_t trace;
  double from, to;  // us
  size_t keys;
  const report_outcome_t *outcome;
} excerpt_t;

// A pipe's commands and times in the excerpt.
typedef struct share {
  size_t commands;
  double busy, waiting;  // us
} share_t;

// By the pipe it is done on, whose name ends the track's.
static kind_t kind_of(const trace_t *trace, const trace_event_t *event) {
  const char *pipe = strrchr(trace->tracks[event->track].name, ' ');
  if (strstr(event->name, "WAIT") != NULL || strcmp(event->name, "SYNC_ALL") == 0 ||
      strcmp(event->name, "PIPE_BARRIER") == 0) {
    return WAIT;
  }
  if (strstr(event->name, "SET") != NULL) {
    return INSTANT;
  }
  for (size_t i = 0; pipe != NULL && i < sizeof pipes / sizeof *pipes; ++i) {
    if (strcmp(pipes[i].pipe, pipe + 1) == 0) {
      return pipes[i].kind;
    }
  }
  return OTHER;
}

// The part of the event inside the excerpt, us; 0: none.
static double inside(const excerpt_t *excerpt, const trace_event_t *event, double *begin) {
  *begin = event->begin > excerpt->from ? event->begin : excerpt->from;
  const double end = event->end < excerpt->to ? event->end : excerpt->to;
  return end > *begin ? end - *begin : 0;
}

static share_t share_of(const excerpt_t *excerpt, size_t track) {
  share_t share = {0};
  for (size_t i = 0; i < excerpt->trace.event_count; ++i) {
    const trace_event_t *event = &excerpt->trace.events[i];
    const kind_t kind = kind_of(&excerpt->trace, event);
    double begin;
    const double length = inside(excerpt, event, &begin);
    if (event->track != track || length == 0 || kind == INSTANT) {
      continue;
    }
    share.commands += kind != WAIT;
    *(kind == WAIT ? &share.waiting : &share.busy) += length;
  }
  return share;
}

// --- files ------------------------------------------------------------------------------------

// Lines "begin end low high", boxes of a kind. A box too short to be seen joins its neighbour.
static void print_boxes(const excerpt_t *excerpt, kind_t kind, FILE *file) {
  const trace_t *trace = &excerpt->trace;
  const double pixel = (excerpt->to - excerpt->from) / PLOT_PIXELS;
  size_t track = trace->track_count;
  double open = 0;
  double end = 0;  // of the box that has not been written
  for (size_t i = 0; i <= trace->event_count; ++i) {
    const trace_event_t *event = &trace->events[i];
    double begin = 0;
    const bool last = i == trace->event_count;
    const bool drawn = !last && kind_of(trace, event) == kind;
    const double length = drawn ? inside(excerpt, event, &begin) : 0;
    if (!last && length == 0) {
      continue;
    }
    const bool joins =
        !last && event->track == track && begin - end < 0.2 * pixel && (length < pixel || end - open < pixel);
    if (!joins && track < trace->track_count) {
      const double gap = end - open > 2 * pixel ? 0.4 * pixel : 0;
      const double middle = (double)(trace->track_count - track);
      fprintf(file, "%.4f %.4f %g %g\n", open, end - gap, middle - 0.38, middle + 0.38);
    }
    if (!last) {
      open = joins ? open : begin;
      end = begin + length;
      track = event->track;
    }
  }
}

// The kinds that have boxes.
static void put_kinds(const excerpt_t *excerpt, cJSON *list) {
  for (kind_t kind = LOAD; kind < KINDS; ++kind) {
    char *boxes = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&boxes, &bytes);
    if (memory != NULL) {
      print_boxes(excerpt, kind, memory);
      fclose(memory);
    }
    if (bytes > 0) {
      report_row(list, NUMBER("number", kind), TEXT("title", kinds[kind].title), TEXT("color", kinds[kind].color),
                 TEXT("boxes", boxes));
    }
    free(boxes);
  }
}

static void fill(const void *data, cJSON *root) {
  const excerpt_t *excerpt = data;
  const double percent = 100 / (excerpt->to - excerpt->from);
  report_put(root, NUMBER("seq_q", 2), NUMBER("seq_kv", excerpt->keys), NUMBER("cycles", excerpt->outcome->cycles),
             NUMBER("time_us", excerpt->outcome->time_us), NUMBER("from_us", excerpt->from),
             NUMBER("to_us", excerpt->to), NUMBER(".length_us", excerpt->to - excerpt->from),
             NUMBER(".top", (double)excerpt->trace.track_count + 0.6));
  cJSON *list = cJSON_AddArrayToObject(root, "rows");
  for (size_t i = 0; i < excerpt->trace.track_count; ++i) {
    const share_t share = share_of(excerpt, i);
    report_row(list, TEXT("pipe", excerpt->trace.tracks[i].name), NUMBER("commands", share.commands),
               NUMBER("busy_us", share.busy), NUMBER("waiting_us", share.waiting),
               NUMBER(".busy", percent * share.busy), NUMBER(".waiting", percent * share.waiting),
               NUMBER(".height", excerpt->trace.track_count - i));
  }
  put_kinds(excerpt, cJSON_AddArrayToObject(root, ".kinds"));
}

REPORT_TEMPLATE(timeline_text, "amla/timeline.md");
static const report_t report = {fill, timeline_text, NULL, NULL};

// --- the run ----------------------------------------------------------------------------------

static bool excerpt_read(excerpt_t *excerpt, const char *path, base_error_t *error) {
  if (!trace_read(path, &excerpt->trace, error)) {
    return false;
  }
  const double end = excerpt->trace.end;
  const double length = end < excerpt_us ? end : excerpt_us;
  excerpt->from = (end - length) / 2;
  excerpt->to = excerpt->from + length;
  return true;
}

// Runs the job, which writes its timeline to the file, and the report.
static bool simulate(report_jobs_t *jobs, const kernel_machine_t *machine, const char *path,
                     const report_context_t *context, base_exit_t *code, base_error_t *error) {
  excerpt_t excerpt = {0};
  if (!report_one_size(context, USUAL_KEYS, &excerpt.keys, error)) {
    return false;
  }
  report_job_t *job = report_add(jobs, machine, "amla", "timeline");
  job->attention.settings.machine.soc.watch.timeline = path;
  job->attention.input.seq_q = 2;
  job->attention.input.keys = excerpt.keys;
  if (!report_run(jobs, false, code, error)) {
    return false;
  }
  *code = BASE_BAD_INPUT;
  excerpt.outcome = &job->outcome;
  const bool good = excerpt_read(&excerpt, path, error) && report_write(context, &report, &excerpt, error);
  trace_free(&excerpt.trace);
  return good;
}

bool report_timeline(const report_context_t *context, base_exit_t *code, base_error_t *error) {
  char path[PATH_BYTES];
  kernel_machine_t machine;
  report_jobs_t jobs;
  if (!report_machine(context, "ascend910_core", 1, &machine, error) ||
      !report_jobs_open(&jobs, context->settings, error)) {
    return false;
  }
  char *folder = host_new_folder();
  bool good = folder != NULL && snprintf(path, sizeof path, "%s/timeline.json", folder) < PATH_BYTES;
  if (!good) {
    base_fail(error, "report: no folder for temporary files in TMPDIR: %s", strerror(errno));
  } else {
    good = simulate(&jobs, &machine, path, context, code, error);
    host_remove_folder(folder);
  }
  free(folder);
  report_jobs_close(&jobs);
  return good;
}
