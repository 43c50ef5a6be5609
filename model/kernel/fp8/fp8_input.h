// Internal: the arrays that a request asks for, from files, made up, or the shipped ones.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_FP8_FP8_INPUT_H
#define AMALGAM_KERNEL_FP8_FP8_INPUT_H

#include "kernel/fp8/fp8.h"

// False: *problem holds nothing.
bool fp8_read(const fp8_input_t *input, bool timing_only, unsigned threads, fp8_problem_t *problem,
              base_error_t *error);

// Queries and the cache from files: shape, tokens, keys; the block table, if there is
// one.
bool fp8_read_q(const fp8_input_t *input, const char *path, fp8_problem_t *problem, base_error_t *error);
bool fp8_read_cache(const fp8_input_t *input, const char *path, fp8_problem_t *problem, base_error_t *error);

// Reads who attends to what, for a problem whose shape is there: lengths, before anything is
// made up; then indices and their lengths.
bool fp8_read_lengths(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error);
bool fp8_read_indices(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error);
bool fp8_read_sink(const fp8_input_t *input, fp8_problem_t *problem, base_error_t *error);

// Checks that the block table names pages that there are, and that no token attended to is NaN
// or infinite.
bool fp8_check_pages(const fp8_problem_t *problem, const char *path, base_error_t *error);
bool fp8_check_tokens(const fp8_problem_t *problem, const char *path, base_error_t *error);

static inline num_fp8_scale_t fp8_scale_kind(const fp8_input_t *input) {
  return input->quantiser == FP8_UE8M0 ? NUM_FP8_SCALE_UE8M0 : NUM_FP8_SCALE_AMAX;
}

#endif
