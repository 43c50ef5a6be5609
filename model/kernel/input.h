// Where the inputs of a kernel come from, and how a size that was asked for must agree with theirs.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_INPUT_H
#define AMALGAM_KERNEL_INPUT_H

#include "kernel/made_up.h"

typedef enum kernel_source {
  KERNEL_SHIPPED,  // real data of tests/data
  KERNEL_MADE_UP,  // random numbers of a shape; with timing only no numbers at all
  KERNEL_FILES,    // .npy
} kernel_source_t;

// A size that was asked for (0: none) must be the one that the file `path` has. name: of the option.
static inline bool kernel_agrees(const char *name, size_t asked, size_t have, const char *path, base_error_t *error) {
  return asked == 0 || asked == have || base_fail(error, "--%s %zu: %s has %zu", name, asked, path, have);
}

static inline size_t kernel_size_or(size_t asked, size_t usual) { return asked == 0 ? usual : asked; }

#endif
