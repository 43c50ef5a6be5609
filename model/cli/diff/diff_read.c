// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/diff/diff.h"
#include "cli/option/options.h"
#include "cli/run/run.h"
#include "config/config.h"
#include "kernel/result.h"

enum { WORDS_MOST = 512, TEXT_BYTES = 8192 };

// --- the machine ------------------------------------------------------------------------------

// False: it is not there any more, or not as it was.
static bool load_machine(const cJSON *run, config_t *config) {
  base_error_t message;
  const cJSON *set;
  const char *name = json_text(run, "config");
  if (name[0] == '\0' || !config_open(name, config, &message)) {
    return false;
  }
  cJSON_ArrayForEach(set, cJSON_GetObjectItemCaseSensitive(run, "set")) {
    const char *assignment = cJSON_GetStringValue(set);
    if (assignment == NULL || !config_set(config, assignment, &message)) {
      return false;
    }
  }
  return true;
}

static bool has_machine(const cJSON *run) { return cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(run, "machine")); }

// All parameters say more than a name and what was set. Files of an older Amalgam lack them: then as those machines
// are now, if both can still be read.
static void resolve_machines(cJSON *const run[2]) {
  config_t config[2];
  if (has_machine(run[0]) && has_machine(run[1])) {
    cJSON_DeleteItemFromObjectCaseSensitive(run[0], "set");
    cJSON_DeleteItemFromObjectCaseSensitive(run[1], "set");
    return;
  }
  for (int i = 0; i < 2; ++i) {
    cJSON_DeleteItemFromObjectCaseSensitive(run[i], "machine");
  }
  if (!load_machine(run[0], &config[0]) || !load_machine(run[1], &config[1])) {
    return;
  }
  for (int i = 0; i < 2; ++i) {
    cJSON_DeleteItemFromObjectCaseSensitive(run[i], "set");
    kernel_json_machine(run[i], &config[i]);
  }
}

// --- options ----------------------------------------------------------------------------------

typedef struct words {
  const char *word[WORDS_MOST];
  size_t count;
} words_t;

// The words of the command line, without those about outputs.
static void take_words(const cJSON *run, words_t *words) {
  char *argv[WORDS_MOST + 1] = {NULL};
  base_error_t error;
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(run, "host"), "arguments");
  const run_kernel_t *kernel = run_kernel_find(json_text(run, "kernel"));
  const int count = cJSON_GetArraySize(list);
  words->count = 0;
  if (kernel == NULL || count < 1 || count > WORDS_MOST) {
    return;
  }
  for (int i = 0; i < count; ++i) {
    argv[i] = cJSON_GetStringValue(cJSON_GetArrayItem(list, i));
    if (argv[i] == NULL) {
      return;
    }
  }
  if (!options_keep(kernel->command, OPTION_OUTPUT, count, argv, words->word, &words->count, &error)) {
    words->count = 0;
  }
}

static void join(const words_t *words, size_t first, size_t end, char text[TEXT_BYTES]) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = first; i < end && used < TEXT_BYTES; ++i) {
    used += (size_t)snprintf(text + used, TEXT_BYTES - used, "%s%s", i == first ? "" : " ", words->word[i]);
  }
}

static bool is_option(const words_t *words, size_t i) { return strncmp(words->word[i], "--", 2) == 0; }

// Without the words that both begin with, and end in; an option's value is shown with its name.
static void add_options(cJSON *const run[2], const words_t words[2]) {
  char text[TEXT_BYTES];
  const words_t *a = &words[0], *b = &words[1];
  size_t first = 0, behind = 0;
  while (first < a->count && first < b->count && strcmp(a->word[first], b->word[first]) == 0) {
    ++first;
  }
  while (a->count - behind > first && b->count - behind > first &&
         strcmp(a->word[a->count - behind - 1], b->word[b->count - behind - 1]) == 0) {
    ++behind;
  }
  const bool is_value = first > 0 && is_option(a, first - 1) &&
                        ((first < a->count && !is_option(a, first)) || (first < b->count && !is_option(b, first)));
  first -= is_value ? 1 : 0;
  for (int i = 0; i < 2; ++i) {
    join(&words[i], first, words[i].count - behind, text);
    cJSON_AddStringToObject(run[i], "options", text);
  }
}

