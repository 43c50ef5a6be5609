// `run custom`: a user's own firmware on arrays of a user's own.
//
//   run_custom.c      the run: settings, simulation, text, JSON
//   custom_arrays.c   its arrays: inputs, output, what is expected of it
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_RUN_CUSTOM_H
#define CLI_RUN_CUSTOM_H

#include "cli/run/run.h"

extern const run_kernel_t run_custom;

#endif
