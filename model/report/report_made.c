// SPDX-License-Identifier: Apache-2.0
#include "report/report_made.h"

#include <string.h>

enum { LINE_BYTES = 2048 };

static char command[LINE_BYTES], machine[LINE_BYTES];

static void append(char line[LINE_BYTES], const char *text) {
  const size_t used = strlen(line);
  snprintf(line + used, LINE_BYTES - used, "%s", text);
}

// " word", for a shell.
static void append_word(char line[LINE_BYTES], const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_=+.,:/@%";
  append(line, line[0] == '\0' ? "" : " ");
  if (*word != '\0' && word[strspn(word, plain)] == '\0') {
    append(line, word);
    return;
  }
  append(line, "'");
  for (char c[2] = {0}; (c[0] = *word) != '\0'; ++word) {
    append(line, c[0] == '\'' ? "'\\''" : c);
  }
  append(line, "'");
}

// Options that say where and how files are written, not what is in them.
static bool is_outward(const char *option) {
  return strcmp(option, "--html") == 0 || strcmp(option, "--quiet") == 0 ||
         strncmp(option, "--out=", strlen("--out=")) == 0;
}

void report_made_by(const char *name, const options_t *options, int argc, char **argv) {
  command[0] = machine[0] = '\0';
  append(command, "amalgam report ");
  append(command, name);
  for (int i = 1; i < argc - options->words; ++i) {
    if (strcmp(argv[i], "--out") == 0) {
      ++i;
    } else if (!is_outward(argv[i])) {
      append_word(command, argv[i]);
    }
  }
}

void report_made_on(const char *const *word, size_t count) {
  machine[0] = '\0';
  for (size_t i = 0; i < count; ++i) {
    append_word(machine, word[i]);
  }
}

void report_made_json(cJSON *root) {
  cJSON *made = cJSON_AddObjectToObject(root, "made");
  cJSON_AddStringToObject(made, "command", command);
  if (machine[0] != '\0') {
    cJSON_AddStringToObject(made, "machine", machine);
  }
}
