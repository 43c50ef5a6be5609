// Texts as token numbers. A vocabulary of 256 is that of bytes; texts of others are numbers, with spaces, commas or
// line ends between.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_TEXT_TOKENS_H
#define AMALGAM_LLM_TEXT_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { LLM_BYTES = 256 };  // tokens of a vocabulary of bytes

typedef struct llm_tokens {
  uint32_t *list;  // owned
  size_t count, room;
} llm_tokens_t;

// name: of what it is, for messages. False: a token that the vocabulary has not, or out of memory.
bool llm_tokens_from_text(const char *text, const char *name, size_t vocab, llm_tokens_t *tokens, base_error_t *error);

// The first `most` tokens of a file, 0: all.
bool llm_tokens_from_file(const char *path, size_t vocab, size_t most, llm_tokens_t *tokens, base_error_t *error);
void llm_tokens_free(llm_tokens_t *tokens);

#endif
