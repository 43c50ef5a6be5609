// SPDX-License-Identifier: Apache-2.0
#include "host/utf8.h"

// The lowest second bytes keep out what could be said shorter, and surrogates.
size_t utf8_character(const uint8_t *x, size_t n) {
  const unsigned lead = x[0];
  const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead == 0 || lead > 0xf4 || length == 0 || length > n) {
    return 0;
  }
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (size_t i = 1; i < length; ++i) {
    if (x[i] < (i == 1 ? low : 0x80) || x[i] > (i == 1 ? high : 0xbf)) {
      return 0;
    }
  }
  return length;
}
