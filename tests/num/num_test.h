// Shared by the tests of model/num: cmocka with the headers it forgets, bit comparison, random
// bits.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_NUM_NUM_TEST_H
#define AMALGAM_TESTS_NUM_NUM_TEST_H

#include "test.h"
#include "num/num_format.h"
#include "num/num_rng.h"

// assert_true with a message, cheap enough for loops of millions; prints only when it fails.
#define CHECK(condition, ...)           \
  do {                                  \
    if (!(condition)) {                 \
      printf("CHECK %s: ", #condition); \
      printf(__VA_ARGS__);              \
      printf("\n");                     \
      fail();                           \
    }                                   \
  } while (0)

static inline void *allocate(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  if (memory == NULL) {
    printf("out of memory: %zu x %zu\n", count, size);
    abort();
  }
  return memory;
}

// True for the same bits, or two NaNs (the contract does not say which NaN a NaN is).
static inline int same_f32(float a, float b) { return num_f32_bits(a) == num_f32_bits(b) || (a != a && b != b); }

static inline uint32_t random_u32(num_rng_t *rng) { return (uint32_t)(num_rng_u64(rng) >> 32); }

#endif  // AMALGAM_TESTS_NUM_NUM_TEST_H
