// Texts as token numbers. A vocabulary of 256 is that of bytes; texts of others are numbers, with spaces, commas or
// line ends between.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_DECODE_TEXT_H
#define AMALGAM_KERNEL_DECODE_DECODE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { DECODE_BYTES = 256 };  // tokens of a vocabulary of bytes

typedef struct decode_tokens {
  uint32_t *list;  // owned
  size_t count, room;
} decode_tokens_t;

// name: of what it is, for messages. False: a token that the vocabulary has not, or out of memory.
bool decode_tokens_from_text(const char *text, const char *name, size_t vocab, decode_tokens_t *tokens,
                             base_error_t *error);

// The first `most` tokens of a file, 0: all.
bool decode_tokens_from_file(const char *path, size_t vocab, size_t most, decode_tokens_t *tokens, base_error_t *error);
void decode_tokens_free(decode_tokens_t *tokens);

// A text is predicted in windows of `context` tokens and the one after them; window w begins at token w * (context +
// 1). The last one may be shorter, but predicts a token at least.
size_t decode_windows(size_t tokens, size_t context);
size_t decode_window_predictions(size_t tokens, size_t context, size_t window);

#endif
