// SPDX-License-Identifier: Apache-2.0
#include "kernel/fp8/fp8_settings.h"

#include "kernels/fp8/fp8_args.h"

enum { CROSSOVER_ON, PATH_DIRECT = 1 };   // of --crossover's and --path's words

static bool read_path(const options_t *options, fp8_settings_t *settings, base_error_t *error) {
  const attention_settings_t *attention = &settings->attention;
  settings->direct = options->fp8_path.value == PATH_DIRECT;
  if (!settings->direct) {
    return true;
  }
  if (attention->soc.config.soc.direct_path != 1) {
    return base_fail(error,
                     "--path direct: the machine has no such path; --set soc.direct_path=1 "
                     "gives it one");
  }
  if (attention->preload == 0) {
    return base_fail(error, "--preload 0: expected 1 or 2 with --path direct");
  }
  return attention->group_rows <= FP8_DIRECT_ROWS ||
         base_fail(error, "--group-rows %u: expected at most %d with --path direct",
                   (unsigned)attention->group_rows, FP8_DIRECT_ROWS);
}

// Of a group, if the options do not say it.
static uint32_t most_rows(const options_t *options) {
  return options->fp8_path.value == PATH_DIRECT ? FP8_DIRECT_ROWS : ATTENTION_MAX_GROUP;
}

bool fp8_settings_read(const options_t *options, fp8_settings_t *settings, base_error_t *error) {
  options_t as_amla = *options;
  as_amla.config = options->fp8_config;
  as_amla.group_rows.value = option_count_or(&options->fp8_group_rows, most_rows(options));
  const char *kernel = options->fp8_path.value == PATH_DIRECT ? "fp8_direct" : "fp8";
  if (!attention_settings_read(&settings->attention, kernel, &as_amla, error)) {
    return false;
  }
  if (options->fp8_convert.given) {
    settings->attention.soc.config.vector.e4m3_emulated =
        (config_uint_t)options->fp8_convert.value;
  }
  const unsigned l1_kb = (unsigned)settings->attention.soc.config.cube.l1_kb;
  if (l1_kb < FP8_L1_KB) {
    return base_fail(error, "cube.l1_kb = %u: the kernel needs %d", l1_kb, FP8_L1_KB);
  }
  return read_path(options, settings, error);
}

// Can the machine's AI cores be paired, each with another of its die?
static bool has_pairs(const config_t *config) {
  return config->soc.ai_cores % (2 * config->soc.dies) == 0;
}

static void cut_rows(const options_t *options, size_t rows, fp8_settings_t *settings) {
  attention_settings_t *attention = &settings->attention;
  if (!options->fp8_group_rows.given && !settings->crossover && rows >= 2 &&
      has_pairs(&attention->soc.config)) {
    attention->group_rows =
        (fp8_group_rows((uint32_t)rows, most_rows(options), 1) + 15) / 16 * 16;
  }
}

bool fp8_settings_fit(const options_t *options, const fp8_problem_t *problem,
                      fp8_settings_t *settings, base_error_t *error) {
  const config_t *config = &settings->attention.soc.config;
  const size_t rows = fp8_list_rows(problem);
  const bool possible = has_pairs(config) && rows >= 2;
  settings->crossover = options->fp8_crossover.given
                            ? options->fp8_crossover.value == CROSSOVER_ON
                            : possible;
  settings->attention.soc.pairs = settings->crossover;
  cut_rows(options, rows, settings);
  if (settings->crossover && !has_pairs(config)) {
    return base_fail(error,
                     "--crossover on: soc.ai_cores %u on soc.dies %u; expected an even "
                     "number of AI cores on each die",
                     (unsigned)config->soc.ai_cores, (unsigned)config->soc.dies);
  }
  return !settings->crossover || possible ||
         base_fail(error, "--crossover on: one query row cannot be shared by two AI cores");
}
