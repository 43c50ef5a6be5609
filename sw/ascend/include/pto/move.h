// TLOAD, TSTORE: between global memory and tiles.  TMOV, TFILLPAD, TTRANS: between tiles.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_MOVE_H
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_MOVE_H

#include "ascendc/data_copy.h"
#include "pto/cube.h"
#include "pto/arithmetic.h"

namespace pto {

enum class AtomicType { AtomicNone, AtomicAdd };
enum class ReluPreMode { NoRelu, NormalRelu };

}  // namespace pto

namespace amalgam {

// What a tile is padded with.
template <typename T, pto::PadValue pad>
constexpr T pad_value() {
  if constexpr (pad == pto::PadValue::Zero || pad == pto::PadValue::Null) {
    return T(0);
  } else if constexpr (std::is_integral_v<T>) {
    return pad == pto::PadValue::Max ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  } else {
    return T(pad == pto::PadValue::Max ? __builtin_inff() : -__builtin_inff());
  }
}

// Lines of elements that lie side by side in an array and in a tile: its rows, or its columns.
struct lines {
  uint64_t gm;
  uint32_t gm_pitch, ub, ub_pitch, count, bytes;
};

// each(lines) for all of an array's first three dimensions, whose rows come to lie below each other.
template <typename T, typename G, typename F>
AMALGAM_INLINE void each_part(const T &tile, const G &array, const F &each) {
  using E = typename T::DType;
  static_assert(T::Loc == pto::TileType::Vec, "TLOAD: to UB and L1 it is there; TSTORE: from UB and L0C");
  static_assert(std::is_same_v<std::remove_cv_t<typename G::DType>, E>, "TLOAD and TSTORE convert no types; TCVT does");
  static_assert(T::isRowMajor || T::Cols == 1 || T::Rows * sizeof(E) % BLOCK == 0, "columns begin with blocks");
  constexpr uint32_t size = sizeof(E);
  const auto rows = static_cast<uint32_t>(array.GetShape(3)), columns = static_cast<uint32_t>(array.GetShape(4));
  const int64_t down = array.GetStride(3), along = array.GetStride(4);
  uint32_t below = 0;
  for (int64_t i = 0; i < array.GetShape(0); ++i) {
    for (int64_t j = 0; j < array.GetShape(1); ++j) {
      for (int64_t k = 0; k < array.GetShape(2); ++k, below += rows) {
        const uint64_t gm =
            gm_address(array.data() + i * array.GetStride(0) + j * array.GetStride(1) + k * array.GetStride(2));
        if constexpr (T::isRowMajor) {
          require(along == 1 || columns == 1, PANIC_FORM);
          each(lines{gm, static_cast<uint32_t>(down) * size, tile.address() + below * T::Cols * size, T::Cols * size,
                     rows, columns * size});
        } else {
          require(down == 1 || rows == 1, PANIC_FORM);
          each(lines{gm, static_cast<uint32_t>(along) * size, tile.address() + below * size, T::Rows * size, columns,
                     rows * size});
        }
      }
    }
  }
  require(below <= T::Rows && columns <= T::Cols, PANIC_FORM);
}

// Lanes from one on, of 256 bytes.
constexpr lanes lanes_from(uint32_t first, uint32_t end) {
  const lanes all = first_lanes(end), before = first_lanes(first);
  return {all.low & ~before.low, all.high & ~before.high};
}

// All of a tile but its first rows and columns.
template <typename D>
AMALGAM_INLINE void fill_behind(uint64_t pc, const D &dst, uint32_t rows, uint32_t columns) {
  using T = typename D::DType;
  static_assert(has<T>(VI_DUPLICATE), "TFILLPAD: the hardware has no such instruction for this type");
  constexpr uint32_t width = 256 / sizeof(T);
  const tile_rows all = rows_of_tile(dst);
  const uint32_t dst_rows = valid_rows(dst), dst_columns = valid_columns(dst);
  auto c = vinst(pc, VI_DUPLICATE, type_of<T>());
  c.scalar = static_cast<uint32_t>(to_bits<T>(pad_value<T, D::PadVal>()));
  for (uint32_t at = columns / width * width; columns < dst_columns && at < dst_columns; at += width) {
    const lanes which = lanes_from(columns > at ? columns - at : 0, min(width, dst_columns - at));
    if (steps(all)) {
      push_down(c, rows, at, which, sizeof(T), all);
    } else {
      for (uint32_t row = 0; row < rows; ++row) {
        tile_rows one = all;
        one.at += row * all.pitch;
        one.pitch = 0;
        push_down(c, 1, at, which, sizeof(T), one);
      }
    }
  }
  if (rows < dst_rows) {
    tile_rows rest = all;
    rest.at += rows * all.pitch;
    push_tile(c, dst_rows - rows, dst_columns, rest);
  }
}

// An instruction that moves bytes has elements of 16 or 32 bits.
template <typename D, typename A>
AMALGAM_INLINE void copy_tile(uint64_t pc, const D &dst, const A &a, uint32_t rows, uint32_t columns) {
  constexpr uint32_t size = sizeof(typename D::DType), word = size >= 4 ? 4 : 2;
  tile_rows to = rows_of_tile(dst), from = rows_of_tile(a);
  to.size = from.size = word;
  if (to.at != from.at || to.pitch != from.pitch) {
    require(columns * size % word == 0, PANIC_FORM);
    push_tile(vinst(pc, VI_COPY, word == 4 ? TYPE_U32 : TYPE_U16), rows, columns * size / word, to, from);
  }
}

// To UB, by rows or columns.
template <typename T, typename G>
AMALGAM_INLINE void load_tile(uint64_t pc, const T &tile, const G &array) {
  using E = typename T::DType;
  each_part(
      tile, array, [&](const lines &l) __attribute__((always_inline)) {
        const uint32_t behind = l.bytes % BLOCK;
        if (T::PadVal == pto::PadValue::Null || !T::isRowMajor || behind == 0) {
          copy_in(pc, l.gm, l.gm_pitch, l.ub, l.ub_pitch, l.count, l.bytes);
        } else {
          const uint32_t gap = l.ub_pitch - static_cast<uint32_t>(round_up(l.bytes, BLOCK));
          copy_in_padded<E>(pc, l.gm, l.gm_pitch, l.ub, gap, l.count, l.bytes, 0,
                            (BLOCK - behind) / static_cast<uint32_t>(sizeof(E)), to_bits<E>(pad_value<E, T::PadVal>()));
        }
      });
}

template <typename T, typename G>
AMALGAM_INLINE void store_tile(uint64_t pc, const G &array, const T &tile, uint32_t op) {
  each_part(
      tile, array, [&](const lines &l) __attribute__((always_inline)) {
        copy_out(pc, l.ub, l.ub_pitch, l.gm, l.gm_pitch, l.count, l.bytes, op);
      });
}

template <typename D, typename A>
AMALGAM_INLINE void move_tile(uint64_t pc, const D &dst, const A &a) {
  static_assert(D::Loc == pto::TileType::Vec && A::Loc == pto::TileType::Vec,
                "TMOV: within UB, from L1 to L0A and L0B, and from L0C to L1 it is there");
  static_assert(std::is_same_v<typename D::DType, typename A::DType>, "TMOV converts no types; TCVT does");
  const uint32_t rows = valid_rows(dst), columns = valid_columns(dst);
  if constexpr (D::isRowMajor && A::isRowMajor) {
    copy_tile(pc, dst, a, rows, columns);
  } else {
    static_assert(is_list<D> && is_list<A>, "TMOV: lists of one row or column, and tiles of rows are there");
    copy_tile(pc, dst, a, 1, rows * columns);
  }
}

}  // namespace amalgam

