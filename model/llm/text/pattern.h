// Patterns by which tokenisers cut a text into words (the Split of tokenizer.json's pre_tokenizer): alternatives, tried
// from left to right; groups (?:...) and (?i:...), where letters stand for both cases; looking ahead by (?=...) and
// (?!...); sets [...] and [^...], \s \S \d \D \w \W, \p{L} and the like, which Unicode calls general categories; ?, *,
// +, {n}, {n,} and {n,m}, each also possessive or as short as possible; ^ and $. The first match in the order of trying
// is taken, as in Oniguruma and in Perl. Anything else is refused.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_TEXT_PATTERN_H
#define AMALGAM_LLM_TEXT_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct llm_pattern llm_pattern_t;

enum { LLM_NO_MATCH = -1 };

// NULL: error says what is not understood. text is UTF-8.
llm_pattern_t *llm_pattern_compile(const char *text, base_error_t *error);
void llm_pattern_free(llm_pattern_t *pattern);  // may be NULL

// Where a match of code points from `at` on ends, or LLM_NO_MATCH.
long llm_pattern_match(const llm_pattern_t *pattern, const uint32_t *text, size_t count, size_t at);

// Code points of UTF-8, a byte that belongs to none for itself; out has room for `bytes` of them. Returns their number.
size_t llm_utf8_decode(const char *text, size_t bytes, uint32_t *out);
size_t llm_utf8_encode(uint32_t point, char out[4]);

#endif
