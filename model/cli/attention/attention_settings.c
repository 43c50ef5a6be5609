// SPDX-License-Identifier: Apache-2.0
#include "cli/attention/attention_settings.h"

#include <string.h>

#include "cli/option/parse.h"

static bool read_firmware(attention_settings_t *settings, const char *choice,
                          cli_error_t *error) {
  bool native = strcmp(choice, "native") == 0;
  settings->soc.firmware_file = settings->firmware;
  if (!native && strcmp(choice, "riscv") != 0) {
    if (!settings_own_firmware(settings->firmware, choice, &native, error)) {
      return false;
    }
    settings->soc.firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
    return true;
  }
  settings->soc.firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  return settings_firmware(settings->firmware, settings->kernel, native, error);
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

static bool kernel_splits(attention_settings_t *settings, const char *text, cli_error_t *error) {
  uint64_t splits = ATTENTION_SPLITS_AUTO;
  if (strcmp(text, "auto") != 0 &&
      (!parse_count(text, &splits) || splits < 1 || splits > ATTENTION_MAX_SPLITS)) {
    return cli_fail(error, "--split-kv: expected 1 to %d or auto, got '%s'", ATTENTION_MAX_SPLITS,
                    text);
  }
  settings->splits = (unsigned)splits;
  return true;
}

// Buffers that are there and fit into L1.
static bool kernel_tiling(attention_settings_t *settings, const options_t *options,
                          cli_error_t *error) {
  settings->tiling = (enum attention_cut)options->tiling.value;
  settings->kv_buffers = options->kv_buffers.given ? (unsigned)options->kv_buffers.value : 0;
  settings->qp_buffers = options->qp_buffers.value == 0 ? QP_SHARED : QP_SEPARATE;
  if (settings->tiling == TILING_SINGLE &&
      (settings->kv_buffers != 0 || settings->qp_buffers == QP_SEPARATE)) {
    return cli_fail(error, "--%s: cannot go with --tiling single, which has one buffer of each",
                    settings->kv_buffers != 0 ? "kv-buffers" : "qp-buffers");
  }
  const attention_tiling_t tiling =
      attention_tiling(settings->tiling, settings->kv_buffers, settings->qp_buffers,
                       settings->group_rows);
  const uint32_t need_kb = attention_l1_bytes(&tiling) / 1024;
  const config_uint_t have_kb = settings->soc.config.cube.l1_kb;
  return need_kb <= have_kb ||
         cli_fail(error, "--tiling, --kv-buffers, --qp-buffers: need cube.l1_kb = %u, which is %u",
                  (unsigned)need_kb, (unsigned)have_kb);
}

static bool kernel_options(attention_settings_t *settings, const options_t *options,
                           cli_error_t *error) {
  settings->preload = (unsigned)options->preload.value;
  settings->rescale = options->rescale.value == 0 ? RESCALE_ELEMENT : RESCALE_ROW;
  settings->skip_noop = options->skip_noop;
  settings->group_rows = (unsigned)options->group_rows.value;
  if (settings->group_rows % 16 != 0) {
    return cli_fail(error, "--group-rows %u: expected a multiple of 16", settings->group_rows);
  }
  return kernel_splits(settings, options->split_kv, error) &&
         kernel_tiling(settings, options, error);
}

static bool read_machine(attention_settings_t *settings, const options_t *options,
                         cli_error_t *error) {
  config_t *config = &settings->soc.config;
  if (!settings_config(options->config, &options->set, config, error)) {
    return false;
  }
  if (config->soc.ai_cores % config->soc.dies != 0) {
    return cli_fail(error, "soc.ai_cores %u: expected a multiple of soc.dies, %u",
                    (unsigned)config->soc.ai_cores, (unsigned)config->soc.dies);
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

bool attention_settings_read(attention_settings_t *settings, const char *kernel,
                             const options_t *options, cli_error_t *error) {
  memset(settings, 0, sizeof *settings);
  settings->kernel = kernel;
  if (!read_machine(settings, options, error) ||
      !read_firmware(settings, options->firmware, error)) {
    return false;
  }
  settings->out_f32 = options->out_f32;
  return kernel_options(settings, options, error);
}
