// Reductions.  Of a number of elements they take as many rounds as hardware needs: each repeat of 256 bytes leaves one
// value, in the work tensor, until one is left.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_REDUCE_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_REDUCE_H

#include "ascendc/vector.h"

namespace AscendC {

enum class ReduceOrder { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };

}  // namespace AscendC

namespace amalgam {

constexpr uint32_t choice_of(AscendC::ReduceOrder order) {
  return order == AscendC::ReduceOrder::ORDER_VALUE_INDEX   ? CHOICE_VALUE_INDEX
         : order == AscendC::ReduceOrder::ORDER_INDEX_VALUE ? CHOICE_INDEX_VALUE
         : order == AscendC::ReduceOrder::ORDER_ONLY_VALUE  ? CHOICE_VALUE
                                                            : CHOICE_INDEX;
}

// One value of count elements.
template <typename T>
AMALGAM_INLINE void reduce(uint64_t pc, vector_instruction op, uint32_t dst, uint32_t a, uint32_t work,
                           uint32_t count) {
  constexpr uint32_t lanes = 256 / sizeof(T);
  uint32_t from = a;
  for (uint32_t left = count;; left = (left + lanes - 1) / lanes) {
    auto c = vinst(pc, op, type_of<T>());
    c.a = from;
    c.dst = left <= lanes ? dst : work;
    c.dst_step = VECTOR_STEP(0, 1);
    c.mode = op == VI_WHOLE_SUM ? 0 : static_cast<uint32_t>(CHOICE_VALUE);
    c.count = left;
    push(c);
    if (left <= lanes) {
      return;
    }
    barrier(pc, PIPE_V);
    from = work;
  }
}

template <typename T, bool given, typename M>
AMALGAM_INLINE void reduce_repeats(uint64_t pc, vector_instruction op, uint32_t mode, uint32_t dst, uint32_t a,
                                   const M &mask, int32_t repeats, int32_t dst_repeat, int32_t a_block,
                                   int32_t a_repeat) {
  auto c = vinst(pc, op, type_of<T>());
  c.mode = mode;
  c.dst = dst;
  c.a = a;
  c.dst_step = VECTOR_STEP(0, dst_repeat);
  c.a_step = VECTOR_STEP(a_block, a_repeat);
  set_lanes<T, given>(c, mask, static_cast<uint32_t>(repeats));
  push(c);
}

}  // namespace amalgam

namespace AscendC {

#define AMALGAM_REDUCE(CALL, VI_NAME)                                                                      \
  template <typename T, bool isSetMask = true>                                                             \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &work, \
                           int32_t count) {                                                                \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                         \
    amalgam::reduce<T>(amalgam::hal_pc(), amalgam::VI_NAME, dst.address(), a.address(), work.address(),    \
                       static_cast<uint32_t>(count));                                                      \
  }
AMALGAM_REDUCE(ReduceSum, VI_WHOLE_SUM)

// With an index they are not there.
#define AMALGAM_REDUCE_CHOICE(CALL, VI_NAME)                                                               \
  template <typename T>                                                                                    \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &work, \
                           int32_t count, bool index = false) {                                            \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                         \
    amalgam::require(!index, amalgam::PANIC_INDEX);                                                        \
    amalgam::reduce<T>(amalgam::hal_pc(), amalgam::VI_NAME, dst.address(), a.address(), work.address(),    \
                       static_cast<uint32_t>(count));                                                      \
  }
AMALGAM_REDUCE_CHOICE(ReduceMax, VI_WHOLE_MAX)
AMALGAM_REDUCE_CHOICE(ReduceMin, VI_WHOLE_MIN)

template <typename T, bool isSetMask = true, typename M>
AMALGAM_INLINE void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &a, const M &mask, int32_t repeats,
                                   int32_t dst_repeat, int32_t a_block, int32_t a_repeat) {
  AMALGAM_HAS(WholeReduceSum, VI_WHOLE_SUM, T);
  amalgam::reduce_repeats<T, isSetMask>(amalgam::hal_pc(), amalgam::VI_WHOLE_SUM, 0, dst.address(), a.address(), mask,
                                        repeats, dst_repeat, a_block, a_repeat);
}
template <typename T, bool isSetMask = true, typename M>
AMALGAM_INLINE void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &a, int32_t repeats, const M &mask,
                                    int32_t, int32_t a_block, int32_t dst_repeat, int32_t a_repeat) {
  AMALGAM_HAS(RepeatReduceSum, VI_WHOLE_SUM, T);
  amalgam::reduce_repeats<T, isSetMask>(amalgam::hal_pc(), amalgam::VI_WHOLE_SUM, 0, dst.address(), a.address(), mask,
                                        repeats, dst_repeat, a_block, a_repeat);
}

#define AMALGAM_WHOLE_CHOICE(CALL, VI_NAME)                                                                          \
  template <typename T, bool isSetMask = true, typename M>                                                           \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, const M &mask, int32_t repeats,       \
                           int32_t dst_repeat, int32_t a_block, int32_t a_repeat,                                    \
                           ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                                     \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                                   \
    amalgam::reduce_repeats<T, isSetMask>(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::choice_of(order),            \
                                          dst.address(), a.address(), mask, repeats, dst_repeat, a_block, a_repeat); \
  }
AMALGAM_WHOLE_CHOICE(WholeReduceMax, VI_WHOLE_MAX)
AMALGAM_WHOLE_CHOICE(WholeReduceMin, VI_WHOLE_MIN)

#define AMALGAM_REDUCE_PARTS(CALL, VI_NAME)                                                                         \
  template <typename T, bool isSetMask = true, typename M>                                                          \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, int32_t repeats, const M &mask,      \
                           int32_t dst_repeat, int32_t a_block, int32_t a_repeat) {                                 \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                                  \
    amalgam::reduce_repeats<T, isSetMask>(amalgam::hal_pc(), amalgam::VI_NAME, 0, dst.address(), a.address(), mask, \
                                          repeats, dst_repeat, a_block, a_repeat);                                  \
  }
AMALGAM_REDUCE_PARTS(BlockReduceSum, VI_BLOCK_SUM)
AMALGAM_REDUCE_PARTS(BlockReduceMax, VI_BLOCK_MAX)
AMALGAM_REDUCE_PARTS(BlockReduceMin, VI_BLOCK_MIN)
AMALGAM_REDUCE_PARTS(PairReduceSum, VI_PAIR_SUM)

}  // namespace AscendC

#endif
