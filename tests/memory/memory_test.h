// Shared by the tests of this folder.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_MEMORY_MEMORY_TEST_H
#define AMALGAM_TESTS_MEMORY_MEMORY_TEST_H

#include <random>

#include "test.h"

// A random number from low to high, both included; the same ones in every run.
class random_numbers {
 public:
  explicit random_numbers(uint64_t seed) : engine_(seed) {}
  uint64_t operator()(uint64_t low, uint64_t high) { return low + engine_() % (high - low + 1); }
  bool one_in(uint64_t n) { return engine_() % n == 0; }

 private:
  std::mt19937_64 engine_;
};

#endif
