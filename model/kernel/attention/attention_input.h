// An attention problem from the command line: files, made-up data, or the shipped example.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_ATTENTION_INPUT_H
#define KERNEL_ATTENTION_INPUT_H

#include "cli/option/options.h"
#include "kernel/attention/attention_problem.h"

// False: *problem holds nothing.
bool attention_input(const options_t *options, attention_problem_t *problem, base_error_t *error);

#endif
