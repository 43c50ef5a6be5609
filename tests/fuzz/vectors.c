// Vectors in TestFloat's format: what was read says, printed again, the same.
// SPDX-License-Identifier: Apache-2.0
#include "tb_vectors.h"

#include <inttypes.h>

#include "fuzz.h"

static void read_again(const tb_vector_t *vector) {
  char text[64];
  const int size = snprintf(text, sizeof text, "%" PRIX32 " %08" PRIx32 "\t%" PRIx32 " 1f\n", vector->a, vector->b,
                            vector->expected);
  FILE *file = fmemopen(text, (size_t)size, "r");
  tb_vector_t again = {0};
  FUZZ_EXPECT(file != NULL && tb_vector_next(file, &again) == TB_VECTOR_READ && again.line == 1);
  FUZZ_EXPECT(again.a == vector->a && again.b == vector->b && again.expected == vector->expected);
  FUZZ_EXPECT(tb_vector_next(file, &again) == TB_VECTOR_END);
  fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  FILE *file = fopen(fuzz_file(bytes, size), "r");
  FUZZ_EXPECT(file != NULL);
  tb_vector_t vector = {0};
  tb_vector_next_t next;
  unsigned long line = 0;
  while ((next = tb_vector_next(file, &vector)) == TB_VECTOR_READ) {
    FUZZ_EXPECT(vector.line > line);
    line = vector.line;
    read_again(&vector);
  }
  FUZZ_EXPECT(next == TB_VECTOR_BAD || feof(file));
  fclose(file);
  return 0;
}
