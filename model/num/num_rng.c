// SPDX-License-Identifier: Apache-2.0
#include "num/num_rng.h"

#include <math.h>

static uint64_t splitmix64(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int count) { return (x << count) | (x >> (64 - count)); }

void num_rng_seed(num_rng_t *rng, uint64_t seed) {
  for (int i = 0; i < 4; ++i) {
    rng->s[i] = splitmix64(&seed);
  }
  rng->spare = 0.0;
  rng->has_spare = false;
}

uint64_t num_rng_u64(num_rng_t *rng) {
  uint64_t *s = rng->s;
  const uint64_t result = rotate_left(s[1] * 5u, 7) * 9u;
  const uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

double num_rng_uniform(num_rng_t *rng) { return (double)(num_rng_u64(rng) >> 11) * 0x1p-53; }

double num_rng_normal(num_rng_t *rng) {
  if (rng->has_spare) {
    rng->has_spare = false;
    return rng->spare;
  }
  const double two_pi = 0x1.921fb54442d18p+2;
  const double radius = sqrt(-2.0 * log(1.0 - num_rng_uniform(rng)));  // log of (0, 1]
  const double angle = two_pi * num_rng_uniform(rng);
  rng->spare = radius * sin(angle);
  rng->has_spare = true;
  return radius * cos(angle);
}
