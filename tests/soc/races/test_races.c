// Random programs of several AI cores: does the simulator stop those that race, and no others? Without its detector,
// has each that races one result, whatever the threads?
//   test_races [FIRST-SEED COUNT]
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "race_program.h"

int main(int argc, char **argv) {
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                 count = argc > 2 ? strtoull(argv[2], NULL, 10) : 400;
  static race_program_t program;
  unsigned ended[2] = {0}, wrong = 0;
  race_program_place(&program);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    race_program_make(&program, seed, NULL, 0);
    if (!race_program_agrees(&program) || (program.races && seed % 4 == 0 && !race_program_has_one_result(&program))) {
      fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
      wrong += 1;
    }
    ended[program.races] += 1;
  }
  printf("%u programs without a race, %u with one, %u wrong\n", ended[0], ended[1], wrong);
  return wrong > 0 || ended[0] < count / 5 || ended[1] < count / 5;
}
