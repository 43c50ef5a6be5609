// SPDX-License-Identifier: Apache-2.0
#include "kernel/attention/attention_mask.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/mask.h"

bool attention_read_mask(attention_problem_t *problem, const char *path, base_error_t *error) {
  const mask_shape_t shape = {.rows = problem->rows, .keys = problem->keys, .row_axes = 2};
  size_t rows;
  if (!mask_read(path, shape, &problem->visible, &rows, error)) {
    return false;
  }
  uint8_t *all = realloc(problem->visible, problem->rows * problem->keys);
  if (all == NULL) {
    return base_fail(error, "%s: out of memory", path);
  }
  for (size_t row = rows; row < problem->rows; ++row) {
    memcpy(all + row * problem->keys, all, problem->keys);
  }
  problem->visible = all;
  return true;
}

bool attention_apply_causal(attention_problem_t *problem, base_error_t *error) {
  const size_t keys = problem->keys;
  if (problem->seq_q == 1) {
    return true;  // one token sees everything
  }
  if (problem->visible == NULL) {
    problem->visible = malloc(problem->rows * keys);
    if (problem->visible == NULL) {
      return base_fail(error, "--causal: out of memory");
    }
    memset(problem->visible, 1, problem->rows * keys);
  }
  for (size_t row = 0; row < problem->rows; ++row) {
    const size_t later = problem->seq_q - 1 - row / problem->heads;  // tokens after this one
    const size_t seen = keys > later ? keys - later : 0;
    memset(problem->visible + row * keys + seen, 0, keys - seen);
  }
  return true;
}
