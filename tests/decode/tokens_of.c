// Tokens of texts, each of which ends with a NUL: tokens_of TOKENIZER.json TEXTS writes a line for each. Then, if they
// are put together again, the text has to come out.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm/text/tokenizer.h"

static int fail(const char *why) {
  fprintf(stderr, "%s\n", why);
  return 1;
}

static int tell(const llm_tokenizer_t *tokenizer, const char *text, size_t bytes) {
  static char again[1 << 20];
  char piece[LLM_TOKEN_BYTES];
  size_t count = 0, used = 0;
  uint32_t *tokens = NULL;
  base_error_t error;
  if (!llm_tokenizer_encode(tokenizer, text, bytes, "text", &tokens, &count, &error)) {
    return fail(error.text);
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t more = llm_tokenizer_bytes(tokenizer, tokens[i], piece);
    printf("%s%u", i > 0 ? " " : "", tokens[i]);
    if ((more != strlen("<|begin|>") || memcmp(piece, "<|begin|>", more) != 0) && used + more <= bytes) {
      memcpy(again + used, piece, more);
      used += more;
    }
  }
  printf("\n");
  const bool same = used == bytes && memcmp(again, text, bytes) == 0;
  free(tokens);
  return same ? 0 : fail("the text does not come out again");
}

int main(int argc, char **argv) {
  static char text[1 << 20];
  base_error_t error;
  FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
  llm_tokenizer_t *tokenizer = file == NULL ? NULL : llm_tokenizer_open(argv[1], &error);
  if (tokenizer == NULL) {
    return fail(file == NULL ? "tokens_of TOKENIZER.json TEXTS" : error.text);
  }
  const size_t bytes = fread(text, 1, sizeof text - 1, file);
  int code = 0;
  for (size_t at = 0; code == 0 && at < bytes; at += strlen(text + at) + 1) {
    code = tell(tokenizer, text + at, strlen(text + at));
  }
  fclose(file);
  llm_tokenizer_close(tokenizer);
  return code;
}
