// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/parallel.h"


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

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text);
  return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static bool own_firmware(settings_t *settings, const char *file, cli_error_t *error) {
  const bool native = ends_with(file, ".so");
  if (!native && !ends_with(file, ".elf")) {
    return cli_fail(error, "--firmware: expected riscv, native, or a file .elf or .so, got '%s'",
                    file);
  }
  // The dynamic linker looks for a name without a slash elsewhere.
  const char *here = strchr(file, '/') == NULL ? "./" : "";
  const int length = snprintf(settings->firmware, sizeof settings->firmware, "%s%s", here, file);
  settings->soc.firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  return (length >= 0 && (size_t)length < sizeof settings->firmware) ||
         cli_fail(error, "--firmware: name too long");
}

static bool built_firmware(settings_t *settings, bool native) {
  settings->soc.firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  snprintf(settings->firmware, sizeof settings->firmware, "%s/firmware/%s.%s", AMALGAM_BUILD_DIR,
           settings->kernel, native ? "so" : "elf");
  return true;
}

bool settings_firmware(settings_t *settings, const char *choice, cli_error_t *error) {
  const bool native = strcmp(choice, "native") == 0;
  const bool built = native || strcmp(choice, "riscv") == 0;
  if (!(built ? built_firmware(settings, native) : own_firmware(settings, choice, error))) {
    return false;
  }
  FILE *file = fopen(settings->firmware, "rb");
  if (file == NULL) {
    return cli_fail(error, "%s: %s", settings->firmware, strerror(errno));
  }
  fclose(file);
  settings->soc.firmware_file = settings->firmware;
  return true;
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

unsigned settings_threads(const options_t *options) {
  return options->threads.given ? (unsigned)options->threads.value
                                : (unsigned)parallel_host_threads();
}

static bool read_machine(settings_t *settings, const options_t *options, cli_error_t *error) {
  config_t *config = &settings->soc.config;
  if (!settings_config(options->config, &options->set, config, error)) {
    return false;
  }
  if (options->cores.given && options->cores.value > config->soc.ai_cores) {
    return cli_fail(error, "--cores %llu: the config has soc.ai_cores = %u",
                    (unsigned long long)options->cores.value, (unsigned)config->soc.ai_cores);
  }
  if (options->cores.given && options->cores.value < config->soc.ai_cores) {
    use_cores(config, (unsigned)options->cores.value);
  }
  settings->soc.gm = options->gm.value == 0 ? SOC_GM_RTL : SOC_GM_C;
  settings->soc.race_check = !options->no_race_check;
  settings->soc.l2_warm = options->l2.value == 0;
  settings->soc.timing_only = options->timing_only;
  settings->soc.threads = settings_threads(options);
  return true;
}

bool settings_read(settings_t *settings, const char *kernel, const options_t *options,
                   cli_error_t *error) {
  memset(settings, 0, sizeof *settings);
  settings->kernel = kernel;
  if (!read_machine(settings, options, error) ||
      !settings_firmware(settings, options->firmware, error)) {
    return false;
  }
  settings->preload = (unsigned)options->preload.value;
  settings->rescale = options->rescale.value == 0 ? RESCALE_ELEMENT : RESCALE_ROW;
  settings->out_f32 = options->out_f32;
  return true;
}
