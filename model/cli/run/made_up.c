// SPDX-License-Identifier: Apache-2.0
#include "cli/run/made_up.h"

#include "num/num_rng.h"

bool made_up_read(const options_t *options, made_up_t *made_up, base_error_t *error) {
  made_up->text = options->dist != NULL ? options->dist : "normal:1";
  made_up->seed = options->seed.given ? options->seed.value : 0;
  return parse_distribution(made_up->text, &made_up->distribution) ||
         base_fail(error, "--dist: expected normal:S or uniform:A with a positive number, got '%s'",
                   made_up->text);
}

void made_up_fill(const distribution_t *distribution, uint64_t seed, uint64_t stream,
                  uint64_t first, size_t count, uint16_t *out) {
  if (distribution->kind == DISTRIBUTION_NORMAL) {
    num_rng_normal_bf16(seed, stream, first, count, distribution->width, out);
  } else {
    num_rng_uniform_bf16(seed, stream, first, count, distribution->width, out);
  }
}
