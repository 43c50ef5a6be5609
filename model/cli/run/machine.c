// SPDX-License-Identifier: Apache-2.0
#include "cli/run/machine.h"

#include <math.h>
#include <string.h>

#include "cli/run/recording.h"
#include "kernels/attention/attention_args.h"

unsigned machine_threads(const options_t *options) {
  return options->threads.given ? (unsigned)options->threads.value : kernel_host_threads();
}

bool machine_config(const options_t *options, const char *config, kernel_machine_t *machine, base_error_t *error) {
  bool good = kernel_machine_open(machine, config, error);
  machine->set = options->set.item;
  machine->sets = options->set.count;
  for (size_t i = 0; good && i < options->set.count; ++i) {
    good = kernel_machine_set(machine, options->set.item[i], error);
  }
  if (options->max_cycles.given) {
    machine->soc.config.soc.max_cycles = (double)options->max_cycles.value;
  }
  machine->soc.threads = machine_threads(options);
  return good;
}

// Kernels here ask memory for operations of few types; others may ask for any.
static bool read_firmware(kernel_machine_t *machine, const char *firmware, base_error_t *error) {
  const bool native = strcmp(firmware, "native") == 0;
  const bool ours = native || strcmp(firmware, "riscv") == 0;
  machine->soc.firmware = native ? SOC_FIRMWARE_NATIVE : SOC_FIRMWARE_RISCV;
  machine->soc.gm = machine->soc.gm == SOC_GM_RTL && !ours ? SOC_GM_RTL_TYPES : machine->soc.gm;
  return ours || kernel_machine_firmware(machine, firmware, error);
}

bool machine_read(const run_t *run, const char *config, const char *firmware, kernel_machine_t *machine,
                  base_error_t *error) {
  const options_t *options = &run->options;
  soc_options_t *soc = &machine->soc;
  if (!machine_config(options, config, machine, error) ||
      !kernel_machine_cores(machine, option_count_or(&options->cores, 0), error)) {
    return false;
  }
  soc->gm = (options->gm.given ? options->gm.value != 0 : options->timing_only) ? SOC_GM_C : SOC_GM_RTL;
  soc->race_check = !options->no_race_check;
  soc->init_check = !options->no_init_check;
  soc->l2_warm = options->l2.value == 0;
  soc->timing_only = options->timing_only;
  soc->launches = (unsigned)options->launches.value;
  return read_firmware(machine, firmware, error) && recording_soc(run, soc, error);
}

// --- inputs and what is asked of the result ----------------------------------------------------

bool made_up_options(const options_t *options, made_up_t *made_up, base_error_t *error) {
  *made_up = made_up_usual();
  made_up->seed = option_count_or(options->draw_seed.given ? &options->draw_seed : &options->seed, 0);
  return options->dist == NULL || made_up_read(made_up, options->dist, made_up->seed, error);
}

bool scale_option(const options_t *options, float *scale, base_error_t *error) {
  *scale = NAN;
  return !options->softmax_scale.given || parse_float(options->softmax_scale.text, scale) ||
         base_fail(error, "--softmax-scale: expected a finite FP32 number, got '%s'%s", options->softmax_scale.text,
                   parse_hint(options->softmax_scale.text));
}

#define VALUE_count(option) (unsigned)option_count_or(&(option), 0)
#define VALUE_choice(option) (unsigned)(option).value
#define VALUE_flag(option) option

void attention_options(const options_t *options, attention_settings_t *settings) {
#define SETTING(field, option, type, arg, commands, start, low, high, help) \
  settings->field = VALUE_##type(options->field);
#include "kernels/attention/attention_settings.def"
#undef SETTING
  settings->row_sum = options->row_sum.value == 0 ? NUM_ROW_SUM_CHAIN : NUM_ROW_SUM_TREE;
  settings->out_f32 = options->out_f32;
}

bool split_option(const char *text, unsigned of_auto, unsigned *splits, base_error_t *error) {
  uint64_t value = of_auto;
  if (strcmp(text, "auto") != 0 && (!parse_count(text, &value) || value < 1 || value > ATTENTION_MAX_SPLITS)) {
    return base_fail(error, "--split-kv: expected 1 to %d or auto, got '%s'%s", ATTENTION_MAX_SPLITS, text,
                     parse_hint(text));
  }
  *splits = (unsigned)value;
  return true;
}

kernel_judge_t judge_options(const options_t *options, int golden) {
  return (kernel_judge_t){.golden = (golden_choice_t)golden,
                          .verify = options->verify,
                          .tolerance = options->tolerance.given ? options->tolerance.value : NAN};
}

// --- what goes together ------------------------------------------------------------------------

bool refuse_given(const given_t *list, size_t count, const char *why, base_error_t *error) {
  for (size_t i = 0; i < count; ++i) {
    if (list[i].given) {
      return base_fail(error, "--%s: %s", list[i].name, why);
    }
  }
  return true;
}

bool need_given(const given_t *list, size_t count, const char *together, base_error_t *error) {
  for (size_t i = 0; i < count; ++i) {
    if (!list[i].given) {
      return base_fail(error, "--%s: missing; %s", list[i].name, together);
    }
  }
  return true;
}

bool refuse_made_up(const options_t *options, const char *file, base_error_t *error) {
  return (options->dist == NULL && !options->seed.given) ||
         base_fail(error, "--%s: makes inputs up, cannot go with --%s", options->dist != NULL ? "dist" : "seed", file);
}
