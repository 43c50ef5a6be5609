// Compare, Select and Gather.  A comparison leaves a bit an element, lowest first.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_SELECT_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_SELECT_H

#include "ascendc/vector.h"

namespace AscendC {

enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };

}  // namespace AscendC

namespace amalgam {

constexpr uint32_t compare_of(AscendC::CMPMODE mode, bool scalar) {
  constexpr uint32_t of_two[] = {VI_CMP_LT, VI_CMP_GT, VI_CMP_EQ, VI_CMP_LE, VI_CMP_GE, VI_CMP_NE};
  constexpr uint32_t of_one[] = {VI_CMPS_LT, VI_CMPS_GT, VI_CMPS_EQ, VI_CMPS_LE, VI_CMPS_GE, VI_CMPS_NE};
  return (scalar ? of_one : of_two)[static_cast<int>(mode)];
}

}  // namespace amalgam

namespace AscendC {

template <typename T, typename U, bool isSetMask = true>
AMALGAM_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b, CMPMODE mode,
                            uint32_t count) {
  AMALGAM_HAS(Compare, VI_CMP_EQ, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::compare_of(mode, false), amalgam::type_of<T>());
  c.dst = dst.address();
  c.dst_step = 0;
  c.a = a.address();
  c.b = b.address();
  c.count = count;
  amalgam::push(c);
}

template <typename T, typename U, bool isSetMask = true>
AMALGAM_INLINE void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &a, amalgam::same_t<T> scalar,
                                  CMPMODE mode, uint32_t count) {
  AMALGAM_HAS(CompareScalar, VI_CMPS_EQ, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::compare_of(mode, true), amalgam::type_of<T>());
  c.dst = dst.address();
  c.dst_step = 0;
  c.a = a.address();
  c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));
  c.count = count;
  amalgam::push(c);
}

template <typename T, typename U>
AMALGAM_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &a,
                           const LocalTensor<T> &b, SELMODE mode, uint32_t count) {
  AMALGAM_HAS(Select, VI_SELECT, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_SELECT, amalgam::type_of<T>());
  c.mode = mode == SELMODE::VSEL_CMPMASK_SPR ? amalgam::SELECT_SAME : amalgam::SELECT_EACH;
  c.dst = dst.address();
  c.a = a.address();
  c.b = b.address();
  c.c = bits.address();
  c.count = count;
  amalgam::push(c);
}

template <typename T, typename U>
AMALGAM_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &a,
                           amalgam::same_t<T> scalar, SELMODE, uint32_t count) {
  AMALGAM_HAS(Select, VI_SELECTS, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_SELECTS, amalgam::type_of<T>());
  c.mode = amalgam::SELECT_EACH;
  c.dst = dst.address();
  c.a = a.address();
  c.c = bits.address();
  c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));
  c.count = count;
  amalgam::push(c);
}

// Elements of a table by byte offsets from the beginning, which lies base bytes behind the tensor's.
template <typename T>
AMALGAM_INLINE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &table, const LocalTensor<uint32_t> &offsets,
                           uint32_t base, uint32_t count) {
  AMALGAM_HAS(Gather, VI_GATHER, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_GATHER, amalgam::type_of<T>());
  c.dst = dst.address();
  c.a = offsets.address();
  c.a_step = c.b_step = 0;
  c.b = table.address() + base;
  c.scalar = table.GetLength() - base;
  c.count = count;
  amalgam::push(c);
}

}  // namespace AscendC

#endif