namespace pto {

// To UB or L1.  Behind a row, a tile of UB with a PadValue is padded to the next multiple of 32 bytes.
template <typename T, typename G>
AMALGAM_INLINE void TLOAD(const T &tile, const G &array) {
  if constexpr (T::Loc == TileType::Mat) {
    amalgam::load_mat(amalgam::hal_pc(), tile, array);
  } else {
    amalgam::load_tile(amalgam::hal_pc(), tile, array);
  }
}

// From UB or L0C.
template <typename T, typename G, AtomicType atomic = AtomicType::AtomicNone, ReluPreMode relu = ReluPreMode::NoRelu>
AMALGAM_INLINE void TSTORE(const G &array, const T &tile) {
  using E = std::remove_cv_t<typename G::DType>;
  static_assert(atomic == AtomicType::AtomicNone || std::is_same_v<E, float> || std::is_same_v<E, int32_t>,
                "TSTORE: memory adds float and int32_t; other types are not there");
  constexpr uint32_t op = atomic == AtomicType::AtomicNone ? amalgam::GM_STORE
                          : std::is_same_v<E, float>       ? amalgam::GM_ADD_F32
                                                           : amalgam::GM_ADD_S32_RAW;
  if constexpr (T::Loc == TileType::Acc) {
    amalgam::store_acc(amalgam::hal_pc(), array, tile, op, relu == ReluPreMode::NormalRelu);
  } else {
    amalgam::store_tile(amalgam::hal_pc(), array, tile, op);
  }
}

template <typename D, typename A, ReluPreMode relu = ReluPreMode::NoRelu>
AMALGAM_INLINE void TMOV(const D &dst, const A &a) {
  static_assert(relu == ReluPreMode::NoRelu || D::Loc == TileType::Mat, "TMOV: ReLU is there on the way to L1");
  if constexpr (D::Loc == TileType::Mat) {
    amalgam::move_acc(amalgam::hal_pc(), dst, a, relu == ReluPreMode::NormalRelu);
  } else if constexpr (D::Loc == TileType::Left || D::Loc == TileType::Right) {
    amalgam::extract(amalgam::hal_pc(), dst, a, 0, 0);
  } else {
    amalgam::move_tile(amalgam::hal_pc(), dst, a);
  }
}

// What is valid of a, and padding in the rest of dst.  In L1 only of what is valid as a whole.
template <typename D, typename A>
AMALGAM_INLINE void TFILLPAD(const D &dst, const A &a) {
  static_assert(D::Loc == TileType::Mat || (D::Loc == TileType::Vec && D::isRowMajor && A::isRowMajor),
                "TFILLPAD: of tiles of UB with rows, and of L1, it is there");
  const uint64_t pc = amalgam::hal_pc();
  if constexpr (D::Loc == TileType::Mat) {
    amalgam::require(a.GetValidRow() == A::Rows && a.GetValidCol() == A::Cols, amalgam::PANIC_FORM);
  } else {
    amalgam::copy_tile(pc, dst, a, amalgam::valid_rows(a), amalgam::valid_columns(a));
    amalgam::barrier(pc, amalgam::PIPE_V);
    amalgam::fill_behind(pc, dst, amalgam::valid_rows(a), amalgam::valid_columns(a));
  }
}
// dst lies where a does.
template <typename D, typename A>
AMALGAM_INLINE void TFILLPAD_INPLACE(const D &dst, const A &a) {
  static_assert(D::Loc == TileType::Vec && D::isRowMajor && A::isRowMajor && D::Cols == A::Cols,
                "TFILLPAD_INPLACE: of tiles of UB with rows of one length it is there");
  amalgam::require(dst.address() == a.address(), amalgam::PANIC_FORM);
  amalgam::fill_behind(amalgam::hal_pc(), dst, amalgam::valid_rows(a), amalgam::valid_columns(a));
}

// Rows become columns, by squares of 16 x 16 elements of 16 bits, or 8 x 8 of 32 bits; all of them are written that
// hold a valid element.
template <typename D, typename A, typename W>
AMALGAM_INLINE void TTRANS(const D &dst, const A &a, const W &) {
  using T = typename A::DType;
  AMALGAM_TILES(D, A);
  static_assert((sizeof(T) == 2 || sizeof(T) == 4) && D::isRowMajor && A::isRowMajor,
                "TTRANS: of tiles of rows of 16-bit and 32-bit elements it is there");
  constexpr uint32_t edge = amalgam::BLOCK / sizeof(T), rows = A::Rows, columns = A::Cols;
  constexpr uint32_t from = columns * sizeof(T) / amalgam::BLOCK, to = uint32_t{D::Cols} * sizeof(T) / amalgam::BLOCK;
  static_assert(rows % edge == 0 && D::Rows % int{edge} == 0, "TTRANS: tiles are of whole squares");
  const uint64_t pc = amalgam::hal_pc();
  const uint32_t right = min((amalgam::valid_columns(a) + edge - 1) / edge, uint32_t{D::Rows} / edge);
  for (uint32_t row = 0; row < min(amalgam::valid_rows(a), uint32_t{D::Cols}); row += edge) {
    auto c = amalgam::vinst(pc, amalgam::VI_TRANSPOSE, amalgam::type_of<T>());
    c.a = a.address() + row * columns * static_cast<uint32_t>(sizeof(T));
    c.dst = dst.address() + row * static_cast<uint32_t>(sizeof(T));
    c.a_step = VECTOR_STEP(from, 1);
    c.dst_step = VECTOR_STEP(to, to * edge);
    c.repeats = right;
    amalgam::push(c);
  }
}

}  // namespace pto

#endif
