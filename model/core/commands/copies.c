// Moves of rows and strips.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"

void core_copy_strips(uint8_t *to, const uint8_t *from, size_t from_pitch, uint32_t rows, uint64_t strips) {
  const size_t bytes = (size_t)rows * STRIP_ROW;
  const size_t to_pitch = core_round_16(rows) * STRIP_ROW;
  for (size_t s = 0; s < strips; ++s) {
    memcpy(to + s * to_pitch, from + s * from_pitch, bytes);
    memset(to + s * to_pitch + bytes, 0, to_pitch - bytes);
  }
}

void core_copy_rows(uint8_t *to, size_t to_pitch, const uint8_t *from, size_t from_pitch, size_t rows,
                    size_t row_bytes) {
  if (to_pitch == row_bytes && from_pitch == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  for (size_t r = 0; r < rows; ++r) {
    memcpy(to + r * to_pitch, from + r * from_pitch, row_bytes);
  }
}
