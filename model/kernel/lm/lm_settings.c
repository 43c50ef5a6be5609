// SPDX-License-Identifier: Apache-2.0
#include "kernel/lm/lm_settings.h"

#include "kernels/engine/engine_args.h"
#include "kernels/gemm/gemm_args.h"

enum { HEAD_DIM_STEP = 16 };

const char *const lm_arithmetic_names[] = {"fp32", "fa2", "hfa", "expmul"};

size_t lm_usual_chunk(size_t rows, size_t blocks) {
  const size_t half = rows / blocks / 2 * blocks;
  return half > 0 ? half : rows;
}

static bool check_engines(lm_settings_t *settings, const checkpoint_config_t *shape, base_error_t *error) {
  const config_t *config = &settings->machine.soc.config;
  const size_t rows = config->engine.rows;
  const size_t blocks = config->engine.blocks;
  if (config->soc.engines == 0) {
    return base_fail(error,
                     "--config %s: soc.engines is 0; --attention %s needs engines, as many as "
                     "--engines says",
                     settings->machine.config, lm_arithmetic_names[settings->attention]);
  }
  if (rows % blocks != 0) {
    return base_fail(error, "engine.rows %zu: expected a multiple of engine.blocks, %zu", rows, blocks);
  }
  settings->chunk = settings->chunk == 0 ? lm_usual_chunk(rows, blocks) : settings->chunk;
  if (settings->chunk > rows) {
    return base_fail(error, "--chunk %zu: an engine holds %zu keys (engine.rows)", settings->chunk, rows);
  }
  if (shape->head_dim % HEAD_DIM_STEP != 0) {
    return base_fail(error,
                     "--attention %s: the model's heads have %zu elements; expected a "
                     "multiple of %d",
                     lm_arithmetic_names[settings->attention], shape->head_dim, HEAD_DIM_STEP);
  }
  const uint32_t share = (uint32_t)(shape->num_attention_heads / shape->num_key_value_heads);
  const uint32_t need_kb = (engine_token_bytes(share, (uint32_t)shape->head_dim) + 1023) / 1024;
  return need_kb <= config->engine.buffer_kb ||
         base_fail(error, "engine.buffer_kb = %u: the kernel needs %u for a token of this model",
                   (unsigned)config->engine.buffer_kb, (unsigned)need_kb);
}

static bool check_cores(const kernel_machine_t *machine, base_error_t *error) {
  static const kernel_buffers_t need = {.l1 = GEMM_L1_KB, .l0a = GEMM_L0_KB, .l0b = GEMM_L0_KB, .l0c = GEMM_L0C_KB};
  return kernel_machine_holds(machine, &need, error);
}

static num_engine_t engine_of(const lm_settings_t *settings, const checkpoint_config_t *shape) {
  const config_engine_t *engine = &settings->machine.soc.config.engine;
  num_design_t design = NUM_DESIGN_HFA;
  num_engine_design(lm_arithmetic_names[settings->attention], &design);
  return (num_engine_t){
      .design = design, .hfa = settings->hfa, .d = shape->head_dim, .blocks = engine->blocks, .rows = engine->rows};
}

bool lm_settings_fit(lm_settings_t *settings, const checkpoint_config_t *shape, lm_machine_options_t *options,
                     base_error_t *error) {
  soc_options_t *soc = &settings->machine.soc;
  if (!kernel_machine_dies(&settings->machine, error) ||
      (settings->gemm_soc && !check_cores(&settings->machine, error))) {
    return false;
  }
  if (settings->attention == LM_FP32) {
    soc->config.soc.engines = 0;
  } else if (!check_engines(settings, shape, error)) {
    return false;
  }
  soc->gm = SOC_GM_C;
  soc->engine = settings->rtl ? SOC_ENGINE_RTL : SOC_ENGINE_C;
  soc->engine_num = engine_of(settings, shape);
  options->soc = *soc;
  options->chunk = settings->chunk;
  return kernel_firmware(options->engine_firmware, "engine", soc->firmware, error) &&
         kernel_firmware(options->gemm_firmware, "gemm", soc->firmware, error);
}
