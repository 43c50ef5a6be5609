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

// A pair of a value and its lane for each repeat of n elements; of pairs, the lanes of their values.
template <typename T>
AMALGAM_INLINE void find_round(uint64_t pc, vector_instruction op, uint32_t dst, uint32_t a, uint32_t n, bool pairs) {
  constexpr uint32_t width = 256 / sizeof(T), most = 255;
  for (uint32_t done = 0; done < n;) {
    const uint32_t left = n - done, whole = left / width, repeats = whole == 0 ? 1 : whole < most ? whole : most;
    const lanes which = first_lanes(whole == 0 ? left : width);
    auto c = vinst(pc, op, type_of<T>());
    c.mode = CHOICE_VALUE_INDEX;
    c.a = a + done * static_cast<uint32_t>(sizeof(T));
    c.dst = dst + done / width * 2 * static_cast<uint32_t>(sizeof(T));
    c.dst_step = VECTOR_STEP(0, 1);
    c.mask = which.low & (pairs ? 0x5555555555555555 : ~uint64_t{0});
    c.mask_high = which.high & (pairs ? 0x5555555555555555 : ~uint64_t{0});
    c.repeats = repeats;
    push(c);
    done += repeats * width;
  }
}

// Rounds as those of reduce, each with pairs; then the program follows the lanes back, from the last round's on.
template <typename T>
AMALGAM_INLINE void find(uint64_t pc, vector_instruction op, uint32_t dst, uint32_t a, uint32_t work, uint32_t count) {
  constexpr uint32_t lanes = 256 / sizeof(T), size = sizeof(T), rounds_most = 4;
  uint32_t at[rounds_most] = {}, rounds = 0;
  uint32_t from = a, to = work;
  for (uint32_t n = count;; n = (n + lanes - 1) / lanes * 2) {
    at[rounds] = n <= lanes ? dst : to;
    find_round<T>(pc, op, at[rounds], from, n, rounds > 0);
    if (n <= lanes) {
      break;
    }
    barrier(pc, PIPE_V);
    require(++rounds < rounds_most, PANIC_FORM);
    from = to;
    to += static_cast<uint32_t>(round_up((n + lanes - 1) / lanes * 2 * size, BLOCK));
  }
  if (rounds > 0) {
    order(pc, PIPE_V, PIPE_S, EVENT_AUTO);
    uint64_t place = 0;
    for (uint32_t round = rounds + 1; round-- > 0;) {
      const uint64_t lane = read_value(pc, 0, at[round] + static_cast<uint32_t>(place) * 2 * size + size, size);
      place = place * lanes + lane;
      place = round > 0 ? place / 2 : place;
    }
    write_value(pc, 0, dst + size, size, place);
    order(pc, PIPE_S, PIPE_V, EVENT_AUTO);
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

// With index: the value, and behind it, as an unsigned number of the same size, which is the first that has it.
#define AMALGAM_REDUCE_CHOICE(CALL, VI_NAME)                                                               \
  template <typename T>                                                                                    \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &work, \
                           int32_t count, bool index = false) {                                            \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                         \
    const uint64_t pc = amalgam::hal_pc();                                                                 \
    const auto n = static_cast<uint32_t>(count);                                                           \
    if (index) {                                                                                           \
      amalgam::find<T>(pc, amalgam::VI_NAME, dst.address(), a.address(), work.address(), n);               \
    } else {                                                                                               \
      amalgam::reduce<T>(pc, amalgam::VI_NAME, dst.address(), a.address(), work.address(), n);             \
    }                                                                                                      \
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
