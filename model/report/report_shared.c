// What the reports share: machine, sizes, the paper's measurements.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/parse.h"
#include "kernel/attention/attention_settings.h"
#include "kernels/attention/attention_args.h"
#include "report/report.h"
#include "report/report_made.h"

const report_entry_t report_entries[] = {
#define ENTRY(sq, sk, time_us, fu, gpu_time_us, gpu_fu) {sq, sk, time_us, fu, gpu_time_us, gpu_fu},
#include "report/amla/report_table5.def"
#undef ENTRY
};
const size_t report_entry_count = sizeof report_entries / sizeof *report_entries;

const report_entry_t *report_paper_entry(size_t sq, size_t sk) {
  for (size_t i = 0; i < report_entry_count; ++i) {
    if (report_entries[i].sq == sq && report_entries[i].sk == sk) {
      return &report_entries[i];
    }
  }
  return NULL;
}

bool report_step(const report_context_t *context, size_t step, size_t steps, const char *what,
                 base_exit_t *code, base_error_t *error) {
  if (report_interrupted()) {
    *code = BASE_INTERRUPTED;
    return base_fail(error, "interrupted");
  }
  if (!context->options->quiet) {
    fprintf(stderr, "%s: %zu of %zu: %s\n", context->name, step, steps, what);
  }
  return true;
}

size_t report_seeds(const options_t *options, size_t usual) {
  return option_count_or(&options->seeds, usual);
}

double report_mla_intensity(size_t rows) {
  return (double)rows * (ATTENTION_MAX_DK + ATTENTION_MAX_DV) / ATTENTION_MAX_DK;
}

double report_peak_tflops(const config_t *config) {
  return 2e-6 * config->cube.mac_m * config->cube.mac_n * config->cube.mac_k *
         config->soc.ai_cores * config->soc.clock_mhz;
}

double report_hbm_tbps(const config_t *config) {
  return 1e-3 * config->gm.hbm_gbps * config->soc.dies;
}

static void add(report_common_t *common, const char *option, const char *value) {
  common->word[common->count++] = option;
  common->word[common->count++] = value;
}

// The parameters, by the way a job goes.
static bool read_config(report_machine_t *machine, base_error_t *error) {
  options_t options;
  static attention_settings_t settings;
  char *word[REPORT_WORDS_MAX] = {(char *)"amla"};
  const size_t count = machine->common.count;
  memcpy(word + 1, machine->common.word, count * sizeof *word);
  if (!options_parse(&options, CLI_RUN_AMLA, (int)count + 1, word, error) ||
      !attention_settings_read(&settings, "amla", &options, error)) {
    return false;
  }
  machine->config = settings.soc.config;
  return true;
}

bool report_machine(const options_t *options, const char *usual, unsigned only_cores,
                    report_machine_t *machine, base_error_t *error) {
  report_common_t *common = &machine->common;
  common->count = 0;
  add(common, "--config", options->report_config == NULL ? usual : options->report_config);
  if (options->set.count > (REPORT_WORDS_MAX - 32) / 2) {
    return base_fail(error, "--set: given more than %d times", (REPORT_WORDS_MAX - 32) / 2);
  }
  for (size_t i = 0; i < options->set.count; ++i) {
    add(common, "--set", options->set.item[i]);
  }
  if (only_cores != 0 || options->report_cores.given) {
    snprintf(machine->cores, sizeof machine->cores, "%zu",
             only_cores != 0 ? only_cores : (size_t)options->report_cores.value);
    add(common, "--cores", machine->cores);
  }
  add(common, "--gm", options->report_gm.value == 0 ? "rtl" : "c");
  report_made_on(common->word, common->count);
  return read_config(machine, error);
}

bool report_keys(const options_t *options, const report_keys_t *usual, report_keys_t *keys,
                 base_error_t *error) {
  const char *text = options->report_keys;
  *keys = *usual;
  if (text == NULL) {
    return true;
  }
  for (keys->count = 0;; ++text) {
    char number[24];
    uint64_t value;
    const size_t length = strcspn(text, ",");
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    if (length >= sizeof number || !parse_count(number, &value) || value < 1 || value > 16777216 ||
        keys->count == REPORT_KEYS_MAX) {
      return base_fail(error,
                       "--seq-kv: expected up to %d whole numbers from 1 to 16777216, as "
                       "1024,4096, got '%s'",
                       REPORT_KEYS_MAX, options->report_keys);
    }
    keys->list[keys->count++] = (size_t)value;
    text += length;
    if (*text == '\0') {
      return true;
    }
  }
}

bool report_one_size(const report_context_t *context, size_t usual, size_t *keys,
                     base_error_t *error) {
  const report_keys_t usual_keys = {.list = {usual}, .count = 1};
  report_keys_t given;
  if (!report_keys(context->options, &usual_keys, &given, error)) {
    return false;
  }
  *keys = given.list[0];
  return given.count == 1 || base_fail(error, "--seq-kv: %s takes one number", context->name);
}
