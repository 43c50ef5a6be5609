// Programs of several AI cores: the simulator stops those that race, and no others, and without its detector each that
// races has one result, whatever the threads. The first 8 bytes are a seed; those behind decide what comes first.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "fuzz.h"
#include "race_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static race_program_t program;
  uint64_t seed = 0;
  const size_t used = size < sizeof seed ? size : sizeof seed;
  if (program.buffer[0].name == NULL) {
    race_program_place(&program);
  }
  if (used > 0) {
    memcpy(&seed, bytes, used);
  }
  race_program_make(&program, seed, bytes + used, size - used);
  FUZZ_EXPECT(race_program_agrees(&program));
  FUZZ_EXPECT(!program.races || race_program_has_one_result(&program));
  return 0;
}
