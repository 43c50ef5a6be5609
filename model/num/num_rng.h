// Random numbers for tests and experiments, of two kinds. Not for secrets.
//
// One after the other, for tests: xoshiro256** (Blackman and Vigna), its state filled from one
// 64-bit seed by splitmix64. The same seed gives the same u64 and uniform sequences on every host;
// num_rng_normal goes through libm's log, cos and sin, so its last bits are libm's.
//
// Arrays of any size, for made-up inputs: Philox4x32-10, a hash of a counter (Salmon, Moraes, Dror,
// Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11). Element i of an array depends on
// (seed, stream, i) alone: any thread can make any part of it. Same bits on every host.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_NUM_RNG_H
#define AMALGAM_NUM_NUM_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "num/num_format.h"

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

// The hash itself: the 128-bit counter, least significant word first, under a key.
void num_rng_philox(uint64_t key, const uint32_t counter[4], uint32_t out[4]);

// out[j] = bf16(f32(f32(width) * x)) for elements first + j, j < count, of array `stream`; x is
//
//   normal    mean 0, variance 1: Box-Muller in FP32, relative error below 1e-6, |x| < 6.56
//   uniform   f32(an odd multiple of 2^-31 in (-1, 1))
//
// Seeds and streams are all different sequences, unrelated to each other. No allocation; cannot
// fail. first + count must not pass 2^64.
void num_rng_normal_bf16(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double width, num_bf16_t *out);
void num_rng_uniform_bf16(uint64_t seed, uint64_t stream, uint64_t first, size_t count, double width, num_bf16_t *out);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_NUM_RNG_H
