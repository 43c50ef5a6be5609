// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention_settings.h"

#include <string.h>

attention_settings_t attention_settings(const char *kernel, const kernel_machine_t *machine) {
  return (attention_settings_t){.kernel = kernel,
                                .machine = *machine,
#define SETTING(field, option, type, arg, commands, start, low, high, help) .field = kernel_setting(arg, start),
#include "kernels/attention/attention_settings.def"
#undef SETTING
                                .splits = 1};
}

const char *attention_firmware(const attention_settings_t *settings) {
  if (settings->row_sum == NUM_ROW_SUM_CHAIN) {
    return settings->kernel;
  }
  return strcmp(settings->kernel, "base") == 0 ? "base_tree" : "amla_tree";
}

static bool check_buffers(const kernel_machine_t *machine, const attention_tiling_t *tiling, base_error_t *error) {
  const kernel_buffers_t need = {.l0a = tiling->halves * ATTENTION_L0_KB,
                                 .l0b = tiling->halves * ATTENTION_L0_KB,
                                 .l0c = tiling->halves * ATTENTION_L0C_KB,
                                 .ub = ATTENTION_UB_KB};
  return kernel_machine_holds(machine, &need, error);
}

bool attention_settings_check(const attention_settings_t *settings, base_error_t *error) {
  if (settings->group_rows % 16 != 0) {
    return base_fail(error, "--group-rows %u: expected a multiple of 16", settings->group_rows);
  }
  if (settings->tiling == TILING_SINGLE && (settings->kv_buffers != 0 || settings->qp_buffers == QP_SEPARATE)) {
    return base_fail(error, "--%s: cannot go with --tiling single, which has one buffer of each",
                     settings->kv_buffers != 0 ? "kv-buffers" : "qp-buffers");
  }
  const attention_tiling_t tiling =
      attention_tiling(settings->tiling, settings->kv_buffers, settings->qp_buffers,
                       settings->group_rows == 0 ? ATTENTION_MAX_GROUP : settings->group_rows);
  const uint32_t need_kb = attention_l1_bytes(&tiling) / 1024;
  const config_uint_t have_kb = settings->machine.soc.config.cube.l1_kb;
  return need_kb <= have_kb
             ? check_buffers(&settings->machine, &tiling, error)
             : base_fail(error, "--tiling, --kv-buffers, --qp-buffers: need cube.l1_kb = %u, which is %u",
                         (unsigned)need_kb, (unsigned)have_kb);
}

bool attention_settings_rows(const attention_settings_t *settings, size_t rows, base_error_t *error) {
  const config_uint_t cores = settings->machine.soc.config.soc.vector_cores;
  const size_t most = (size_t)cores * ATTENTION_CORE_ROWS;
  return rows <= most || base_fail(error,
                                   "soc.vector_cores = %u: %zu rows of a group are too many, %d for each vector core; "
                                   "--group-rows %zu cuts them",
                                   (unsigned)cores, rows, ATTENTION_CORE_ROWS, most);
}
