// Along rows and columns: TROWSUM and the like, TCOLSUM and the like, TROWEXPAND..., TCOLEXPAND...
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_ROWS_H
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_ROWS_H

#include "pto/move.h"

namespace amalgam {

// The first 256 bytes of each row, with what lies behind them put upon: in work, behind what comes before.
template <typename T>
AMALGAM_INLINE tile_rows fold(uint64_t pc, vector_instruction two, const tile_rows &a, const tile_rows &work,
                              uint32_t rows, uint32_t columns) {
  constexpr uint32_t width = 256 / sizeof(T);
  push_tile(vinst(pc, VI_COPY, type_of<T>()), rows, width, work, a);
  for (uint32_t at = width; at < columns; at += width) {
    tile_rows more = a;
    more.at += at * static_cast<uint32_t>(sizeof(T));
    barrier(pc, PIPE_V);
    push_tile(vinst(pc, two, type_of<T>()), rows, min(width, columns - at), work, work, more);
  }
  barrier(pc, PIPE_V);
  return work;
}

// A value for each row: `one` of 256 bytes; of more, `two` makes them fewer.
template <typename D, typename A, typename W>
AMALGAM_INLINE void reduce_rows(uint64_t pc, vector_instruction one, vector_instruction two, const D &dst, const A &a,
                                const W &work) {
  using T = typename D::DType;
  constexpr uint32_t width = 256 / sizeof(T), size = sizeof(T);
  static_assert(A::isRowMajor, "a row's sum or largest: of tiles of rows it is there");
  static_assert(A::Cols <= int{width} || W::bytes >= uint32_t{A::Rows} * 256,
                "rows of more than 256 bytes need a temporary tile with 256 bytes for each");
  const uint32_t rows = valid_rows(a), columns = valid_columns(a);
  constexpr uint32_t row_of_work = uint32_t{W::Cols} * sizeof(typename W::DType);
  constexpr uint32_t pitch = W::isRowMajor && row_of_work > 256 && W::Rows >= A::Rows ? row_of_work : 256;
  tile_rows from = rows_of_tile(a);
  if (columns > width) {
    from = fold<T>(pc, two, from, {work.address(), pitch, size}, rows, columns);
  }
  auto c = vinst(pc, one, type_of<T>());
  const lanes which = first_lanes(min(width, columns));
  const uint32_t apart = D::isRowMajor ? uint32_t{D::Cols} : 1;
  require(steps(from), PANIC_FORM);
  c.mode = one == VI_WHOLE_SUM ? 0 : static_cast<uint32_t>(CHOICE_VALUE);
  c.mask = which.low;
  c.mask_high = which.high;
  for (uint32_t row = 0; row < rows; row += MOST_REPEATS) {
    c.a = from.from(row, 0);
    c.a_step = step_of(from, size, true);
    c.dst = dst.address() + row * apart * size;
    c.dst_step = VECTOR_STEP(0, apart);
    c.repeats = min(rows - row, uint32_t{MOST_REPEATS});
    push(c);
  }
}

// A row, to which all are put.
template <typename D, typename A>
AMALGAM_INLINE void reduce_columns(uint64_t pc, vector_instruction two, const D &dst, const A &a) {
  using T = typename D::DType;
  static_assert(A::isRowMajor && D::isRowMajor, "a column's sum or largest: of tiles of rows it is there");
  const uint32_t columns = valid_columns(a);
  tile_rows to = rows_of_tile(dst), from = rows_of_tile(a);
  push_tile(vinst(pc, VI_COPY, type_of<T>()), 1, columns, to, from);
  for (uint32_t row = 1; row < valid_rows(a); ++row) {
    from.at += from.pitch;
    barrier(pc, PIPE_V);
    push_tile(vinst(pc, two, type_of<T>()), 1, columns, to, to, from);
  }
}

// dst = a op b, in which each row has one value: in a tile of one column, or of rows of a block that is full of it.
template <typename D, typename B>
AMALGAM_INLINE void with_values(uint64_t pc, vector_instruction op, const D &dst, const tile_rows &a, const B &b,
                                bool b_first) {
  using T = typename D::DType;
  static_assert(D::isRowMajor, "a row's value for all of it: of tiles of rows it is there");
  static_assert(is_list<B> || uint32_t{B::Cols} * sizeof(T) == BLOCK,
                "values of rows are a tile of one column, or one whose rows are blocks full of them");
  const uint32_t rows = valid_rows(dst), columns = valid_columns(dst);
  const auto c = vinst(pc, op, type_of<T>());
  tile_rows to = rows_of_tile(dst), from = a;
  if constexpr (!is_list<B>) {
    const tile_rows block = {b.address(), BLOCK, sizeof(T), true};
    push_tile(c, rows, columns, to, b_first ? block : from, b_first ? from : block);
  } else {
    for (uint32_t row = 0; row < rows; row += 8) {
      const tile_rows block = {UB_OWN, BLOCK, sizeof(T), true};
      spread<T>(pc, b.address() + row * static_cast<uint32_t>(sizeof(T)));
      barrier(pc, PIPE_V);
      push_tile(c, min(rows - row, 8u), columns, to, b_first ? block : from, b_first ? from : block);
      to.at += 8 * to.pitch;
      from.at += 8 * from.pitch;
    }
  }
}

}  // namespace amalgam

