// Comparisons and choices, gathering, sorted lists.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_PTO_CHOICE_H
#define AMALGAM_SW_ASCEND_INCLUDE_PTO_CHOICE_H

#include "ascendc/select.h"
#include "ascendc/sort.h"
#include "pto/move.h"

namespace pto {

enum class CmpMode { EQ, NE, LT, GT, GE, LE };
enum class MaskPattern {
  P0101 = 1,
  P1010,
  P0001,
  P0010,
  P0100,
  P1000,
  P1111
};  // lowest bit first: P0101 takes 0, 2, ...

struct MrgSortExecutedNumList {
  uint16_t mrgSortList0, mrgSortList1, mrgSortList2, mrgSortList3;
};

}  // namespace pto

namespace amalgam {

constexpr AscendC::CMPMODE compare_mode(pto::CmpMode mode) {
  constexpr AscendC::CMPMODE modes[] = {AscendC::CMPMODE::EQ, AscendC::CMPMODE::NE, AscendC::CMPMODE::LT,
                                        AscendC::CMPMODE::GT, AscendC::CMPMODE::GE, AscendC::CMPMODE::LE};
  return modes[static_cast<int>(mode)];
}

// One instruction a row; bits: a tile with a bit for each element, in rows.
template <typename T, typename M>
AMALGAM_INLINE void push_rows(cmd_vinst_t c, const T &like, const M &bits, uint32_t cmd_vinst_t::*place_of_bits,
                              const tile_rows &d, const tile_rows &a, const tile_rows &b) {
  constexpr uint32_t bits_pitch = uint32_t{M::Cols} * sizeof(typename M::DType);
  static_assert(T::isRowMajor && M::isRowMajor && bits_pitch * 8 >= uint32_t{T::Cols},
                "comparisons and choices: of tiles of rows they are there, with a bit for each element");
  c.count = valid_columns(like);
  for (uint32_t row = 0; row < valid_rows(like); ++row) {
    c.dst = d.from(row, 0);
    c.a = a.from(row, 0);
    c.b = b.from(row, 0);
    c.*place_of_bits = bits.address() + row * bits_pitch;
    push(c);
  }
}

}  // namespace amalgam

namespace pto {

template <typename M, typename A>
AMALGAM_INLINE void TCMP(const M &bits, const A &a, const A &b, CmpMode mode) {
  using T = typename A::DType;
  AMALGAM_HAS(TCMP, VI_CMP_EQ, T);
  auto c =
      amalgam::vinst(amalgam::hal_pc(), amalgam::compare_of(amalgam::compare_mode(mode), false), amalgam::type_of<T>());
  c.dst_step = 0;
  amalgam::push_rows(c, a, bits, &amalgam::cmd_vinst_t::dst, {}, amalgam::rows_of_tile(a), amalgam::rows_of_tile(b));
}
template <typename M, typename A>
AMALGAM_INLINE void TCMPS(const M &bits, const A &a, typename A::DType scalar, CmpMode mode) {
  using T = typename A::DType;
  AMALGAM_HAS(TCMPS, VI_CMPS_EQ, T);
  auto c =
      amalgam::vinst(amalgam::hal_pc(), amalgam::compare_of(amalgam::compare_mode(mode), true), amalgam::type_of<T>());
  c.dst_step = 0;
  c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));
  amalgam::push_rows(c, a, bits, &amalgam::cmd_vinst_t::dst, {}, amalgam::rows_of_tile(a), {});
}
// a where the bit is 1, else b.
template <typename D, typename M, typename A, typename B, typename... W>
AMALGAM_INLINE void TSEL(const D &dst, const M &bits, const A &a, const B &b, const W &...) {
  using T = typename D::DType;
  AMALGAM_HAS(TSEL, VI_SELECT, T);
  AMALGAM_TILES(D, A);
  AMALGAM_TILES(D, B);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_SELECT, amalgam::type_of<T>());
  c.mode = amalgam::SELECT_EACH;
  amalgam::push_rows(c, dst, bits, &amalgam::cmd_vinst_t::c, amalgam::rows_of_tile(dst), amalgam::rows_of_tile(a),
                     amalgam::rows_of_tile(b));
}
template <typename D, typename M, typename A, typename W>
AMALGAM_INLINE void TSELS(const D &dst, const M &bits, const A &a, const W &, typename D::DType scalar) {
  using T = typename D::DType;
  AMALGAM_HAS(TSELS, VI_SELECTS, T);
  AMALGAM_TILES(D, A);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_SELECTS, amalgam::type_of<T>());
  c.mode = amalgam::SELECT_EACH;
  c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));
  amalgam::push_rows(c, dst, bits, &amalgam::cmd_vinst_t::c, amalgam::rows_of_tile(dst), amalgam::rows_of_tile(a), {});
}

