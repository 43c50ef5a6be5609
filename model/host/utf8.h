// UTF-8: is a text one?
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_HOST_UTF8_H
#define AMALGAM_HOST_UTF8_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What stands for bytes that belong to no character, U+FFFD.
#define UTF8_UNKNOWN "\xef\xbf\xbd"

// Bytes of the character that bytes [count] begins with; 0: none, or U+0000.
size_t utf8_character(const uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
