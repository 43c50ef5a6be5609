// Tiles of cube cores.  L1 has them in strips of 16 columns (TileType::Mat with BLayout::ColMajor and
// SLayout::RowMajor), or, seen with rows and columns exchanged, by RowMajor and ColMajor; L0A, L0B and L0C have
// fractals (ascendc/cube.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_CUBE_H
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_CUBE_H

#include "ascendc/cube.h"
#include "pto/global.h"

namespace amalgam {

// Columns of a tile's valid part that its fractals have.
enum { EDGE = 16 };

template <typename T>
AMALGAM_INLINE uint32_t cube_address(const T &tile) {
  return static_cast<uint32_t>(memory_of_tile<T>) << MEMORY_BIT | tile.address();
}
template <typename T>
AMALGAM_INLINE AscendC::LocalTensor<typename T::DType> cube_tensor(const T &tile) {
  return AscendC::LocalTensor<typename T::DType>(cube_address(tile), uint32_t{T::Rows} * uint32_t{T::Cols});
}

template <typename T>
constexpr bool is_turned = T::isRowMajor;  // of tiles of L1

// Bytes from strip to strip.
template <typename T>
constexpr uint32_t strip_bytes = uint32_t{is_turned<T> ? T::Cols : T::Rows} * BLOCK;

template <typename T, typename G>
AMALGAM_INLINE void load_mat(uint64_t pc, const T &tile, const G &array) {
  using E = typename T::DType;
  static_assert(!is_turned<T> && sizeof(E) == 2, "TLOAD: tiles of L1 in strips, of 16-bit elements, are there");
  require(array.GetShape(0) * array.GetShape(1) * array.GetShape(2) == 1 && array.GetStride(4) == 1, PANIC_FORM);
  load_matrix(pc, gm_address(array.data()), static_cast<uint32_t>(array.GetStride(3)) * 2, tile.address(),
              strip_bytes<T>, static_cast<uint32_t>(array.GetShape(3)), static_cast<uint32_t>(array.GetShape(4)) * 2);
}

// L0C to global memory, as it is or as 16-bit numbers.
template <typename T, typename G>
AMALGAM_INLINE void store_acc(uint64_t pc, const G &array, const T &tile, uint32_t op, bool relu) {
  using E = std::remove_cv_t<typename G::DType>;
  require(array.GetShape(0) * array.GetShape(1) * array.GetShape(2) == 1 && array.GetStride(4) == 1, PANIC_FORM);
  auto c = begin<cmd_fixpipe_t>(OP_FIXPIPE, PIPE_FIX, pc);
  c.l0c = tile.address();
  c.m = static_cast<uint32_t>(array.GetShape(3));
  c.n = static_cast<uint32_t>(array.GetShape(4));
  c.gm = gm_address(array.data());
  c.gm_pitch = static_cast<uint32_t>(array.GetStride(3) * static_cast<int64_t>(sizeof(E)));
  c.type = type_of<E>();
  c.from = type_of<typename T::DType>();
  c.op = op;
  c.relu = relu;
  c.strip_pitch = uint32_t{T::Rows} * EDGE * 4;
  fix(pc, c);
}

// L0C to L1, as it is or as 16-bit numbers.  Columns are written by 16.
template <typename D, typename A>
AMALGAM_INLINE void move_acc(uint64_t pc, const D &dst, const A &a, bool relu) {
  static_assert(A::Loc == pto::TileType::Acc && !is_turned<D> &&
                    (sizeof(typename D::DType) == 2 || sizeof(typename D::DType) == 4),
                "TMOV to L1: from L0C to tiles in strips, of 16-bit and 32-bit elements, it is there");
  auto c = begin<cmd_fix_l1_t>(OP_FIX_L1, PIPE_FIX, pc);
  c.l0c = a.address();
  c.m = static_cast<uint32_t>(a.GetValidRow());
  c.n = static_cast<uint32_t>(round_up(static_cast<uint32_t>(a.GetValidCol()), EDGE));
  c.l1 = dst.address();
  c.l1_pitch = uint32_t{D::Rows} * EDGE * static_cast<uint32_t>(sizeof(typename D::DType));
  c.type = type_of<typename D::DType>();
  c.from = type_of<typename A::DType>();
  c.relu = relu;
  c.strip_pitch = uint32_t{A::Rows} * EDGE * 4;
  hal_push_fix_l1(&c);
}

// A part of a tile of L1 to L0A or L0B, from a row and a column on; fractals of one row of them by one command.
template <typename D, typename A>
AMALGAM_INLINE void extract(uint64_t pc, const D &dst, const A &a, uint32_t row, uint32_t column) {
  static_assert(D::Loc == pto::TileType::Left || D::Loc == pto::TileType::Right,
                "TEXTRACT and TMOV: from L1 to L0A and L0B they are there");
  static_assert(A::Loc == pto::TileType::Mat && sizeof(typename D::DType) == 2 &&
                    std::is_same_v<typename D::DType, typename A::DType>,
                "TEXTRACT and TMOV: of 16-bit elements they are there");
  constexpr bool right = D::Loc == pto::TileType::Right;
  constexpr uint32_t strip = strip_bytes<A>, down = is_turned<A> ? strip : 512, along = is_turned<A> ? 512 : strip;
  const uint32_t from = cube_address(a) + row / EDGE * down + column / EDGE * along;
  require(row % EDGE == 0 && column % EDGE == 0, PANIC_FORM);
  for (uint32_t i = 0; i < uint32_t{D::Rows} / EDGE; ++i) {
    load_fractals(pc, from + i * down, along, cube_address(dst) + i * (uint32_t{D::Cols} / EDGE) * 512, 512,
                  uint32_t{D::Cols} / EDGE, is_turned<A> != right, ELEMENT_16);
  }
}

}  // namespace amalgam

namespace pto {

template <typename D, typename A>
AMALGAM_INLINE void TEXTRACT(const D &dst, const A &a, uint32_t row, uint32_t column) {
  amalgam::extract(amalgam::hal_pc(), dst, a, row, column);
}

template <typename C, typename A, typename B>
AMALGAM_INLINE void TMATMUL(const C &to, const A &left, const B &right) {
  const AscendC::MmadParams p(static_cast<uint16_t>(left.GetValidRow()), static_cast<uint16_t>(right.GetValidCol()),
                              static_cast<uint16_t>(left.GetValidCol()), 0, false, true);
  AscendC::Mmad(amalgam::cube_tensor(to), amalgam::cube_tensor(left), amalgam::cube_tensor(right), p);
}
// The sum goes on from what to has.
template <typename C, typename A, typename B>
AMALGAM_INLINE void TMATMUL_ACC(const C &to, const C &from, const A &left, const B &right) {
  const AscendC::MmadParams p(static_cast<uint16_t>(left.GetValidRow()), static_cast<uint16_t>(right.GetValidCol()),
                              static_cast<uint16_t>(left.GetValidCol()), 0, false, false);
  amalgam::require(to.address() == from.address(), amalgam::PANIC_FORM);
  AscendC::Mmad(amalgam::cube_tensor(to), amalgam::cube_tensor(left), amalgam::cube_tensor(right), p);
}

}  // namespace pto

#endif
