// SPDX-License-Identifier: Apache-2.0
#include "kernel/lm/lm_settings.h"

#include <string.h>


enum { HEAD_DIM_STEP = 16 };

static bool settings_config(const char *name, const option_list_t *set, config_t *config,
                            base_error_t *error) {
  kernel_machine_t machine;
  bool good = kernel_machine_open(&machine, name, error);
  for (size_t i = 0; good && i < set->count; ++i) {
    good = kernel_machine_set(&machine, set->item[i], error);
  }
  *config = machine.soc.config;
  return good;
}

const char *const lm_arithmetic_names[] = {"fp32", "fa2", "hfa"};

// --- options that belong together -------------------------------------------------------------

typedef struct given {
  const char *name;
  bool given;
} given_t;

static bool refuse(const given_t *list, size_t count, const char *need, base_error_t *error) {
  for (size_t i = 0; i < count; ++i) {
    if (list[i].given) {
      return base_fail(error, "--%s: needs %s", list[i].name, need);
    }
  }
  return true;
}

#define REFUSE(list, need, error) refuse(list, sizeof list / sizeof *list, need, error)

static bool check_arithmetic(const lm_settings_t *settings, const options_t *options,
                             base_error_t *error) {
  const given_t of_hfa[] = {{"lns", options->lm_lns.given}, {"zero-exact", options->zero_exact}};
  const given_t of_engines[] = {
      {"impl", options->lm_impl.given},       {"blocks", options->lm_blocks.given},
      {"queries", options->lm_queries.given}, {"engines", options->lm_engines.given},
      {"chunk", options->lm_chunk.given},
  };
  const given_t of_machine[] = {{"config", options->lm_config != NULL},
                                {"set", options->set.count > 0},
                                {"firmware", options->lm_firmware.given},
                                {"timeline", options->timeline != NULL},
                                {"critical-path", options->critical_path != NULL},
                                {"log", options->log != NULL},
                                {"trace", options->trace != NULL}};
  return (settings->attention == LM_HFA || REFUSE(of_hfa, "--attention hfa", error)) &&
         (settings->attention != LM_FP32 ||
          REFUSE(of_engines, "attention engines: --attention hfa or fa2", error)) &&
         (settings->machine ||
          REFUSE(of_machine, "a machine: --attention hfa or fa2, or --gemm soc", error));
}

// --- the machine ------------------------------------------------------------------------------

static bool read_config(lm_settings_t *settings, const options_t *options, base_error_t *error) {
  config_t *config = &settings->options.soc.config;
  settings->config = options->lm_config != NULL ? options->lm_config : "engines";
  if (!settings_config(settings->config, &options->set, config, error)) {
    return false;
  }
  if (settings->attention == LM_FP32) {
    config->soc.engines = 0;
    return true;
  }
  config->soc.engines =
      (config_uint_t)option_count_or(&options->lm_engines, config->soc.engines);
  config->engine.blocks =
      (config_uint_t)option_count_or(&options->lm_blocks, config->engine.blocks);
  config->engine.queries =
      (config_uint_t)option_count_or(&options->lm_queries, config->engine.queries);
  return config->soc.engines > 0 ||
         base_fail(error,
                   "--config %s: soc.engines is 0; --attention %s needs engines, as many as "
                   "--engines says",
                   settings->config, lm_arithmetic_names[settings->attention]);
}

size_t lm_usual_chunk(size_t rows, size_t blocks) {
  const size_t half = rows / blocks / 2 * blocks;
  return half > 0 ? half : rows;
}

static bool read_chunk(lm_settings_t *settings, const options_t *options, base_error_t *error) {
  const config_t *config = &settings->options.soc.config;
  const size_t rows = config->engine.rows;
  const size_t blocks = config->engine.blocks;
  if (rows % blocks != 0) {
    return base_fail(error, "engine.rows %zu: expected a multiple of engine.blocks, %zu", rows,
                     blocks);
  }
  settings->options.chunk = option_count_or(&options->lm_chunk, lm_usual_chunk(rows, blocks));
  return settings->options.chunk <= rows ||
         base_fail(error, "--chunk %zu: an engine holds %zu keys (engine.rows)",
                   settings->options.chunk, rows);
}

static void read_engine(lm_settings_t *settings, const options_t *options) {
  soc_options_t *soc = &settings->options.soc;
  const bool hfa = settings->attention == LM_HFA;
  soc->engine = options->lm_impl.value == 0 ? SOC_ENGINE_RTL : SOC_ENGINE_C;
  soc->engine_num = (num_engine_t){
      .design = hfa ? NUM_DESIGN_HFA : NUM_DESIGN_FA2,
      .hfa = {.corrected = options->lm_lns.value != 0, .zero_exact = options->zero_exact},
      .blocks = soc->config.engine.blocks,
      .rows = soc->config.engine.rows};
}

static bool read_firmware(lm_settings_t *settings, const options_t *options, base_error_t *error) {
  lm_machine_options_t *machine = &settings->options;
  const bool native = options->lm_firmware.value != 0;
  machine->soc.firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  return kernel_firmware(machine->engine_firmware, "engine", machine->soc.firmware, error) &&
         kernel_firmware(machine->gemm_firmware, "gemm", machine->soc.firmware, error);
}

static bool read_machine(lm_settings_t *settings, const options_t *options, base_error_t *error) {
  soc_options_t *soc = &settings->options.soc;
  if (!read_config(settings, options, error)) {
    return false;
  }
  soc->gm = SOC_GM_C;
  soc->race_check = true;
  soc->l2_warm = true;
  soc->threads = options->threads.given ? (unsigned)options->threads.value : kernel_host_threads();
  if (!read_firmware(settings, options, error)) {
    return false;
  }
  if (settings->attention == LM_FP32) {
    return true;
  }
  read_engine(settings, options);
  return read_chunk(settings, options, error);
}

bool lm_settings_read(lm_settings_t *settings, const options_t *options, base_error_t *error) {
  *settings = (lm_settings_t){.attention = (lm_arithmetic_t)options->attention.value,
                              .gemm_soc = options->gemm.value != 0};
  settings->machine = settings->attention != LM_FP32 || settings->gemm_soc;
  return check_arithmetic(settings, options, error) &&
         (!settings->machine || read_machine(settings, options, error));
}

bool lm_settings_fit(lm_settings_t *settings, const lm_shape_t *shape, base_error_t *error) {
  if (settings->attention != LM_FP32 && shape->head_dim % HEAD_DIM_STEP != 0) {
    return base_fail(error,
                     "--attention %s: the model's heads have %zu elements; expected a "
                     "multiple of %d",
                     lm_arithmetic_names[settings->attention], shape->head_dim, HEAD_DIM_STEP);
  }
  settings->options.soc.engine_num.d = shape->head_dim;
  return true;
}
