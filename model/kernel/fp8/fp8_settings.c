// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8_settings.h"

#include "kernels/fp8/fp8_args.h"

const char *fp8_firmware(const fp8_settings_t *settings) {
  if (settings->attention.row_sum == NUM_ROW_SUM_TREE) {
    return settings->direct ? "fp8_direct_tree" : "fp8_tree";
  }
  return settings->direct ? "fp8_direct" : "fp8";
}

// Query rows of a group at most.
static uint32_t most_rows(const fp8_settings_t *settings) {
  return settings->direct ? FP8_DIRECT_ROWS : ATTENTION_MAX_GROUP;
}

static bool check_path(const fp8_settings_t *settings, base_error_t *error) {
  const attention_settings_t *attention = &settings->attention;
  if (!settings->direct) {
    return true;
  }
  if (attention->machine.soc.config.soc.direct_path != 1) {
    return base_fail(error,
                     "--path direct: the machine has no such path; --set soc.direct_path=1 "
                     "gives it one");
  }
  if (attention->preload == 0) {
    return base_fail(error, "--preload 0: expected 1 or 2 with --path direct");
  }
  return attention->group_rows <= FP8_DIRECT_ROWS ||
         base_fail(error, "--group-rows %u: expected at most %d with --path direct", (unsigned)attention->group_rows,
                   FP8_DIRECT_ROWS);
}

bool fp8_settings_check(const fp8_settings_t *settings, base_error_t *error) {
  attention_settings_t attention = settings->attention;
  if (attention.group_rows == 0) {
    attention.group_rows = most_rows(settings);
  }
  const unsigned l1_kb = (unsigned)settings->attention.machine.soc.config.cube.l1_kb;
  if (!attention_settings_check(&attention, error)) {
    return false;
  }
  return l1_kb < FP8_L1_KB ? base_fail(error, "cube.l1_kb = %u: the kernel needs %d", l1_kb, FP8_L1_KB)
                           : check_path(settings, error);
}

// Can the machine's AI cores be paired, each with another of its die?
static bool has_pairs(const config_t *config) { return config->soc.ai_cores % (2 * config->soc.dies) == 0; }

bool fp8_settings_fit(fp8_run_t *run, base_error_t *error) {
  fp8_settings_t *settings = &run->settings;
  soc_options_t *soc = &settings->attention.machine.soc;
  const size_t rows = fp8_list_rows(&run->problem);
  const bool pairs = has_pairs(&soc->config);
  const bool asked = settings->crossover == FP8_CROSSOVER_ON;
  run->crossover = asked || (settings->crossover == FP8_CROSSOVER_USUAL && pairs && rows >= 2);
  soc->pairs = run->crossover;
  // Without crossover rows are cut as with it: both AI cores of a pair have work, and both dequantise.
  if (settings->attention.group_rows == 0) {
    const uint32_t most = most_rows(settings);
    settings->attention.group_rows =
        run->crossover || rows < 2 || !pairs ? most : (fp8_group_rows((uint32_t)rows, most, 1) + 15) / 16 * 16;
  }
  if (asked && !pairs) {
    return base_fail(error,
                     "--crossover on: soc.ai_cores %u on soc.dies %u; expected an even "
                     "number of AI cores on each die",
                     (unsigned)soc->config.soc.ai_cores, (unsigned)soc->config.soc.dies);
  }
  if (asked && rows < 2) {
    return base_fail(error, "--crossover on: one query row cannot be shared by two AI cores");
  }
  return attention_settings_rows(&settings->attention,
                                 fp8_group_rows((uint32_t)rows, settings->attention.group_rows, run->crossover), error);
}
