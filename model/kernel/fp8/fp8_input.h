// An FP8 problem from the command line: files, made-up data, or the shipped example.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_FP8_INPUT_H
#define KERNEL_FP8_INPUT_H

#include "cli/option/options.h"
#include "kernel/fp8/fp8_problem.h"

// False: *problem holds nothing.
bool fp8_input(const options_t *options, fp8_problem_t *problem, base_error_t *error);

// Internal. Queries and the cache from files: shape, tokens, keys; the block table, if there is
// one.
bool fp8_read_q(const options_t *options, const char *path, fp8_problem_t *problem,
                base_error_t *error);
bool fp8_read_cache(const options_t *options, const char *path, fp8_problem_t *problem,
                    base_error_t *error);

// Internal. Who attends to what, for a problem whose shape is there: --lengths, before anything is
// made up; then --indices and --topk-lengths.
bool fp8_read_lengths(const options_t *options, fp8_problem_t *problem, base_error_t *error);
bool fp8_read_indices(const options_t *options, fp8_problem_t *problem, base_error_t *error);
bool fp8_read_sink(const options_t *options, fp8_problem_t *problem, base_error_t *error);

// Internal. That the block table names pages that there are, and that no token attended to is NaN
// or infinite.
bool fp8_check_pages(const fp8_problem_t *problem, const char *path, base_error_t *error);
bool fp8_check_tokens(const fp8_problem_t *problem, const char *path, base_error_t *error);

#endif
