// Model files of the language model; one that is good continues a text.
// SPDX-License-Identifier: Apache-2.0
#include "llm/lm/lm.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { TOKENS = 3, CONTEXT = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  char message[512] = "";
  const uint32_t tokens[TOKENS] = {0};
  const lm_backend_t backend = {NULL, NULL, NULL, NULL};
  lm_t *lm = lm_open(fuzz_file(bytes, size), CONTEXT, message, sizeof message);
  if (lm == NULL) {
    FUZZ_EXPECT(message[0] != '\0' && strchr(message, '\n') == NULL);
    return 0;
  }
  float *logits = malloc(TOKENS * lm_shape(lm)->vocab_size * sizeof *logits);
  FUZZ_EXPECT(logits != NULL && lm_forward(lm, tokens, TOKENS, &backend, logits, false));
  FUZZ_EXPECT(lm_position(lm) == TOKENS);
  free(logits);
  lm_close(lm);
  return 0;
}
