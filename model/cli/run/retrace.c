// SPDX-License-Identifier: Apache-2.0
#include "cli/run/retrace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "blame/culprit.h"
#include "host/program.h"

enum { USUAL_LAST = 10000, WORDS_MAX = 512, WINDOW_BYTES = 64 };

typedef struct window {
  uint64_t from, to;
  char end[512];  // what it ends with
} window_t;

bool retrace_wanted(const run_t *run) {
  const options_t *o = &run->options;
  return o->trace != NULL && o->trace_on.value != 0 && run->kernel->ops->on_soc && !o->timing_only;
}

// --- who is to blame --------------------------------------------------------------------------

static const soc_buffer_t *result_array(const soc_replay_t *replay, const char *name) {
  const soc_buffer_t *array = blame_array(replay, name == NULL ? "out" : name);
  return array != NULL && array->dims > 0 ? array : NULL;
}

// Finds the command to blame, by FP64 if golden. False: nobody knows the expected values, or no element is off.
static bool find_culprit(const run_t *run, bool golden, soc_replay_t *replay, size_t *effect) {
  kernel_expected_t want = {.count = 0};
  base_error_t error = {.text = ""};
  bool found = false;
  if (kernel_expected(run->own, golden, &want, &error)) {
    const soc_buffer_t *array = result_array(replay, want.array);
    const blame_expected_t expected = {
        .array = array, .want = want.want, .absolute = want.absolute, .relative = want.relative};
    found = array != NULL && blame_elements(array) == want.count && blame_culprit(replay, &expected, effect);
  }
  free(want.want);
  return found;
}

static window_t choose_window(const run_t *run) {
  const soc_result_t *soc = &run->own->result.soc;
  soc_replay_t *replay = soc->replay;
  const uint64_t last = option_count_or(&run->options.trace_last, USUAL_LAST);
  size_t effect;
  window_t window = {.to = soc->cycles, .end = "the end of the run: who is to blame is not known of this kernel"};
  if (replay != NULL && (find_culprit(run, false, replay, &effect) || find_culprit(run, true, replay, &effect))) {
    const soc_effect_t e = soc_replay_effect(replay, effect);
    window.to = e.what->done;
    snprintf(window.end, sizeof window.end, "%s %s %s at %s", e.core, core_pipe_name(e.what->command.header.pipe_),
             core_command_name(e.what->command.header.opcode_), soc_replay_line(replay, effect));
  }
  window.from = window.to > last ? window.to - last : 0;
  return window;
}

// --- the run again ----------------------------------------------------------------------------

// The words of this run without its outputs, and the trace.
static bool fill_words(const run_t *run, const char *window, const char *path, const char *word[WORDS_MAX],
                       base_error_t *error) {
  const options_t *o = &run->options;
  size_t n = 0, count = 0;
  word[n++] = PROGRAM_SELF;
  word[n++] = "run";
  word[n++] = run->kernel->name;
  if (run->words + 2 * OPTION_LIST_MAX + 16 > WORDS_MAX) {
    return base_fail(error, "--trace-on error: too many words to run again");
  }
  if (!options_keep(run->kernel->command, OPTION_OUTPUT, run->words, run->word, &word[n], &count, error)) {
    return false;
  }
  n += count;
  word[n++] = "--quiet";
  word[n++] = "--trace";
  word[n++] = path;
  word[n++] = "--trace-window";
  word[n++] = window;
  for (size_t i = 0; i < o->trace_scope.count; ++i) {
    word[n++] = "--trace-scope";
    word[n++] = o->trace_scope.item[i];
  }
  word[n] = NULL;
  return true;
}

static bool run_traced(const run_t *run, const window_t *window, const char *path, base_error_t *error) {
  const char *word[WORDS_MAX];
  char cycles[WINDOW_BYTES], said[BASE_ERROR_BYTES] = "";
  struct stat status;
  snprintf(cycles, sizeof cycles, "%" PRIu64 ":%" PRIu64, window->from, window->to);
  const char *wanted = run->options.trace_window != NULL ? run->options.trace_window : cycles;
  if (!fill_words(run, wanted, path, word, error)) {
    return false;
  }
  const program_t program = {.argv = word, .answer = said, .size = sizeof said};
  const program_end_t end = program_run(&program);  // its exit code says that the result is wrong
  return (end != PROGRAM_INTERRUPTED && end != PROGRAM_NOT_STARTED && stat(path, &status) == 0 && status.st_size > 0) ||
         base_fail(error, "--trace-on error: the result is wrong, and the run cannot be made again: %s", said);
}

bool retrace(run_t *run, const char *path, base_error_t *error) {
  base_error_t reason;
  if (!retrace_wanted(run) || kernel_verdict(run->own, &run->error) == BASE_OK) {
    return true;
  }
  reason = run->error;
  progress_note(&run->progress, "the result is wrong: running once more for its waveforms ...");
  const window_t window = choose_window(run);
  const bool good = run_traced(run, &window, path, error);
  progress_note(&run->progress, "");
  if (good && !run->options.quiet) {
    printf("trace    %s: cycles %" PRIu64 " to %" PRIu64 ", %s\n", run->options.trace, window.from, window.to,
           window.end);
  }
  if (good) {
    run->error = reason;
  }
  return good;
}
