// SPDX-License-Identifier: Apache-2.0
#include "kernel/made_up.h"

#include <stdio.h>

#include "num/num_rng.h"

bool made_up_read(made_up_t *made_up, const char *text, uint64_t seed, base_error_t *error) {
  made_up->seed = seed;
  snprintf(made_up->text, sizeof made_up->text, "%.60s", text);
  return parse_distribution(text, &made_up->distribution) ||
         base_fail(error, "--dist: expected normal:S or uniform:A with a positive number, got '%s'", text);
}

made_up_t made_up_usual(void) { return (made_up_t){.distribution = {DISTRIBUTION_NORMAL, 1}, .text = "normal:1"}; }

void made_up_source(const made_up_t *made_up, bool timing_only, char *text, size_t size) {
  if (timing_only) {
    snprintf(text, size, "none: timing only, arrays hold nothing");
    return;
  }
  snprintf(text, size, "made up, %s seed %llu", made_up->text, (unsigned long long)made_up->seed);
}

void made_up_fill(const made_up_t *made_up, uint64_t stream, uint64_t first, size_t count, uint16_t *out) {
  const double width = made_up->distribution.width;
  if (made_up->distribution.kind == DISTRIBUTION_NORMAL) {
    num_rng_normal_bf16(made_up->seed, stream, first, count, width, out);
  } else {
    num_rng_uniform_bf16(made_up->seed, stream, first, count, width, out);
  }
}
