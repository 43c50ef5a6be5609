// The command `convert`: arrays from one of the kernels' formats to another, which the array's
// dtype and shape name:
//
//   keys '<u2', '<f4' [.., 576]       ->  FP8 tokens '|u1' [.., 656], and back to '<u2'
//   INT4 words '<i4' [K, N/8]         ->  values '|i1' [K, N], and back
//   weights '<f2', '<f4' [K, N]       ->  INT4 words, scales and zeros '<f2' [K/g, N] (--group g)
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CLI_CONVERT_CONVERT_H
#define AMALGAM_CLI_CONVERT_CONVERT_H

#include "base/npy.h"
#include "cli/option/options.h"

int convert(int argc, char **argv);

// Internal: what a conversion makes of the array `in`.
enum { CONVERT_TEXT_BYTES = 200 };

typedef struct convert_job {
  const options_t *options;
  const char *path;  // of the array
  npy_array_t in;
  npy_array_t out, scale, zero;   // owned; dims 0: there is none
  char text[CONVERT_TEXT_BYTES];  // one line about it, for people
} convert_job_t;

bool convert_to_tokens(convert_job_t *job, base_error_t *error);
bool convert_from_tokens(convert_job_t *job, base_error_t *error);
bool convert_pack(convert_job_t *job, base_error_t *error);
bool convert_unpack(convert_job_t *job, base_error_t *error);
bool convert_quantise(convert_job_t *job, base_error_t *error);

// Allocates an array of in's shape but for its last dimension.  False: out of memory.
bool convert_allocate(const convert_job_t *job, npy_type_t type, size_t last, npy_array_t *array, base_error_t *error);

#endif
