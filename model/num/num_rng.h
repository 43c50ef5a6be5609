// Random numbers for tests and experiments: xoshiro256** (Blackman and Vigna), its state filled
// from one 64-bit seed by splitmix64. Not for secrets. The same seed gives the same u64 and uniform
// sequences on every host; num_rng_normal goes through libm's log, cos and sin, so its last bits
// are libm's.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_RNG_H_
#define AMALGAM_NUM_RNG_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t s[4];  // never all zero
  double spare;   // the second normal of a Box-Muller pair
  bool has_spare;
} num_rng_t;

// Every seed, 0 included, gives a good state.
void num_rng_seed(num_rng_t *rng, uint64_t seed);

// Uniform over all 2^64 values.
uint64_t num_rng_u64(num_rng_t *rng);

// Uniform in [0, 1), a multiple of 2^-53.
double num_rng_uniform(num_rng_t *rng);

// Mean 0, variance 1 (Box-Muller; two u64 for each two results).
double num_rng_normal(num_rng_t *rng);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_RNG_H_
