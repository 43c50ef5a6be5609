// SPDX-License-Identifier: Apache-2.0
#include "cli/run/settings.h"

#include <errno.h>
#include <string.h>

#include "host/parallel.h"

bool settings_config(const char *name, const option_list_t *set, config_t *config,
                     cli_error_t *error) {
  char path[SETTINGS_PATH_BYTES];
  char reason[CONFIG_ERROR_BYTES];
  if (!config_find(name, path, sizeof path)) {
    return cli_fail(error, "--config: name too long");
  }
  if (!config_load(path, config, reason)) {
    return cli_fail(error, "%s", reason);
  }
  for (size_t i = 0; i < set->count; ++i) {
    if (!config_set(config, set->item[i], reason)) {
      return cli_fail(error, "--set: %s", reason);
    }
  }
  return true;
}

unsigned settings_threads(const options_t *options) {
  return options->threads.given ? (unsigned)options->threads.value
                                : (unsigned)parallel_host_threads();
}

bool settings_firmware(char file[SETTINGS_PATH_BYTES], const char *kernel, bool native,
                       cli_error_t *error) {
  snprintf(file, SETTINGS_PATH_BYTES, "%s/firmware/%s.%s", AMALGAM_BUILD_DIR, kernel,
           native ? "so" : "elf");
  return settings_readable(file, error);
}

bool settings_readable(const char *path, cli_error_t *error) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return cli_fail(error, "%s: %s", path, strerror(errno));
  }
  fclose(file);
  return true;
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text);
  return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

bool settings_own_firmware(char file[SETTINGS_PATH_BYTES], const char *given, bool *native,
                           cli_error_t *error) {
  *native = ends_with(given, ".so");
  if (!*native && !ends_with(given, ".elf")) {
    return cli_fail(error, "--firmware: expected a file .elf or .so, or riscv or native for a "
                           "kernel of the project, got '%s'", given);
  }
  // The dynamic linker looks for a name without a slash elsewhere.
  const char *here = strchr(given, '/') == NULL ? "./" : "";
  const int length = snprintf(file, SETTINGS_PATH_BYTES, "%s%s", here, given);
  return ((length >= 0 && length < SETTINGS_PATH_BYTES) ||
          cli_fail(error, "--firmware: name too long")) && settings_readable(file, error);
}
