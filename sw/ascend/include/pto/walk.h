// How a tile becomes vector instructions.  Rows that lie end to end are one instruction with a count; otherwise it is
// one for each 256 bytes of a row, whose repeats are the rows; or one for each row, if there are fewer of them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_WALK_H
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_WALK_H

#include "ascendc/library.h"
#include "pto/tile.h"

namespace amalgam {

enum { MOST_REPEATS = 255, MOST_STEP = 255 };

constexpr bool steps(const tile_rows &o) { return o.pitch % BLOCK == 0 && o.pitch / BLOCK <= MOST_STEP; }

// Steps of a repeat to the next: within a row, or to the next row.
constexpr uint32_t step_of(const tile_rows &o, uint32_t widest, bool down) {
  const uint32_t along = o.spread ? 0 : 8 * o.size / widest;
  return VECTOR_STEP(o.spread ? 0 : 1, down ? o.pitch / BLOCK : along);
}

AMALGAM_INLINE void place(cmd_vinst_t &c, const tile_rows &d, const tile_rows &a, const tile_rows &b, uint32_t row,
                          uint32_t column, uint32_t widest, bool down) {
  c.dst = d.from(row, column);
  c.dst_step = step_of(d, widest, down);
  c.a = a.from(row, column);
  c.a_step = a.size == 0 ? c.a_step : step_of(a, widest, down);
  c.b = b.from(row, column);
  c.b_step = b.size == 0 ? c.b_step : step_of(b, widest, down);
}

// Lanes that are in every row.
AMALGAM_INLINE void push_down(cmd_vinst_t c, uint32_t rows, uint32_t column, const lanes &which, uint32_t widest,
                              const tile_rows &d, const tile_rows &a = {}, const tile_rows &b = {}) {
  c.mask = which.low;
  c.mask_high = which.high;
  for (uint32_t row = 0; row < rows; row += MOST_REPEATS) {
    place(c, d, a, b, row, column, widest, true);
    c.repeats = min(rows - row, uint32_t{MOST_REPEATS});
    push(c);
  }
}

// c is complete but for its operands' places and lanes.
AMALGAM_INLINE void push_tile(cmd_vinst_t c, uint32_t rows, uint32_t columns, const tile_rows &d,
                              const tile_rows &a = {}, const tile_rows &b = {}) {
  const uint32_t widest = max(d.size, max(a.size, b.size)), width = 256 / widest;
  const bool packed = rows <= 1 || (d.packed(columns) && a.packed(columns) && b.packed(columns));
  const bool down = !packed && steps(d) && steps(a) && steps(b) && (columns + width - 1) / width <= rows;
  const uint32_t across = down ? width : columns, height = packed ? rows : down ? uint32_t{MOST_REPEATS} : 1;
  for (uint32_t column = 0; column < columns; column += across) {
    const lanes which = first_lanes(min(width, columns - column));
    for (uint32_t row = 0; row < rows; row += height) {
      place(c, d, a, b, row, column, widest, down);
      c.count = down ? 0 : packed ? rows * columns : columns;
      c.mask = down ? which.low : 0;
      c.mask_high = down ? which.high : 0;
      c.repeats = down ? min(rows - row, height) : 0;
      push(c);
    }
  }
}

template <typename T>
AMALGAM_INLINE uint32_t valid_rows(const T &tile) {
  return static_cast<uint32_t>(tile.GetValidRow());
}
template <typename T>
AMALGAM_INLINE uint32_t valid_columns(const T &tile) {
  return static_cast<uint32_t>(tile.GetValidCol());
}

// Of one column, the rows are the elements of one.
template <typename D>
AMALGAM_INLINE void push_as(const D &dst, const cmd_vinst_t &c, const tile_rows &a = {}, const tile_rows &b = {}) {
  const uint32_t rows = valid_rows(dst), columns = valid_columns(dst);
  if constexpr (D::isRowMajor) {
    push_tile(c, rows, columns, rows_of_tile(dst), a, b);
  } else {
    push_tile(c, 1, rows * columns, rows_of_tile(dst), a, b);
  }
}

}  // namespace amalgam

#endif
