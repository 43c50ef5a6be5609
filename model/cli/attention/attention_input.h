// An attention problem from the command line: files, made-up data, or the shipped example.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_ATTENTION_INPUT_H
#define CLI_ATTENTION_INPUT_H

#include "cli/attention/attention_problem.h"
#include "cli/option/options.h"

// False: *problem holds nothing.
bool attention_input(const options_t *options, attention_problem_t *problem, cli_error_t *error);

#endif
