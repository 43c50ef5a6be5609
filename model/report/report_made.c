// SPDX-License-Identifier: Apache-2.0
#include "report/report_made.h"

#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 2048 };

static char command[LINE_BYTES], machine[LINE_BYTES];

static void append(char *line, size_t size, const char *text) {
  const size_t used = strlen(line);
  snprintf(line + used, size - used, "%s", text);
}

void report_made_word(char *line, size_t size, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_=+.,:/@%";
  append(line, size, line[0] == '\0' ? "" : " ");
  if (*word != '\0' && word[strspn(word, plain)] == '\0') {
    append(line, size, word);
    return;
  }
  append(line, size, "'");
  for (char c[2] = {0}; (c[0] = *word) != '\0'; ++word) {
    append(line, size, c[0] == '\'' ? "'\\''" : c);
  }
  append(line, size, "'");
}

void report_made_by(const char *name, const report_settings_t *settings) {
  const char *arguments = settings->arguments == NULL ? "" : settings->arguments;
  machine[0] = '\0';
  snprintf(command, sizeof command, "amalgam report %s%s%s", name, *arguments == '\0' ? "" : " ",
           arguments);
}

static void add_option(const char *option, const char *value) {
  report_made_word(machine, sizeof machine, option);
  report_made_word(machine, sizeof machine, value);
}

void report_made_on(const char *config, const report_settings_t *settings, size_t cores) {
  machine[0] = '\0';
  add_option("--config", config);
  for (size_t i = 0; i < settings->set.count; ++i) {
    add_option("--set", settings->set.item[i]);
  }
  if (cores != 0) {
    char number[24];
    snprintf(number, sizeof number, "%zu", cores);
    add_option("--cores", number);
  }
  add_option("--gm", settings->gm_rtl ? "rtl" : "c");
}

void report_made_json(cJSON *root) {
  cJSON *made = cJSON_AddObjectToObject(root, "made");
  cJSON_AddStringToObject(made, "command", command);
  if (machine[0] != '\0') {
    cJSON_AddStringToObject(made, "machine", machine);
  }
}
