// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/output.h"
#include "host/interrupt.h"
#include "report/report_made.h"
#include "report/report_write.h"

const report_title_t report_titles[REPORT_TITLES] = {
#define REPORT(name, other, function, needs, help) {#name, other, help},
#include "report/reports.def"
#undef REPORT
};
static report_function_t *const run_row[REPORT_TITLES] = {
#define REPORT(name, other, function, needs, help) function,
#include "report/reports.def"
#undef REPORT
};

static bool is_row(const report_title_t *row, const char *word) {
  return strcmp(row->name, word) == 0 || (row->other != NULL && strcmp(row->other, word) == 0) ||
         strcmp(word, "all") == 0;
}

static bool is_wanted(const report_settings_t *settings, size_t row) {
  for (size_t i = 0; i < settings->reports.count; ++i) {
    if (is_row(&report_titles[row], settings->reports.item[i])) {
      return true;
    }
  }
  return false;
}

static bool make_directory(const char *path, bool *made, base_error_t *error) {
  struct stat status;
  *made = mkdir(path, 0777) == 0;
  if (!*made && errno != EEXIST) {
    return base_fail(error, "--out %s: %s", path, strerror(errno));
  }
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
    return base_fail(error, "--out %s: %s", path, strerror(ENOTDIR));
  }
  return access(path, W_OK | X_OK) == 0 || base_fail(error, "--out %s: %s", path, strerror(errno));
}

// --- the reports ------------------------------------------------------------------------------

static bool is_writable(const report_settings_t *settings, const char *name, base_error_t *error) {
  outputs_t outputs = {0};
  size_t index;
  const bool good = report_file(settings, name, "json", &outputs, &index, error) &&
                    report_file(settings, name, "md", &outputs, &index, error);
  outputs_discard(&outputs);
  return good;
}

// Before the first of them takes its time: there is place for all, and none is what another is made from.
static bool check_files(const report_settings_t *settings, base_error_t *error) {
  char config[PATH_MAX];
  bool good =
      (settings->liberty == NULL || input_check(settings->liberty, error)) &&
      (settings->config == NULL || !config_find(settings->config, config, sizeof config) || input_check(config, error));
  for (size_t i = 0; good && i < REPORT_TITLES; ++i) {
    good = !is_wanted(settings, i) || is_writable(settings, report_titles[i].name, error);
  }
  return good;
}

static bool make_one(size_t row, const report_settings_t *settings, base_exit_t *code, base_error_t *error) {
  const char *name = report_titles[row].name;
  const report_context_t context = {.name = name, .settings = settings, .made = report_made_by(name, settings)};
  const bool good = run_row[row](&context, code, error);
  cJSON_Delete(context.made);
  return good;
}

static base_exit_t make_wanted(const report_settings_t *settings, base_error_t *error) {
  base_exit_t worst = BASE_OK;
  for (size_t i = 0; i < REPORT_TITLES; ++i) {
    base_exit_t code = BASE_BAD_INPUT;
    base_error_t reason;
    if (is_wanted(settings, i) && !make_one(i, settings, &code, &reason)) {
      *error = reason;
      worst = code;
      if (code != BASE_OUT_OF_TOLERANCE) {
        break;
      }
    }
  }
  if (report_interrupted()) {
    base_fail(error, "interrupted");
    return BASE_INTERRUPTED;
  }
  return worst;
}

// The page of what is in the folder now.
static bool write_page(const report_settings_t *settings, base_error_t *error) {
  report_html_t page = {.list = report_titles, .count = REPORT_TITLES, .directory = settings->out};
  if (!report_html(&page, error)) {
    return false;
  }
  if (!settings->quiet) {
    printf("%s/index.html: %zu of %d reports", page.directory, page.there, REPORT_TITLES);
    for (size_t i = 0, missing = 0; i < REPORT_TITLES; ++i) {
      if (!report_html_has(&page, i)) {
        printf("%s%s", missing++ == 0 ? "; missing: " : ", ", report_titles[i].name);
      }
    }
    putchar('\n');
  }
  return output_printed(error);
}

base_exit_t report_make(const report_settings_t *settings, base_error_t *error) {
  bool made = false;
  host_hold_interrupts();
  if (settings->reports.count > 0 && !make_directory(settings->out, &made, error)) {
    return BASE_BAD_INPUT;
  }
  base_exit_t code = check_files(settings, error) ? make_wanted(settings, error) : BASE_BAD_INPUT;
  if (settings->html && (code == BASE_OK || code == BASE_OUT_OF_TOLERANCE)) {
    base_error_t reason;
    if (!write_page(settings, &reason)) {
      *error = reason;
      code = BASE_BAD_INPUT;
    }
  }
  if (made) {
    rmdir(settings->out);  // unless something was written
  }
  return code;
}