namespace pto {

// CALL(dst, a, work): dst has a value a row, in a tile of one column; or in the first column of rows.
#define AMALGAM_TILE_ROW(CALL, VI_NAME, two)                                               \
  template <typename D, typename A, typename W>                                            \
  AMALGAM_INLINE void CALL(const D &dst, const A &a, const W &work) {                      \
    AMALGAM_HAS(CALL, VI_NAME, typename D::DType);                                         \
    AMALGAM_TILES(D, A);                                                                   \
    amalgam::reduce_rows(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::two, dst, a, work); \
  }                                                                                        \
  template <typename D, typename A>                                                        \
  AMALGAM_INLINE void CALL(const D &dst, const A &a) {                                     \
    static_assert(A::Cols * int{sizeof(typename A::DType)} <= 256,                         \
                  #CALL ": rows of more than 256 bytes need a temporary tile");            \
    AMALGAM_TILES(D, A);                                                                   \
    amalgam::reduce_rows(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::two, dst, a, a);    \
  }
AMALGAM_TILE_ROW(TROWSUM, VI_WHOLE_SUM, VI_ADD)
AMALGAM_TILE_ROW(TROWMAX, VI_WHOLE_MAX, VI_MAX)
AMALGAM_TILE_ROW(TROWMIN, VI_WHOLE_MIN, VI_MIN)

// CALL(dst, a): dst is one row.  Temporary tiles are not needed: rows are added one after the other.
#define AMALGAM_TILE_COLUMN(CALL, VI_NAME)                                \
  template <typename D, typename A, typename... W>                        \
  AMALGAM_INLINE void CALL(const D &dst, const A &a, const W &...) {      \
    AMALGAM_HAS(CALL, VI_NAME, typename D::DType);                        \
    AMALGAM_TILES(D, A);                                                  \
    amalgam::reduce_columns(amalgam::hal_pc(), amalgam::VI_NAME, dst, a); \
  }
AMALGAM_TILE_COLUMN(TCOLSUM, VI_ADD)
AMALGAM_TILE_COLUMN(TCOLMAX, VI_MAX)
AMALGAM_TILE_COLUMN(TCOLMIN, VI_MIN)

// CALL(dst, a, b): a value of b for each row; a temporary tile may be given, and is not used.
#define AMALGAM_TILE_ROW_EXPAND(CALL, VI_NAME)                                                          \
  template <typename D, typename A, typename B, typename... W>                                          \
  AMALGAM_INLINE void CALL(const D &dst, const A &a, const B &b, const W &...) {                        \
    AMALGAM_HAS(CALL, VI_NAME, typename D::DType);                                                      \
    AMALGAM_TILES(D, A);                                                                                \
    AMALGAM_TILES(D, B);                                                                                \
    amalgam::with_values(amalgam::hal_pc(), amalgam::VI_NAME, dst, amalgam::rows_of_tile(a), b, false); \
  }
AMALGAM_TILE_ROW_EXPAND(TROWEXPANDADD, VI_ADD)
AMALGAM_TILE_ROW_EXPAND(TROWEXPANDSUB, VI_SUB)
AMALGAM_TILE_ROW_EXPAND(TROWEXPANDMUL, VI_MUL)
AMALGAM_TILE_ROW_EXPAND(TROWEXPANDDIV, VI_DIV)
AMALGAM_TILE_ROW_EXPAND(TROWEXPANDMAX, VI_MAX)
AMALGAM_TILE_ROW_EXPAND(TROWEXPANDMIN, VI_MIN)

template <typename D, typename B>
AMALGAM_INLINE void TROWEXPAND(const D &dst, const B &b) {
  AMALGAM_HAS(TROWEXPAND, VI_COPY, typename D::DType);
  AMALGAM_TILES(D, B);
  amalgam::with_values(amalgam::hal_pc(), amalgam::VI_COPY, dst, {}, b, true);
}

// CALL(dst, a, b): row b with each row of a.
#define AMALGAM_TILE_COLUMN_EXPAND(CALL, VI_NAME)                                                     \
  template <typename D, typename A, typename B>                                                       \
  AMALGAM_INLINE void CALL(const D &dst, const A &a, const B &b) {                                    \
    using T = typename D::DType;                                                                      \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                    \
    AMALGAM_TILES(D, A);                                                                              \
    AMALGAM_TILES(D, B);                                                                              \
    static_assert(D::isRowMajor && B::isRowMajor, #CALL ": of tiles of rows it is there");            \
    amalgam::push_as(dst, amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>()), \
                     amalgam::rows_of_tile(a), amalgam::same_row(b));                                 \
  }
AMALGAM_TILE_COLUMN_EXPAND(TCOLEXPANDADD, VI_ADD)
AMALGAM_TILE_COLUMN_EXPAND(TCOLEXPANDSUB, VI_SUB)
AMALGAM_TILE_COLUMN_EXPAND(TCOLEXPANDMUL, VI_MUL)
AMALGAM_TILE_COLUMN_EXPAND(TCOLEXPANDDIV, VI_DIV)
AMALGAM_TILE_COLUMN_EXPAND(TCOLEXPANDMAX, VI_MAX)
AMALGAM_TILE_COLUMN_EXPAND(TCOLEXPANDMIN, VI_MIN)

template <typename D, typename A>
AMALGAM_INLINE void TCOLEXPAND(const D &dst, const A &a) {
  using T = typename D::DType;
  AMALGAM_HAS(TCOLEXPAND, VI_COPY, T);
  AMALGAM_TILES(D, A);
  static_assert(D::isRowMajor && A::isRowMajor, "TCOLEXPAND: of tiles of rows it is there");
  amalgam::push_as(dst, amalgam::vinst(amalgam::hal_pc(), amalgam::VI_COPY, amalgam::type_of<T>()),
                   amalgam::same_row(a));
}

}  // namespace pto

#endif
