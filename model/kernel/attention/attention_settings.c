// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention_settings.h"

#include <string.h>

#include "base/parse.h"

static bool kernel_splits(attention_settings_t *settings, const char *text, base_error_t *error) {
  uint64_t splits = ATTENTION_SPLITS_AUTO;
  if (text == NULL) {   // a kernel without that option
    return true;
  }
  if (strcmp(text, "auto") != 0 &&
      (!parse_count(text, &splits) || splits < 1 || splits > ATTENTION_MAX_SPLITS)) {
    return base_fail(error, "--split-kv: expected 1 to %d or auto, got '%s'", ATTENTION_MAX_SPLITS,
                     text);
  }
  settings->splits = (unsigned)splits;
  return true;
}

// Buffers that are there and fit into L1.
static bool kernel_tiling(attention_settings_t *settings, const options_t *options,
                          base_error_t *error) {
  settings->tiling = (enum attention_cut)options->tiling.value;
  settings->kv_buffers = options->kv_buffers.given ? (unsigned)options->kv_buffers.value : 0;
  settings->qp_buffers = options->qp_buffers.value == 0 ? QP_SHARED : QP_SEPARATE;
  if (settings->tiling == TILING_SINGLE &&
      (settings->kv_buffers != 0 || settings->qp_buffers == QP_SEPARATE)) {
    return base_fail(error, "--%s: cannot go with --tiling single, which has one buffer of each",
                     settings->kv_buffers != 0 ? "kv-buffers" : "qp-buffers");
  }
  const attention_tiling_t tiling =
      attention_tiling(settings->tiling, settings->kv_buffers, settings->qp_buffers,
                       settings->group_rows);
  const uint32_t need_kb = attention_l1_bytes(&tiling) / 1024;
  const config_uint_t have_kb = settings->soc.config.cube.l1_kb;
  return need_kb <= have_kb ||
         base_fail(error, "--tiling, --kv-buffers, --qp-buffers: need cube.l1_kb = %u, which is %u",
                   (unsigned)need_kb, (unsigned)have_kb);
}

static bool kernel_options(attention_settings_t *settings, const options_t *options,
                           base_error_t *error) {
  settings->preload = (unsigned)options->preload.value;
  settings->rescale = options->rescale.value == 0 ? RESCALE_ELEMENT : RESCALE_ROW;
  settings->skip_noop = options->skip_noop;
  settings->group_rows = (unsigned)options->group_rows.value;
  if (settings->group_rows % 16 != 0) {
    return base_fail(error, "--group-rows %u: expected a multiple of 16", settings->group_rows);
  }
  return kernel_splits(settings, options->split_kv, error) &&
         kernel_tiling(settings, options, error);
}

bool attention_settings_read(attention_settings_t *settings, const char *kernel,
                             const options_t *options, base_error_t *error) {
  memset(settings, 0, sizeof *settings);
  settings->kernel = kernel;
  if (!settings_soc(&settings->soc, settings->firmware, kernel, options, error)) {
    return false;
  }
  settings->out_f32 = options->out_f32;
  return kernel_options(settings, options, error);
}
