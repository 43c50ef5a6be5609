// Output files that appear whole or not at all, all of a run's or none.
//
//   outputs_add     before the run: is the place fit for a file, and nobody's input?
//   outputs_open    a temporary file beside the target (or the target itself, if it is no regular file)
//   outputs_commit  every file is closed, then every one takes its target's name
//
// "-" is standard output, as /dev/stdout is; everything else that is printed goes to stderr from then on.
// Devices and FIFOs are written, never replaced; of a symbolic link what it points to is.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_OUTPUT_H
#define AMALGAM_BASE_OUTPUT_H

#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"

enum { OUTPUTS_MAX = 48 };

typedef struct output {
  char *given;         // as the user wrote it, for messages
  char *target;        // symbolic links resolved
  char *temporary;     // NULL: the target is written itself
  char *folder;        // of temporary, if that is its own
  int descriptor;      // the target if that is one of the process's, else -1
  struct stat status;  // of the target
  bool exists, alone;  // alone: noted as this output's
  FILE *file;          // NULL unless open
  bool written;        // by somebody else, to output_path
  bool moved;
} output_t;

typedef struct outputs {
  output_t list[OUTPUTS_MAX];
  size_t count;
  struct outputs *next;  // of all that have begun something
} outputs_t;

// Notes a file to be written.  False: error says why it cannot be.  *outputs must stay where it is until it is
// committed or discarded.
__attribute__((warn_unused_result)) bool outputs_add(outputs_t *outputs, const char *path, size_t *index,
                                                     base_error_t *error);

// Somebody else will write output `index`, by name and perhaps back and forth: it gets a temporary file, copied to
// what is no regular file in the end.  False: error.
__attribute__((warn_unused_result)) bool outputs_stage(outputs_t *outputs, size_t index, base_error_t *error);

// The stream for output `index`, or NULL with the reason in error.
FILE *outputs_open(outputs_t *outputs, size_t index, base_error_t *error);

// The path where another program may write a staged output; outputs_written says that it has, if there is anything.
const char *outputs_path(const outputs_t *outputs, size_t index);
void outputs_written(outputs_t *outputs, size_t index);

// Moves all opened or written files to their names.  False: none of them is left, error names the
// one that failed.  Either way *outputs is empty afterwards.
__attribute__((warn_unused_result)) bool outputs_commit(outputs_t *outputs, base_error_t *error);

// Drops everything.
void outputs_discard(outputs_t *outputs);

// Removes what all outputs of this process have begun: for host_interrupt_ends.
void outputs_remove_begun(void);

// Before a file is read: it must not be an output.  False: it is, error says which.
__attribute__((warn_unused_result)) bool output_spares(const char *path, base_error_t *error);

// Has everything printed on standard output arrived?
__attribute__((warn_unused_result)) bool output_printed(base_error_t *error);

#endif
