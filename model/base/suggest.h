// The word somebody probably meant.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_BASE_SUGGEST_H
#define AMALGAM_BASE_SUGGEST_H

#include <stddef.h>

// The word of the list nearest to what was typed, if near enough to be worth saying, else NULL.
const char *suggest(const char *typed, const char *const *words, size_t count);

// "", or "; did you mean X?" in a buffer of the caller.
const char *suggest_text(const char *typed, const char *const *words, size_t count, const char *prefix, char *text,
                         size_t size);

#endif
