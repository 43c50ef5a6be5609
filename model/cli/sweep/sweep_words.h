// The words of a study's runs, as this command line understands them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_SWEEP_SWEEP_WORDS_H
#define AMALGAM_CLI_SWEEP_SWEEP_WORDS_H

#include <stdbool.h>

#include "cli/option/options.h"
#include "sweep/study/points.h"
#include "sweep/study/study.h"

// "run KERNEL ..." or "synth ...": CLI_RUN_AMLA and the like; 0: neither.
unsigned sweep_words_command(const points_words_t *words);

// The options among them. Strings point into the words.  False: error says what is wrong.
bool sweep_words_parse(const points_words_t *words, options_t *options, base_error_t *error);

// The option of this name that a command has, without "--"; NULL: none.
const option_row_t *sweep_words_option(unsigned command, const char *name);

// Can a sweep run the study's command along its axes?  False: error is one line without the file's name.
bool sweep_words_check(const study_t *study, base_error_t *error);

#endif