// --- pipes ------------------------------------------------------------------------------------

static void take_pipe(const cJSON *pipe, cJSON *cycles, cJSON *commands) {
  char name[64];
  const cJSON *item;
  snprintf(name, sizeof name, "%s %s", json_text(pipe, "core"), json_text(pipe, "pipe"));
  cJSON *one = cJSON_AddObjectToObject(cycles, name);
  cJSON_ArrayForEach(item, pipe) {
    if (strcmp(item->string, "commands") == 0) {
      cJSON_AddItemToObject(commands, name, cJSON_Duplicate(item, true));
    } else if (cJSON_IsNumber(item)) {
      cJSON_AddItemToObject(one, item->string, cJSON_Duplicate(item, false));
    }
  }
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(pipe, "stall")) {
    if (item->string != NULL) {
      cJSON_AddItemToObject(one, item->string, cJSON_Duplicate(item, true));
    }
  }
}

// By name: two machines need not have the same.
static bool name_pipes(const char *file, cJSON *run, base_error_t *error) {
  const cJSON *pipe;
  cJSON *list = cJSON_DetachItemFromObjectCaseSensitive(run, "pipes");
  cJSON *cycles = cJSON_AddObjectToObject(run, "pipes");
  cJSON *commands = cJSON_AddObjectToObject(run, "commands");
  bool good = true;
  cJSON_ArrayForEach(pipe, list) {
    good = good && cJSON_IsObject(pipe);
    if (good) {
      take_pipe(pipe, cycles, commands);
    }
  }
  cJSON_Delete(list);
  return good || base_fail(error, "%s: pipes: expected a list of objects", file);
}

// --- the file ---------------------------------------------------------------------------------

// Names and texts are printed: a terminal gets no control characters from them.
static void make_plain(cJSON *item) {
  char *const text[] = {item->string, cJSON_GetStringValue(item)};
  for (int i = 0; i < 2; ++i) {
    for (char *at = text[i]; at != NULL && *at != '\0'; ++at) {
      *at = (unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at;
    }
  }
  for (cJSON *child = item->child; child != NULL; child = child->next) {
    make_plain(child);
  }
}

static cJSON *read_run(const char *file, base_error_t *error) {
  static const char expected[] = "the file of an `amalgam run --json`";
  cJSON *run = json_read_input(file, expected, error);
  uint64_t cycles;
  if (run == NULL) {
    return NULL;
  }
  make_plain(run);
  if (json_text(run, "kernel")[0] == '\0') {
    base_fail(error, "%s: kernel: expected a text; is it %s?", file, expected);
  } else if (!json_count(cJSON_GetObjectItemCaseSensitive(run, "cycles"), &cycles)) {
    base_fail(error, "%s: cycles: expected a whole number", file);
  } else if (name_pipes(file, run, error)) {
    return run;
  }
  cJSON_Delete(run);
  return NULL;
}

bool diff_read(const char *const file[2], cJSON *run[2], base_error_t *error) {
  words_t words[2];
  run[0] = read_run(file[0], error);
  run[1] = run[0] == NULL ? NULL : read_run(file[1], error);
  if (run[1] == NULL) {
    return false;
  }
  resolve_machines(run);
  take_words(run[0], &words[0]);
  take_words(run[1], &words[1]);
  add_options(run, words);
  cJSON_DeleteItemFromObjectCaseSensitive(run[0], "host");
  cJSON_DeleteItemFromObjectCaseSensitive(run[1], "host");
  return true;
}
