// Shared by the reports: machine and sizes.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/parse.h"
#include "report/report.h"
#include "report/report_made.h"

bool report_step(const report_context_t *context, size_t step, size_t steps, const char *what, base_exit_t *code,
                 base_error_t *error) {
  if (report_interrupted()) {
    *code = BASE_INTERRUPTED;
    return base_fail(error, "interrupted");
  }
  if (!context->settings->quiet) {
    fprintf(stderr, "%s: %zu of %zu: %s\n", context->name, step, steps, what);
  }
  return true;
}

bool report_config(const report_settings_t *settings, const char *usual, kernel_machine_t *machine,
                   base_error_t *error) {
  bool good = kernel_machine_open(machine, settings->config == NULL ? usual : settings->config, error);
  for (size_t i = 0; good && i < settings->set.count; ++i) {
    good = kernel_machine_set(machine, settings->set.item[i], error);
  }
  return good;
}

bool report_machine(const report_context_t *context, const char *usual, unsigned only_cores, kernel_machine_t *machine,
                    base_error_t *error) {
  const report_settings_t *settings = context->settings;
  const size_t cores = only_cores != 0 ? only_cores : settings->cores;
  if (!report_config(settings, usual, machine, error)) {
    return false;
  }
  machine->soc.gm = settings->gm_rtl ? SOC_GM_RTL : SOC_GM_C;
  report_made_on(context->made, machine->config, settings, cores);
  return kernel_machine_cores(machine, cores, error);
}

bool report_numbers(const report_numbers_t *what, const char *text, size_t *list, size_t *count, base_error_t *error) {
  const char *at = text;
  for (*count = 0;; ++at) {
    char number[24];
    uint64_t value;
    const size_t length = strcspn(at, ",");
    snprintf(number, sizeof number, "%.*s", (int)length, at);
    if (length >= sizeof number || !parse_count(number, &value) || value < what->least || value > what->most ||
        *count == what->room) {
      return base_fail(error, "%s: expected up to %zu whole numbers from %zu to %zu, as %s, got '%s'%s", what->option,
                       what->room, what->least, what->most, what->example, text, parse_hint(at));
    }
    list[(*count)++] = (size_t)value;
    at += length;
    if (*at == '\0') {
      return true;
    }
  }
}

bool report_keys(const report_settings_t *settings, const report_keys_t *usual, report_keys_t *keys,
                 base_error_t *error) {
  static const report_numbers_t what = {"--seq-kv", "1024,4096", 1, 16777216, REPORT_KEYS_MAX};
  *keys = *usual;
  return settings->keys == NULL || report_numbers(&what, settings->keys, keys->list, &keys->count, error);
}

bool report_one_size(const report_context_t *context, size_t usual, size_t *keys, base_error_t *error) {
  const report_keys_t usual_keys = {.list = {usual}, .count = 1};
  report_keys_t given;
  if (!report_keys(context->settings, &usual_keys, &given, error)) {
    return false;
  }
  *keys = given.list[0];
  return given.count == 1 || base_fail(error, "--seq-kv: %s takes one number", context->name);
}
