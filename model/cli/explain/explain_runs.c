// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/explain/explain.h"
#include "host/files.h"
#include "host/interrupt.h"
#include "host/parallel.h"
#include "host/program.h"

enum { AT_A_TIME = 2, PATH_BYTES = 4096 };

typedef struct runner {
  explain_run_t *run;
  bool timing_only;
  bool quiet;
  char *folder;         // for the runs' files
  base_error_t reason;  // why the run as it was was not possible
} runner_t;

// --- words ------------------------------------------------------------------------------------

static bool begins(const char *word, const char *start) { return strncmp(word, start, strlen(start)) == 0; }

// The words of a run: kernel, what it was given, changes, where the cycles go. char *const *, as execv
// has it; the words themselves are not copied.
static void fill_words(const runner_t *runner, char *changes, const char *json, const char *path, const char **word) {
  const explain_run_t *run = runner->run;
  size_t n = 0;
  word[n++] = PROGRAM_SELF;
  word[n++] = "run";
  word[n++] = run->kernel;
  for (size_t i = 0; i < run->words[runner->timing_only]; ++i) {
    word[n++] = run->word[runner->timing_only][i];
  }
  char *rest = NULL;
  for (char *part = strtok_r(changes, " ", &rest); part != NULL && n < EXPLAIN_WORDS_MAX - 10;
       part = strtok_r(NULL, " ", &rest)) {
    word[n++] = part;
  }
  if (runner->timing_only) {
    word[n++] = "--timing-only";
  }
  if (strcmp(run->kernel, "lm") != 0) {  // the same cycles, sooner
    word[n++] = "--gm";
    word[n++] = "c";
  }
  word[n++] = "--quiet";
  word[n++] = "--json";
  word[n++] = json;
  if (path != NULL) {
    word[n++] = "--critical-path";
    word[n++] = path;
  }
  word[n] = NULL;
}

// --- one run ----------------------------------------------------------------------------------

static uint64_t cycles_of(const char *json) {
  cJSON *root = json_read(json);
  const cJSON *cycles = cJSON_GetObjectItemCaseSensitive(root, "cycles");
  const uint64_t count = cJSON_IsNumber(cycles) ? (uint64_t)cycles->valuedouble : 0;
  cJSON_Delete(root);
  return count;
}

// Cycles of the run with changes, 0: it is not possible, and reason (may be NULL) is what it said.
// number: of its files.
static uint64_t again(runner_t *runner, const char *changes, size_t number, const char *path, base_error_t *reason) {
  const char *word[EXPLAIN_WORDS_MAX];
  char json[PATH_BYTES + 32], said[BASE_ERROR_BYTES];
  char text[sizeof runner->run->list[0].changes];
  snprintf(json, sizeof json, "%s/%zu.json", runner->folder, number);
  snprintf(text, sizeof text, "%s", changes);
  fill_words(runner, text, json, path, word);
  program_run(&(program_t){.argv = word, .answer = said, .size = sizeof said});
  if (reason != NULL) {
    const char *own = "amalgam: ";
    base_fail(reason, "%s", said + (begins(said, own) ? strlen(own) : 0));
  }
  const uint64_t cycles = cycles_of(json);  // a run that is not possible writes no file
  unlink(json);
  return cycles;
}

// --- all of them ------------------------------------------------------------------------------

static bool try_some(void *context, size_t first, size_t end) {
  runner_t *runner = context;
  for (size_t i = first; i < end && !host_interrupted(); ++i) {
    explain_try_t *one = &runner->run->list[i];
    one->cycles = again(runner, one->changes, i, NULL, NULL);
    if (!runner->quiet && !host_interrupted()) {
      fprintf(stderr, "explain: %s, %s\n", one->name, one->text);
    }
  }
  return !host_interrupted();
}

static bool has_worked(const explain_run_t *run, const char *used) {
  const cJSON *pipe;
  if (used == NULL) {
    return true;
  }
  const cJSON *traffic = cJSON_GetObjectItemCaseSensitive(run->root, "traffic");
  const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(traffic, used);
  if (bytes != NULL) {
    return bytes->valuedouble > 0;
  }
  const char *name = strchr(used, ' ');
  cJSON_ArrayForEach(pipe, cJSON_GetObjectItemCaseSensitive(run->root, "pipes")) {
    const char *core = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(pipe, "core"));
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(pipe, "pipe"));
    const cJSON *busy = cJSON_GetObjectItemCaseSensitive(pipe, "busy");
    if (name != NULL && core != NULL && id != NULL && cJSON_IsNumber(busy) &&
        strncmp(core, used, (size_t)(name - used)) == 0 && strcmp(id, name + 1) == 0 && busy->valuedouble > 0) {
      return true;
    }
  }
  return false;
}

