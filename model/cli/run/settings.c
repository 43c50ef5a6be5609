// SPDX-License-Identifier: Apache-2.0
#include "cli/run/settings.h"

#include <errno.h>
#include <string.h>

#include "host/parallel.h"
#include "host/places.h"

bool settings_config(const char *name, const option_list_t *set, config_t *config,
                     base_error_t *error) {
  char path[SETTINGS_PATH_BYTES];
  char reason[CONFIG_ERROR_BYTES];
  if (!config_find(name, path, sizeof path)) {
    return base_fail(error, "--config: name too long");
  }
  if (!config_load(path, config, reason)) {
    return base_fail(error, "%s", reason);
  }
  for (size_t i = 0; i < set->count; ++i) {
    if (!config_set(config, set->item[i], reason)) {
      return base_fail(error, "--set: %s", reason);
    }
  }
  return true;
}

unsigned settings_threads(const options_t *options) {
  return options->threads.given ? (unsigned)options->threads.value
                                : (unsigned)parallel_host_threads();
}

bool settings_firmware(char file[SETTINGS_PATH_BYTES], const char *kernel, bool native,
                       base_error_t *error) {
  snprintf(file, SETTINGS_PATH_BYTES, "%s/firmware/%s.%s", places_built(), kernel,
           native ? "so" : "elf");
  return settings_readable(file, error);
}

bool settings_readable(const char *path, base_error_t *error) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return base_fail(error, "%s: %s", path, strerror(errno));
  }
  fclose(file);
  return true;
}

// --- a kernel of its own on the SoC ------------------------------------------------------------

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text);
  return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static bool own_firmware(soc_options_t *soc, char *path, const char *file, base_error_t *error) {
  const bool native = ends_with(file, ".so");
  if (!native && !ends_with(file, ".elf")) {
    return base_fail(error, "--firmware: expected riscv, native, or a file .elf or .so, got '%s'",
                     file);
  }
  // The dynamic linker looks for a name without a slash elsewhere.
  const char *here = strchr(file, '/') == NULL ? "./" : "";
  const int length = snprintf(path, SETTINGS_PATH_BYTES, "%s%s", here, file);
  soc->firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  return (length >= 0 && (size_t)length < SETTINGS_PATH_BYTES) ||
         base_fail(error, "--firmware: name too long");
}

static bool read_firmware(soc_options_t *soc, char *path, const char *kernel, const char *choice,
                          base_error_t *error) {
  const bool native = strcmp(choice, "native") == 0;
  soc->firmware_file = path;
  if (!native && strcmp(choice, "riscv") != 0) {
    return own_firmware(soc, path, choice, error) && settings_readable(path, error);
  }
  soc->firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  return settings_firmware(path, kernel, native, error);
}

// Keeps the first AI cores of each die, as many of each; a die left without goes, and with it its
// share of the slices.
static void use_cores(config_t *config, unsigned cores) {
  const unsigned dies = cores < config->soc.dies ? cores : config->soc.dies;
  const unsigned slices = config->gm.slices * dies / config->soc.dies;
  config->gm.slices = slices == 0 ? 1 : slices;
  config->soc.dies = dies;
  config->soc.ai_cores = (cores + dies - 1) / dies * dies;
}

static bool read_machine(soc_options_t *soc, const options_t *options, base_error_t *error) {
  config_t *config = &soc->config;
  if (!settings_config(options->config, &options->set, config, error)) {
    return false;
  }
  if (config->soc.ai_cores % config->soc.dies != 0) {
    return base_fail(error, "soc.ai_cores %u: expected a multiple of soc.dies, %u",
                     (unsigned)config->soc.ai_cores, (unsigned)config->soc.dies);
  }
  if (options->cores.given && options->cores.value > config->soc.ai_cores) {
    return base_fail(error, "--cores %llu: the config has soc.ai_cores = %u",
                     (unsigned long long)options->cores.value, (unsigned)config->soc.ai_cores);
  }
  if (options->cores.given && options->cores.value < config->soc.ai_cores) {
    use_cores(config, (unsigned)options->cores.value);
  }
  soc->gm = options->gm.value == 0 ? SOC_GM_RTL : SOC_GM_C;
  soc->race_check = !options->no_race_check;
  soc->l2_warm = options->l2.value == 0;
  soc->timing_only = options->timing_only;
  soc->threads = settings_threads(options);
  return true;
}

bool settings_soc(soc_options_t *soc, char firmware[SETTINGS_PATH_BYTES], const char *kernel,
                  const options_t *options, base_error_t *error) {
  return read_machine(soc, options, error) &&
         read_firmware(soc, firmware, kernel, options->firmware, error);
}