// dst[i] = a[index[i]], all of them as lists; work, as large as the indices, takes their bytes.
template <typename D, typename A, typename I, typename W>
AMALGAM_INLINE void TGATHER(const D &dst, const A &a, const I &index, const W &work) {
  using T = typename D::DType;
  AMALGAM_HAS(TGATHER, VI_GATHER, T);
  AMALGAM_TILES(D, A);
  static_assert(
      sizeof(typename I::DType) == 4 && W::bytes >= I::bytes && D::isRowMajor && D::Cols == I::Cols,
      "TGATHER: indices of 32 bits, in rows as long as the result's, and a temporary tile as large are there");
  const uint64_t pc = amalgam::hal_pc();
  const uint32_t count = amalgam::valid_rows(dst) == 1 ? amalgam::valid_columns(dst)
                                                       : amalgam::valid_rows(dst) * static_cast<uint32_t>(D::Cols);
  amalgam::with_number<int32_t>(pc, amalgam::VI_MULS, work.address(), index.address(), sizeof(T), count);
  amalgam::barrier(pc, amalgam::PIPE_V);
  auto c = amalgam::vinst(pc, amalgam::VI_GATHER, amalgam::type_of<T>());
  c.dst = dst.address();
  c.a = work.address();
  c.a_step = c.b_step = 0;
  c.b = a.address();
  c.scalar = A::bytes;
  c.count = count;
  amalgam::push(c);
}
// Elements by a pattern, side by side.
template <typename D, typename A, MaskPattern pattern>
AMALGAM_INLINE void TGATHER(const D &dst, const A &a) {
  using T = typename D::DType;
  AMALGAM_HAS(TGATHER, VI_GATHER_MASK, T);
  AMALGAM_TILES(D, A);
  static_assert(amalgam::is_list<A>, "TGATHER: by a pattern of one row it is there");
  auto c =
      amalgam::picking<T>(amalgam::hal_pc(), dst.address(), a.address(), true, amalgam::valid_columns(a), {1, 1, 0, 0});
  c.mode = static_cast<uint32_t>(pattern);
  amalgam::push(c);
}

// 32 pairs of a score and an index after the other, each sorted.
template <typename D, typename A, typename I>
AMALGAM_INLINE void TSORT32(const D &dst, const A &a, const I &index) {
  using T = typename A::DType;
  AMALGAM_HAS(TSORT32, VI_SORT32, T);
  static_assert(sizeof(typename I::DType) == 4 && amalgam::is_list<A> && amalgam::is_list<D>,
                "TSORT32: of one row and indices of 32 bits it is there");
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_SORT32, amalgam::type_of<T>());
  c.dst = dst.address();
  c.dst_step = c.a_step = c.b_step = 0;
  c.a = a.address();
  c.b = index.address();
  c.repeats = amalgam::valid_columns(a) / 32;
  amalgam::push(c);
}

}  // namespace pto

namespace amalgam {

template <typename A>
AMALGAM_INLINE uint16_t pairs_of(const A &list) {
  return static_cast<uint16_t>(valid_columns(list) * sizeof(typename A::DType) / PAIR);
}

}  // namespace amalgam

namespace pto {

// Two to four sorted lists into one.
template <typename D, typename W, typename... A>
AMALGAM_INLINE void merge_tiles(uint64_t pc, const D &dst, MrgSortExecutedNumList &taken, const A &...lists) {
  using T = typename D::DType;
  AMALGAM_HAS(TMRGSORT, VI_MRG_SORT4, T);
  uint32_t from[4] = {lists.address()...};
  uint16_t lengths[4] = {amalgam::pairs_of(lists)...};
  amalgam::merge<T>(pc, dst.address(), from, lengths, false, 1);
  taken = {lengths[0], lengths[1], lengths[2], lengths[3]};
}
#define AMALGAM_MERGES(to_end) \
  static_assert(!(to_end), "TMRGSORT: merges of all of the lists are there; those that end with one of them are not")
template <typename D, typename W, typename A, typename B, bool to_end = false>
AMALGAM_INLINE void TMRGSORT(const D &dst, MrgSortExecutedNumList &taken, const W &, const A &a, const B &b) {
  AMALGAM_MERGES(to_end);
  merge_tiles<D, W>(amalgam::hal_pc(), dst, taken, a, b);
}
template <typename D, typename W, typename A, typename B, typename C, bool to_end = false>
AMALGAM_INLINE void TMRGSORT(const D &dst, MrgSortExecutedNumList &taken, const W &, const A &a, const B &b,
                             const C &c) {
  AMALGAM_MERGES(to_end);
  merge_tiles<D, W>(amalgam::hal_pc(), dst, taken, a, b, c);
}
template <typename D, typename W, typename A, typename B, typename C, typename E, bool to_end = false>
AMALGAM_INLINE void TMRGSORT(const D &dst, MrgSortExecutedNumList &taken, const W &, const A &a, const B &b, const C &c,
                             const E &e) {
  AMALGAM_MERGES(to_end);
  merge_tiles<D, W>(amalgam::hal_pc(), dst, taken, a, b, c, e);
}

}  // namespace pto

#endif
