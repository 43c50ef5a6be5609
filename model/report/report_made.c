// SPDX-License-Identifier: Apache-2.0
#include "report/report_made.h"

#include <stdio.h>
#include <string.h>

#include "report/document.h"

enum { LINE_BYTES = 2048 };

static void append(char *line, size_t size, const char *text) {
  const size_t used = strlen(line);
  snprintf(line + used, size - used, "%s", text);
}

void report_made_word(char *line, size_t size, const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
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

cJSON *report_made_by(const char *name, const report_settings_t *settings) {
  const char *arguments = settings->arguments == NULL ? "" : settings->arguments;
  cJSON *made = cJSON_CreateObject();
  if (made != NULL) {
    report_put_text(made, "command", "amalgam report %s%s%s", name, *arguments == '\0' ? "" : " ", arguments);
  }
  return made;
}

void report_made_on(cJSON *made, const char *config, const report_settings_t *settings, size_t cores) {
  char line[LINE_BYTES] = "--config";
  report_made_word(line, sizeof line, config);
  for (size_t i = 0; i < settings->set.count; ++i) {
    report_made_word(line, sizeof line, "--set");
    report_made_word(line, sizeof line, settings->set.item[i]);
  }
  if (cores != 0) {
    char number[24];
    snprintf(number, sizeof number, "%zu", cores);
    report_made_word(line, sizeof line, "--cores");
    report_made_word(line, sizeof line, number);
  }
  report_made_word(line, sizeof line, "--gm");
  report_made_word(line, sizeof line, settings->gm_rtl ? "rtl" : "c");
  cJSON_DeleteItemFromObject(made, "machine");
  report_put(made, TEXT("machine", line));
}
