// The sources of a kernel's inputs, and how a size that was asked for must agree with theirs.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_INPUT_H
#define AMALGAM_KERNEL_INPUT_H

#include "base/parse.h"
#include "kernel/made_up.h"

typedef enum kernel_source {
  KERNEL_SHIPPED,  // real data of tests/data
  KERNEL_MADE_UP,  // random numbers of a shape; with timing only no numbers at all
  KERNEL_FILES,    // .npy
} kernel_source_t;

// Settings that a kernel's .def lists, by type; a choice is the index of a word.
typedef unsigned kernel_count_t, kernel_choice_t;
typedef bool kernel_flag_t;

// The value of a setting's default, a number or one of the words "A|B"; 0 for NULL.
static inline unsigned kernel_setting(const char *words, const char *start) {
  uint64_t number = 0;
  const bool is_number = start == NULL || parse_count(start, &number);
  return is_number ? (unsigned)number : (unsigned)parse_choice(start, words);
}

// A size that was asked for (0: none) must be the one that the file `path` has. name: of the option.
static inline bool kernel_agrees(const char *name, size_t asked, size_t have, const char *path, base_error_t *error) {
  return asked == 0 || asked == have || base_fail(error, "--%s %zu: %s has %zu", name, asked, path, have);
}

// Rows that are tokens x heads: as many as --heads or --seq-q (0: not given) say, one token if neither does.
static inline bool kernel_split_rows(size_t rows, size_t asked_heads, size_t asked_tokens, size_t *tokens,
                                     size_t *heads, const char *path, base_error_t *error) {
  *tokens = asked_heads != 0 ? rows / asked_heads : asked_tokens != 0 ? asked_tokens : 1;
  *heads = *tokens == 0 ? 0 : rows / *tokens;
  return (*heads != 0 && *tokens * *heads == rows) ||
         base_fail(error, "--%s: does not divide the %zu rows of %s", asked_heads != 0 ? "heads" : "seq-q", rows, path);
}

static inline size_t kernel_size_or(size_t asked, size_t usual) { return asked == 0 ? usual : asked; }

#endif
