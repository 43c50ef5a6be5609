// Shared by the log of changes and the file that it ends in.
//
// A log is words: 0, time lo, time hi | number of a signal, its value's words | ...
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_WAVES_WAVES_INTERNAL_H
#define AMALGAM_WAVES_WAVES_INTERNAL_H

#include "waves/waves.h"

typedef struct waves_variable {
  uint32_t words;   // of a value
  uint32_t bits;    // 0: real
  uint32_t handle;  // in the file
} waves_variable_t;

// A name; several may be of one variable.
typedef struct waves_name {
  char *scope;  // "cube0.m", or ""
  char *leaf;   // "state", "data_i [31:0]"
  uint32_t variable;
  unsigned direction;
  const char *const *labels;
  size_t order;  // of declarations
} waves_name_t;

typedef struct waves_block {
  struct waves_block *next;
  uint64_t first_time;  // of its first record
  size_t used, size;    // words
  uint32_t words[];
} waves_block_t;

typedef struct waves_file waves_file_t;

// Creates the file with all its signals, sets the variables' handles.  names are sorted. NULL: errno says why.
waves_file_t *waves_file_open(const char *path, const char *unit, waves_name_t *names, size_t name_count,
                              waves_variable_t *variables, size_t variable_count);
// Writes records. False: it has failed, and nothing is written any more.
bool waves_file_write(waves_file_t *file, const uint32_t *words, size_t count);
// False: something could not be written, now or before; errno says why.
bool waves_file_close(waves_file_t *file);

#endif
