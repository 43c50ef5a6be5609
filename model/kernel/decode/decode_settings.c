// SPDX-License-Identifier: Apache-2.0
#include "kernel/decode/decode_settings.h"

#include "hal/command.h"
#include "kernel/attention/attention_settings.h"
#include "kernels/fp8/fp8_args.h"
#include "kernels/step/step_args.h"
#include "kernels/w4a16/w4a16_args.h"

enum { USUAL_BLOCK = 512, MOST_ROWS = 1 << 20 };

const char *const decode_attention_names[] = {"base", "amla", "fp8", "flash"};
const char *const decode_weights_names[] = {"fp16", "w4a16", "bf16", "w8a8"};
const char *const decode_cache_names[] = {"bf16", "int8", "fp8"};
const char *const decode_launch_names[] = {"step", "ops"};

decode_settings_t decode_settings(const kernel_machine_t *machine) {
  return (decode_settings_t){
      .machine = *machine, .attention = DECODE_AMLA, .mtp = 1, .block = USUAL_BLOCK, .splits = ATTENTION_SPLITS_AUTO};
}

// --- the model --------------------------------------------------------------------------------

static bool check_width(const char *key, size_t value, base_error_t *error) {
  return value % STRIP == 0 ||
         base_fail(error, "config.json: %s %zu; the kernel takes multiples of %d", key, value, STRIP);
}

static bool check_widths(const checkpoint_config_t *model, base_error_t *error) {
  enum { ALL, MLA, MOE, GQA };
#define CONFIG_COUNT(key, part, smallest, largest, default)
#define CONFIG_REAL(key, smallest, largest, default)
#define CONFIG_ONLY(key, part, value)
#define CONFIG_ALIAS(key, alias)
#define CONFIG_WIDTH(key, part, smallest, largest, default)                                           \
  if (((part) != MOE || model->n_routed_experts > 0) && ((part) != MLA || model->kv_lora_rank > 0) && \
      !check_width(#key, model->key, error)) {                                                        \
    return false;                                                                                     \
  }
#include "llm/checkpoint/checkpoint_config.def"
#undef CONFIG_COUNT
#undef CONFIG_REAL
#undef CONFIG_ONLY
#undef CONFIG_ALIAS
#undef CONFIG_WIDTH
  return model->hidden_size <= STEP_MAX_COLS ||
         base_fail(error, "config.json: hidden_size %zu; the kernel takes at most %d", model->hidden_size,
                   STEP_MAX_COLS);
}

static bool check_experts(const checkpoint_config_t *model, base_error_t *error) {
  if (model->n_routed_experts > STEP_MAX_EXPERTS) {
    return base_fail(error, "config.json: n_routed_experts %zu; the kernel takes at most %d", model->n_routed_experts,
                     STEP_MAX_EXPERTS);
  }
  if (model->n_routed_experts > 0 && model->num_experts_per_tok > STEP_MAX_TOP) {
    return base_fail(error, "config.json: num_experts_per_tok %zu; the kernel takes at most %d",
                     model->num_experts_per_tok, STEP_MAX_TOP);
  }
  return model->n_routed_experts == 0 || model->n_group <= STEP_MAX_GROUPS ||
         base_fail(error, "config.json: n_group %zu; the kernel takes at most %d", model->n_group, STEP_MAX_GROUPS);
}

// --- the machine ------------------------------------------------------------------------------

static bool check_machine(const decode_settings_t *settings, base_error_t *error) {
  static const kernel_buffers_t need = {
      .l1 = W4A16_L1_KB, .l0a = W4A16_L0_KB, .l0b = W4A16_L0_KB, .l0c = W4A16_L0C_KB, .ub = ATTENTION_UB_KB};
  return kernel_machine_holds(&settings->machine, &need, error) &&
         attention_settings_rows(&(attention_settings_t){.machine = settings->machine}, ATTENTION_MAX_GROUP, error);
}

// Latents have kernels of their own.
static bool choose_attention(decode_settings_t *settings, const checkpoint_config_t *model, base_error_t *error) {
  const bool latents = model->kv_lora_rank > 0;
  if (latents && settings->cache == DECODE_CACHE_INT8) {
    return base_fail(error,
                     "--kv-cache int8: is for models without latents; this one has some, whose cache is bf16 or fp8");
  }
  if (!settings->attention_given) {
    settings->attention = !latents                              ? DECODE_FLASH
                          : settings->cache == DECODE_CACHE_FP8 ? DECODE_FP8
                                                                : settings->attention;
  }
  if (latents && (settings->attention == DECODE_FP8) != (settings->cache == DECODE_CACHE_FP8) &&
      settings->cache_given) {
    return base_fail(error, "--kv-cache %s: cannot go with --attention %s", decode_cache_names[settings->cache],
                     decode_attention_names[settings->attention]);
  }
  if (latents == (settings->attention == DECODE_FLASH)) {
    return base_fail(error, "--attention %s: is for models %s latents; this one has %s",
                     decode_attention_names[settings->attention], latents ? "without" : "with",
                     latents ? "some" : "none");
  }
  if (latents && settings->weights == DECODE_BF16) {
    return base_fail(error, "--weights bf16: is for models without latents; this one has some");
  }
  return latents ? decode_latents_fit(settings, model, error) : decode_heads_fit(settings, model, error);
}

bool decode_settings_fit(decode_settings_t *settings, const checkpoint_config_t *model, base_error_t *error) {
  static const char *const firmware[] = {"step_base", "step_amla", "step_fp8", "step_flash"};
  return check_widths(model, error) && check_experts(model, error) && choose_attention(settings, model, error) &&
         check_machine(settings, error) &&
         kernel_machine_ready(&settings->machine, firmware[settings->attention], error);
}
