// tokenizer.json as Hugging Face's tokenizers has it, as far as models with byte-level BPE use it (Llama 3, Qwen,
// gpt-oss, DeepSeek): a text is cut at its added tokens, then into words by the file's own patterns, and each word's
// bytes are merged, pair by pair, in the order of the file's merges.
//
// Sources: github.com/huggingface/tokenizers (the file), arXiv 1508.07909 (BPE), and for bytes as letters GPT-2's
// encoder.py.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_TEXT_TOKENIZER_H
#define AMALGAM_LLM_TEXT_TOKENIZER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct llm_tokenizer llm_tokenizer_t;

// NULL: error names the file and what is not understood: other models than BPE, other pre-tokenisers than patterns,
// digits and bytes, other normalisers than NFC.
llm_tokenizer_t *llm_tokenizer_open(const char *path, base_error_t *error);
void llm_tokenizer_close(llm_tokenizer_t *tokenizer);  // may be NULL

// Tokens of a text in UTF-8, those that the file puts before each text included; *tokens is to be freed, also after a
// failure. name: the text's, for messages. Under NFC texts with combining marks are refused.
__attribute__((warn_unused_result)) bool llm_tokenizer_encode(const llm_tokenizer_t *tokenizer, const char *text,
                                                              size_t bytes, const char *name, uint32_t **tokens,
                                                              size_t *count, base_error_t *error);

// The bytes that a token stands for, of which out takes LLM_TOKEN_BYTES at most; 0: there is no such token.
enum { LLM_TOKEN_BYTES = 512 };
size_t llm_tokenizer_bytes(const llm_tokenizer_t *tokenizer, uint32_t token, char out[LLM_TOKEN_BYTES]);

#endif
