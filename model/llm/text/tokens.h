// Texts as token numbers: bytes, what a tokenizer makes of them, or numbers with spaces, commas or line ends between;
// or a file NAME.npy of '<i4'.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_TEXT_TOKENS_H
#define AMALGAM_LLM_TEXT_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "llm/text/tokenizer.h"

typedef struct llm_vocab {
  size_t size;
  bool bytes;                        // tokens are bytes
  const char *unit;                  // for people: "byte" or "token"
  const llm_tokenizer_t *tokenizer;  // NULL: there is none
} llm_vocab_t;

// A checkpoint with 256 tokens has those of bytes.
static inline llm_vocab_t llm_vocab(size_t size) {
  return (llm_vocab_t){.size = size, .bytes = size == 256, .unit = "token"};
}

typedef struct llm_tokens {
  uint32_t *list;  // owned
  size_t count, room;
} llm_tokens_t;

// name: of what it is, for messages. False: a token that the vocabulary has not, or out of memory.
bool llm_tokens_from_text(const char *text, const char *name, const llm_vocab_t *vocab, llm_tokens_t *tokens,
                          base_error_t *error);
// All of a file of numbers, also where there are texts.
bool llm_tokens_read(const char *path, const llm_vocab_t *vocab, llm_tokens_t *tokens, base_error_t *error);
// Where lines of such a file begin among its tokens, [*lines + 1], to be freed: of one in which a line has several.
// *lines 1: all is one, as an array or a column of numbers is. NULL: out of memory.
size_t *llm_tokens_lines(const char *path, size_t count, size_t *lines);
void llm_tokens_free(llm_tokens_t *tokens);

// A text to predict, in windows of `context` tokens and the one after them; window w begins at token w * (context + 1),
// and each of its tokens but the first is predicted from those before it in the window. The last window may be shorter,
// but predicts a token at least.
typedef struct llm_text {
  llm_tokens_t tokens;
  size_t context, windows;
} llm_text_t;

// The first `most` windows of a file, 0: all. With a tokenizer a file of nothing but numbers is token numbers. False:
// there is none, or as above.
bool llm_text_read(const char *path, const llm_vocab_t *vocab, size_t context, size_t most, llm_text_t *text,
                   base_error_t *error);

// A window's tokens, of which there is one more than it has predictions.
const uint32_t *llm_window(const llm_text_t *text, size_t window);
size_t llm_window_predictions(const llm_text_t *text, size_t window);

// Adds tokens that are bytes as a string.
void llm_json_bytes(cJSON *object, const char *name, const uint32_t *tokens, size_t count);

#endif
