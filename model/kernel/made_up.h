// Made-up inputs: random numbers of a distribution and a seed.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_MADE_UP_H
#define AMALGAM_KERNEL_MADE_UP_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/parse.h"

typedef struct made_up {
  distribution_t distribution;
  uint64_t seed;
  char text[64];  // of the distribution, for people
} made_up_t;

// Is it "made-up", in place of a file? NULL: it is neither.
static inline bool made_up_asked(const char *text) { return text != NULL && strcmp(text, "made-up") == 0; }

// text: "normal:S" or "uniform:A".
bool made_up_read(made_up_t *made_up, const char *text, uint64_t seed, base_error_t *error);

// normal:1, seed 0.
made_up_t made_up_usual(void);

// "made up, normal:1 seed 0", or that there are none
void made_up_source(const made_up_t *made_up, bool timing_only, char *text, size_t size);

// Elements first .. first + count - 1 of array `stream`: num_rng_normal_bf16 or
// num_rng_uniform_bf16.
void made_up_fill(const made_up_t *made_up, uint64_t stream, uint64_t first, size_t count, uint16_t *out);

#endif
