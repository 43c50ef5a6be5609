// Options that several kernels share: the machine, made-up inputs, options that exclude each other.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_RUN_MACHINE_H
#define AMALGAM_CLI_RUN_MACHINE_H

#include "cli/run/run.h"
#include "kernel/attention/attention_settings.h"
#include "kernel/made_up.h"
#include "kernel/result.h"

// Host threads: --threads, else all processors.
unsigned machine_threads(const options_t *options);

// --config (config is its value), --set.
bool machine_config(const options_t *options, const char *config, kernel_machine_t *machine, base_error_t *error);

// The machine of a `run KERNEL` on the SoC: config, cores, memory model, firmware, recordings.
bool machine_read(const run_t *run, const char *config, const char *firmware, kernel_machine_t *machine,
                  base_error_t *error);

// --dist and --seed.
bool made_up_options(const options_t *options, made_up_t *made_up, base_error_t *error);

// --softmax-scale; NAN: not given.
bool scale_option(const options_t *options, float *scale, base_error_t *error);

// Settings that the attention kernels share; of options that the command lacks, the usual ones.
void attention_options(const options_t *options, attention_settings_t *settings);

// --split-kv: 1 to ATTENTION_MAX_SPLITS; of_auto: what "auto" is.
bool split_option(const char *text, unsigned of_auto, unsigned *splits, base_error_t *error);

// --verify, --tolerance; golden: the value of the kernel's --golden.
kernel_judge_t judge_options(const options_t *options, int golden);

// An option, and whether it was given.
typedef struct given {
  const char *name;
  bool given;
} given_t;

// Refuses the first one that was given: "--NAME: WHY".
bool refuse_given(const given_t *list, size_t count, const char *why, base_error_t *error);
#define REFUSE_GIVEN(list, why, error) refuse_given(list, sizeof(list) / sizeof *(list), why, error)

// Names the first one that was not: "--NAME: missing; TOGETHER".
bool need_given(const given_t *list, size_t count, const char *together, base_error_t *error);

// --dist and --seed beside files. file: "q".
bool refuse_made_up(const options_t *options, const char *file, base_error_t *error);

#endif
