// SPDX-License-Identifier: Apache-2.0
#include "cli/run/recording.h"

#include <string.h>

#include "base/parse.h"
#include "blame/place.h"
#include "cli/run/dumps.h"
#include "cli/run/retrace.h"

enum { USUAL_LAST = 10000 };

static bool read_window(const char *option, const char *text, waves_window_t *window, base_error_t *error) {
  *window = (waves_window_t){0};
  return text == NULL || waves_window_parse(text, window) ||
         base_fail(error,
                   "--%s: expected A:B, each a cycle, a command as mmad#10 or left out, and "
                   "B after A; got '%s'",
                   option, text);
}

// Options that say how to trace need one that says that.
static bool check_trace(const options_t *options, base_error_t *error) {
  const struct {
    const char *name;
    bool given;
  } of_trace[] = {{"trace-window", options->trace_window != NULL},
                  {"trace-scope", options->trace_scope.count > 0},
                  {"trace-on", options->trace_on.value != 0},
                  {"trace-last", options->trace_last.given}};
  for (size_t i = 0; options->trace == NULL && i < sizeof of_trace / sizeof *of_trace; ++i) {
    if (of_trace[i].given) {
      return base_fail(error, "--%s: needs --trace FILE", of_trace[i].name);
    }
  }
  return options->trace_on.value != 0 || !options->trace_last.given ||
         base_fail(error, "--trace-last: needs --trace-on error");
}

static uint64_t kept_cycles(const options_t *options) {
  return options->trace_on.value == 0 ? 0 : option_count_or(&options->trace_last, USUAL_LAST);
}

static void print_shown(void *progress, const char *request, const char *answer) {
  progress_note(progress, "");
  printf("%s:\n%s", request, answer);
  fflush(stdout);
}

// CORE:PORT
static bool read_gdb(const options_t *options, soc_options_t *soc, base_error_t *error) {
  static soc_gdb_t list[OPTION_LIST_MAX];  // outlives the machine
  for (size_t i = 0; i < options->gdb.count; ++i) {
    const char *text = options->gdb.item[i];
    const char *colon = strchr(text, ':');
    uint64_t port = 0;
    const size_t length = colon == NULL ? 0 : (size_t)(colon - text);
    if (length == 0 || length >= sizeof list[i].core || !parse_count(colon + 1, &port) || port > 65535) {
      return base_fail(error, "--gdb: expected CORE:PORT, as cube0:3333, got '%s'%s", text,
                       colon == NULL ? "" : parse_hint(colon + 1));
    }
    snprintf(list[i].core, sizeof list[i].core, "%.*s", (int)length, text);
    list[i].port = (unsigned)port;
  }
  soc->debug.gdb = list;
  soc->debug.gdb_count = options->gdb.count;
  return soc->debug.gdb_count == 0 || soc->firmware == SOC_FIRMWARE_RISCV ||
         base_fail(error, "--gdb: needs RV64 firmware; debug native firmware with the host's gdb");
}

// Requests are copied, as several may stand in one.
static bool read_show(const run_t *run, soc_options_t *soc, base_error_t *error) {
  const options_t *options = &run->options;
  enum { SHOW_MAX = 64, SHOW_BYTES = 256 };
  static char text[SHOW_MAX][SHOW_BYTES];  // they outlive the machine
  static const char *list[SHOW_MAX];
  size_t count = 0;
  for (size_t i = 0; i < options->show_on_stop.count; ++i) {
    for (const char *at = options->show_on_stop.item[i]; *at != '\0';) {
      const size_t length = strcspn(at, ";");
      if (count == SHOW_MAX || length >= SHOW_BYTES) {
        return base_fail(error, "--show-on-stop: expected at most %d requests of %d characters", SHOW_MAX,
                         SHOW_BYTES - 1);
      }
      snprintf(text[count], SHOW_BYTES, "%.*s", (int)length, at);
      list[count] = text[count] + strspn(text[count], " ");
      ++count;
      at += length + (at[length] == ';');
    }
  }
  soc->debug.show = list;
  soc->debug.show_count = count;
  soc->debug.shown = print_shown;
  soc->debug.context = (void *)&run->progress;
  soc->debug.stop_at = option_count_or(&options->stop_at, 0);
  return count > 0 || options->show_on_stop.count == 0 ||
         base_fail(error, "--show-on-stop: expected what to show, as why");
}

static bool check_watch(const run_t *run, soc_options_t *soc, base_error_t *error) {
  const option_list_t *watch = &run->options.watch;
  soc->watch.replay = run->replay || watch->count > 0 || run->options.dump_all != NULL || retrace_wanted(run);
  if (watch->count == 0 && run->options.watch_log != NULL) {
    return base_fail(error, "--watch-log: needs --watch");
  }
  for (size_t i = 0; i < watch->count; ++i) {
    if (!blame_place_check("watch", watch->item[i], error)) {
      return false;
    }
  }
  return true;
}

bool recording_soc(const run_t *run, soc_options_t *soc, base_error_t *error) {
  const options_t *options = &run->options;
  soc->watch.timeline = run_path(run, RUN_TIMELINE);
  soc->watch.critical_path = run_path(run, RUN_CRITICAL_PATH);
  soc->watch.log = run_path(run, RUN_LOG);
  soc->watch.trace = run_path(run, RUN_TRACE);
  soc->watch.trace_scopes = options->trace_scope.item;
  soc->watch.trace_scope_count = options->trace_scope.count;
  soc->watch.trace_keep = kept_cycles(options);
  soc->watch.profile = options->profile;
  if (options->timeline_window != NULL && options->timeline == NULL && options->log == NULL) {
    return base_fail(error, "--timeline-window: needs --timeline or --log");
  }
  dumps_soc(run, soc);
  return check_trace(options, error) && check_watch(run, soc, error) && read_gdb(options, soc, error) &&
         read_show(run, soc, error) &&
         read_window("timeline-window", options->timeline_window, &soc->watch.timeline_window, error) &&
         read_window("dump-window", options->dump_window, &soc->watch.dump_window, error) &&
         read_window("trace-window", options->trace_window, &soc->watch.trace_window, error);
}

// --- an engine by itself ----------------------------------------------------------------------

bool recording_engine(const run_t *run, engine_settings_t *settings, base_error_t *error) {
  const options_t *options = &run->options;
  waves_window_t window;
  if (!check_trace(options, error) || !read_window("trace-window", options->trace_window, &window, error)) {
    return false;
  }
  settings->trace = run_path(run, RUN_TRACE);
  settings->trace_scopes = options->trace_scope.item;
  settings->trace_scope_count = options->trace_scope.count;
  settings->trace_keep = kept_cycles(options);
  settings->trace_from = window.from.cycle;
  settings->trace_to = window.to.cycle == 0 ? UINT64_MAX : window.to.cycle;
  return (window.from.command[0] == '\0' && window.to.command[0] == '\0') ||
         base_fail(error,
                   "--trace-window: expected cycles A:B; an engine by itself has no "
                   "commands, got '%s'",
                   options->trace_window);
}
