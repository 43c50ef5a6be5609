// Made-up inputs: --dist and --seed.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_MADE_UP_H
#define CLI_MADE_UP_H

#include <stddef.h>
#include <stdint.h>

#include "base/parse.h"
#include "cli/option/options.h"

typedef struct made_up {
  distribution_t distribution;
  uint64_t seed;
  const char *text;        // of the distribution, as given
} made_up_t;

bool made_up_read(const options_t *options, made_up_t *made_up, base_error_t *error);

// Elements first .. first + count - 1 of array `stream`: num_rng_normal_bf16 or
// num_rng_uniform_bf16.
void made_up_fill(const distribution_t *distribution, uint64_t seed, uint64_t stream,
                  uint64_t first, size_t count, uint16_t *out);

#endif