static explain_try_t *add_try(explain_run_t *run, const char *name, const char *text) {
  explain_try_t *one = &run->list[run->tries++];
  *one = (explain_try_t){.name = name, .text = text};
  return one;
}

static void add_change(explain_try_t *one, const config_param_t *param, double value) {
  const size_t used = strlen(one->changes);
  snprintf(one->changes + used, sizeof one->changes - used, " --set %s.%s=%.9g", param->section, param->name, value);
}

// A whole number above 0 stays above 0.
static void scale(explain_run_t *run, const char *name, double factor) {
  const config_param_t *param = config_param(name, strlen(name));
  const double value = config_value(&run->config, param);
  const double scaled = param->whole ? floor(value * factor + 0.5) : value * factor;
  add_change(&run->list[run->tries - 1], param, param->whole && scaled == 0 && value > 0 ? 1 : scaled);
}

// Half of the time, or twice the rate.
static void improve(explain_run_t *run, const char *name) {
  scale(run, name, config_param(name, strlen(name))->class_ == CONFIG_TIME ? 0.5 : 2);
}

static void halve_times(explain_run_t *run, const char *section) {
  for (size_t i = 0; i < CONFIG_PARAMS; ++i) {
    const config_param_t *param = &config_params[i];
    if (param->class_ == CONFIG_TIME && strcmp(param->section, section) == 0) {
      char name[64];
      snprintf(name, sizeof name, "%s.%s", section, param->name);
      improve(run, name);
    }
  }
}

static bool is_one_of(const char *name, const char *names) {
  const char *found = strstr(names, name);
  const size_t length = strlen(name);
  return found != NULL && (found == names || found[-1] == ' ') && (found[length] == ' ' || found[length] == '\0');
}

static void list_tries(explain_run_t *run) {
#define RESOURCE(name, used, text) \
  if (has_worked(run, used)) {     \
    add_try(run, name, text);
#define TIMES(section) halve_times(run, #section);
#define BETTER(section, parameter) improve(run, #section "." #parameter);
#define SCALE(section, parameter, factor) scale(run, #section "." #parameter, factor);
#define END_RESOURCE }
#define BUFFERS(name, kernels, text, words)                   \
  if (is_one_of(run->kernel, kernels)) {                      \
    explain_try_t *one = add_try(run, name, text);            \
    snprintf(one->changes, sizeof one->changes, "%s", words); \
  }
#include "cli/explain/resources.def"
#undef RESOURCE
#undef TIMES
#undef BETTER
#undef SCALE
#undef END_RESOURCE
#undef BUFFERS
}

// The run as it was must take the cycles it took; without values, if that takes the same.
static bool as_it_was(runner_t *runner, base_error_t *error) {
  explain_run_t *run = runner->run;
  char path[PATH_BYTES + 32];
  snprintf(path, sizeof path, "%s/path.json", runner->folder);
  uint64_t cycles = 0;
  for (runner->timing_only = true;; runner->timing_only = false) {
    cycles = again(runner, "", EXPLAIN_TRIES_MAX, path, &runner->reason);
    if (cycles == run->cycles || !runner->timing_only || host_interrupted()) {
      break;
    }
  }
  run->path = json_read(path);
  unlink(path);
  if (cycles == run->cycles && run->path != NULL) {
    return true;
  }
  return cycles == 0 ? base_fail(error, "%s: that run cannot be made again: %s", run->file,
                                 runner->reason.text[0] != '\0' ? runner->reason.text : "it ended without a word")
                     : base_fail(error,
                                 "%s: %llu cycles, and %llu when it is made again: other files, or "
                                 "another version",
                                 run->file, (unsigned long long)run->cycles, (unsigned long long)cycles);
}

bool explain_runs(explain_run_t *run, bool quiet, base_error_t *error) {
  runner_t runner = {.run = run, .quiet = quiet};
  runner.folder = host_new_folder();
  if (runner.folder == NULL || strlen(runner.folder) >= PATH_BYTES) {
    base_fail(error, "no folder for temporary files in TMPDIR: %s",
              strerror(runner.folder == NULL ? errno : ENAMETOOLONG));
    free(runner.folder);
    return false;
  }
  bool good = as_it_was(&runner, error);
  if (good) {
    list_tries(run);
    good = parallel_for(AT_A_TIME, run->tries, try_some, &runner);
  }
  host_remove_folder(runner.folder);
  free(runner.folder);
  return host_interrupted() ? base_fail(error, "interrupted") : good;
}
