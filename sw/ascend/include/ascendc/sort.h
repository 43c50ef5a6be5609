// Sort32, MrgSort, Sort, Extract; GatherMask, Transpose, TransDataTo5HD: elements that are sorted, picked and turned.
//
// A list that is sorted has pairs of 8 bytes: a score, in 32 bits, and an index of 32 bits.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_SORT_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_SORT_H

#include "ascendc/data_copy.h"

namespace AscendC {

struct GatherMaskParams {
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 1, src0RepeatStride = 8;
  uint8_t src1RepeatStride = 0;
  GatherMaskParams() = default;
  constexpr GatherMaskParams(uint8_t block, uint16_t repeats, uint16_t repeat, uint8_t bits_repeat)
      : src0BlockStride(block), repeatTimes(repeats), src0RepeatStride(repeat), src1RepeatStride(bits_repeat) {}
};

template <typename T>
struct MrgSortSrcList {
  LocalTensor<T> src1, src2, src3, src4;
  MrgSortSrcList() = default;
  AMALGAM_INLINE MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b, const LocalTensor<T> &c,
                                const LocalTensor<T> &d)
      : src1(a), src2(b), src3(c), src4(d) {}
};

struct MrgSort4Info {
  uint16_t elementLengths[4] = {};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0b1111;
  uint8_t repeatTimes = 1;
  MrgSort4Info() = default;
  constexpr MrgSort4Info(const uint16_t lengths[4], bool to_end, uint16_t valid, uint16_t repeats)
      : elementLengths{lengths[0], lengths[1], lengths[2], lengths[3]},
        ifExhaustedSuspension(to_end),
        validBit(valid),
        repeatTimes(static_cast<uint8_t>(repeats)) {}
};

struct TransDataTo5HDParams {
  bool dstHighHalf = false, srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0, srcRepStride = 0;
  TransDataTo5HDParams() = default;
  constexpr TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t repeats, uint16_t dst_repeat, uint16_t a_repeat)
      : dstHighHalf(dst_high),
        srcHighHalf(src_high),
        repeatTimes(repeats),
        dstRepStride(dst_repeat),
        srcRepStride(a_repeat) {}
};

}  // namespace AscendC

namespace amalgam {

enum { PAIR = 8 };

// The program sees what V has left in UB, whatever orders its other accesses.
AMALGAM_INLINE uint64_t look(uint64_t pc, uint32_t ub, uint32_t bytes) { return read_value(pc, 0, ub, bytes); }

// How many of count elements a pattern takes.
constexpr uint32_t taken_by(uint32_t pattern, uint32_t count) {
  return pattern == GATHER_ALL                             ? count
         : pattern == GATHER_EVEN || pattern == GATHER_ODD ? (count + (pattern == GATHER_EVEN)) / 2
                                                           : (count + GATHER_FOURTH_OF_4 - pattern) / 4;
}

// How many of so many bits are 1: those of one repeat, or of all.
inline uint32_t taken_of(uint64_t pc, uint32_t bits, uint32_t count, uint32_t period) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i < count; i += 32) {
    uint32_t word = static_cast<uint32_t>(look(pc, bits + i % period / 8, 4));
    for (word = count - i < 32 ? word & ((1u << (count - i)) - 1) : word; word != 0; word &= word - 1) {
      ++taken;
    }
  }
  return taken;
}

// All elements of the repeats have to lie in blocks that are equally far apart: the result is packed.
template <typename T>
AMALGAM_INLINE cmd_vinst_t picking(uint64_t pc, uint32_t dst, uint32_t a, bool counted, uint32_t elements,
                                   const AscendC::GatherMaskParams &p) {
  const uint32_t each = counted ? elements : 256 / static_cast<uint32_t>(sizeof(T));
  const uint32_t blocks = static_cast<uint32_t>(round_up(each * sizeof(T), BLOCK)) / BLOCK;
  require(
      p.repeatTimes == 1 || (blocks * BLOCK == each * sizeof(T) && p.src0RepeatStride == blocks * p.src0BlockStride),
      PANIC_FORM);
  auto c = vinst(pc, VI_GATHER_MASK, type_of<T>());
  c.dst = dst;
  c.a = a;
  c.dst_step = c.b_step = 0;
  c.a_step = VECTOR_STEP(p.src0BlockStride, 0);
  c.count = each * p.repeatTimes;
  return c;
}

template <typename T>
AMALGAM_INLINE void merge(uint64_t pc, uint32_t dst, const uint32_t from[4], const uint16_t lengths[4], bool to_end,
                          uint32_t repeats) {
  auto c = vinst(pc, VI_MRG_SORT4, type_of<T>());
  c.dst_step = c.a_step = c.b_step = 0;
  c.mode = to_end ? MERGE_TO_END : MERGE_ALL;
  c.dst = dst;
  c.a = from[0];
  c.b = repeats == 1 && lengths[1] > 0 ? from[1] : 0;
  c.c = repeats == 1 && lengths[2] > 0 ? from[2] : 0;
  c.scalar = repeats == 1 && lengths[3] > 0 ? from[3] : 0;
  c.repeats = repeats;
  for (uint32_t i = 0; i < 4; ++i) {
    c.mask |= uint64_t{lengths[i]} << 16 * i;
  }
  push(c);
}

// A score as a number in whose order lists are sorted.
template <typename T>
inline int32_t score_at(uint64_t pc, uint32_t list, uint32_t index) {
  const auto bits = static_cast<uint32_t>(look(pc, list + PAIR * index, 4)) << (sizeof(T) == 2 ? 16 : 0);
  return static_cast<int32_t>((bits >> 31) != 0 ? bits ^ 0x7fffffffu : bits);
}

// What a merge that ends with the first list at its end has taken of each: of the others what comes before its last.
template <typename T>
inline void count_merged(uint64_t pc, const uint32_t from[4], const uint16_t lengths[4], uint32_t taken[4]) {
  uint32_t end = 4;
  int32_t last = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const int32_t score = lengths[i] > 0 ? score_at<T>(pc, from[i], lengths[i] - 1u) : 0;
    if (lengths[i] > 0 && (end == 4 || score > last)) {
      end = i;
      last = score;
    }
  }
  for (uint32_t i = 0; i < 4; ++i) {
    uint32_t low = i == end ? lengths[i] : 0, high = lengths[i];
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      const int32_t score = score_at<T>(pc, from[i], middle);
      if (score > last || (score == last && i < end)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    taken[i] = low;
  }
}

// How far addresses are apart, in blocks; all equally.
template <typename A>
AMALGAM_INLINE uint32_t pitch_of(const A &address, uint32_t first, uint32_t step, uint32_t count) {
  const uint64_t bytes = address(first + step) - address(first);
  for (uint32_t i = 1; i < count; ++i) {
    require(address(first + i * step) == address(first) + i * bytes, PANIC_FORM);
  }
  return static_cast<uint32_t>(bytes) / BLOCK;
}

template <typename T, typename A, typename B>
AMALGAM_INLINE void turn(uint64_t pc, const A &dst, uint32_t dst_first, uint32_t dst_next, const B &a, uint32_t a_first,
                         const AscendC::TransDataTo5HDParams &p) {
  constexpr uint32_t rows = BLOCK / sizeof(T);
  auto c = vinst(pc, VI_TRANSPOSE, type_of<T>());
  c.dst = static_cast<uint32_t>(dst(dst_first));
  c.a = static_cast<uint32_t>(a(a_first));
  c.dst_step = VECTOR_STEP(pitch_of(dst, dst_first, dst_next, rows), p.dstRepStride);
  c.a_step = VECTOR_STEP(pitch_of(a, a_first, 1, rows), p.srcRepStride);
  c.repeats = p.repeatTimes;
  push(c);
}

// 16 rows of a block each become 16 rows of 16-bit elements, or 8 of 32 bits, each of two blocks.
template <typename T, typename A, typename B>
AMALGAM_INLINE void turn_lists(uint64_t pc, const A &dst, const B &a, const AscendC::TransDataTo5HDParams &p) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "TransDataTo5HD: elements of 16 and 32 bits are there");
  if constexpr (sizeof(T) == 2) {
    turn<T>(pc, dst, 0, 1, a, 0, p);
  } else {
    turn<T>(pc, dst, 0, 2, a, 0, p);
    turn<T>(pc, dst, 1, 2, a, 8, p);
  }
}

}  // namespace amalgam

namespace AscendC {

template <typename T>
AMALGAM_INLINE void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &scores,
                           const LocalTensor<uint32_t> &indices, int32_t repeats) {
  AMALGAM_HAS(Sort32, VI_SORT32, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_SORT32, amalgam::type_of<T>());
  c.dst = dst.address();
  c.dst_step = c.a_step = c.b_step = 0;
  c.a = scores.address();
  c.b = indices.address();
  c.repeats = static_cast<uint32_t>(repeats);
  amalgam::push(c);
}

// Elements that a pattern has, 1 to 7: every second from the first or second, every fourth from the first to fourth,
// all. elements: of each repeat, if counted; otherwise it has 256 bytes.  taken: how many there are.
template <typename T>
AMALGAM_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &a, uint8_t pattern, bool counted,
                               uint32_t elements, const GatherMaskParams &p, uint64_t &taken) {
  AMALGAM_HAS(GatherMask, VI_GATHER_MASK, T);
  amalgam::require(pattern >= 1 && pattern <= 7, amalgam::PANIC_FORM);
  auto c = amalgam::picking<T>(amalgam::hal_pc(), dst.address(), a.address(), counted, elements, p);
  c.mode = pattern;
  taken = amalgam::taken_by(pattern, c.count);
  if (taken > 0) {
    amalgam::push(c);
  }
}

// Elements whose bit is 1.  The program waits to count them.
template <typename T, typename U>
AMALGAM_INLINE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<U> &bits,
                               bool counted, uint32_t elements, const GatherMaskParams &p, uint64_t &taken) {
  AMALGAM_HAS(GatherMask, VI_GATHER_MASK, T);
  static_assert(sizeof(T) == sizeof(U),
                "GatherMask: bits are a tensor of uint16_t or uint32_t, as wide as the elements");
  const uint64_t pc = amalgam::hal_pc();
  auto c = amalgam::picking<T>(pc, dst.address(), a.address(), counted, elements, p);
  const uint32_t each = c.count / p.repeatTimes;
  const bool same = p.repeatTimes > 1 && p.src1RepeatStride == 0;
  amalgam::require(p.repeatTimes == 1 || (same && each == 256 / sizeof(T)) || each == p.src1RepeatStride * 256u,
                   amalgam::PANIC_FORM);
  c.mode = same ? amalgam::GATHER_SAME : amalgam::GATHER_BITS;
  c.b = bits.address();
  amalgam::push(c);
  amalgam::order(pc, amalgam::PIPE_V, amalgam::PIPE_S, amalgam::EVENT_AUTO);
  taken = amalgam::taken_of(pc, bits.address(), c.count, same ? each : c.count);
  amalgam::order(pc, amalgam::PIPE_S, amalgam::PIPE_V, amalgam::EVENT_AUTO);
}

// Up to four sorted lists into one; those without a bit in validBit are not there.
template <typename T>
AMALGAM_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &lists, const MrgSort4Info &p) {
  AMALGAM_HAS(MrgSort, VI_MRG_SORT4, T);
  uint16_t lengths[4];
  for (uint32_t i = 0; i < 4; ++i) {
    lengths[i] = (p.validBit >> i & 1) != 0 ? p.elementLengths[i] : static_cast<uint16_t>(0);
  }
  const uint32_t from[4] = {lists.src1.address(), lists.src2.address(), lists.src3.address(), lists.src4.address()};
  amalgam::merge<T>(amalgam::hal_pc(), dst.address(), from, lengths, p.ifExhaustedSuspension, p.repeatTimes);
}
template <typename T>
AMALGAM_INLINE void MrgSort4(const LocalTensor<T> &dst, const MrgSortSrcList<T> &lists, const MrgSort4Info &p) {
  MrgSort(dst, lists, p);
}
// taken: how many pairs of each list are in the result.  If it ends with a list, the program waits to find that out.
template <typename T, bool toEnd = false>
AMALGAM_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &lists, const uint16_t counts[4],
                            uint32_t taken[4], uint16_t valid, int32_t repeats) {
  AMALGAM_HAS(MrgSort, VI_MRG_SORT4, T);
  const uint64_t pc = amalgam::hal_pc();
  uint16_t lengths[4];
  for (uint32_t i = 0; i < 4; ++i) {
    lengths[i] = (valid >> i & 1) != 0 ? counts[i] : static_cast<uint16_t>(0);
    taken[i] = lengths[i];
  }
  const uint32_t from[4] = {lists.src1.address(), lists.src2.address(), lists.src3.address(), lists.src4.address()};
  amalgam::merge<T>(pc, dst.address(), from, lengths, toEnd, static_cast<uint32_t>(repeats));
  if constexpr (toEnd) {
    amalgam::order(pc, amalgam::PIPE_V, amalgam::PIPE_S, amalgam::EVENT_AUTO);
    amalgam::count_merged<T>(pc, from, lengths, taken);
    amalgam::order(pc, amalgam::PIPE_S, amalgam::PIPE_V, amalgam::EVENT_AUTO);
  }
}

template <typename T>
constexpr uint32_t GetSortLen(uint32_t elements) {
  return elements * amalgam::PAIR / static_cast<uint32_t>(sizeof(T));
}
template <typename T>
constexpr uint32_t GetSortOffset(uint32_t elements) {
  return GetSortLen<T>(elements);
}

// Scores need no other form before they are sorted.
template <typename T>
AMALGAM_INLINE void Concat(LocalTensor<T> &dst, const LocalTensor<T> &scores, const LocalTensor<T> &, int32_t) {
  dst = scores;
}

// 32 pairs a repeat; all: one list in the end, merged four lists at a time, for which work has room for it, too.
template <typename T, bool all>
AMALGAM_INLINE void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &scores, const LocalTensor<uint32_t> &indices,
                         const LocalTensor<T> &work, int32_t repeats) {
  const uint64_t pc = amalgam::hal_pc();
  Sort32(dst, scores, indices, repeats);
  if constexpr (all) {
    const auto bytes = static_cast<uint32_t>(repeats) * 32 * amalgam::PAIR;
    uint32_t from = dst.address(), to = work.address();
    for (uint32_t length = 32 * amalgam::PAIR; length < bytes; length *= 4) {
      amalgam::barrier(pc, amalgam::PIPE_V);
      for (uint32_t at = 0; at < bytes; at += 4 * length) {
        uint32_t list[4];
        uint16_t lengths[4];
        for (uint32_t i = 0; i < 4; ++i) {
          const uint32_t begin = at + i * length;
          list[i] = from + begin;
          lengths[i] = static_cast<uint16_t>(begin >= bytes ? 0 : min(length, bytes - begin) / amalgam::PAIR);
        }
        amalgam::merge<T>(pc, to + at, list, lengths, false, 1);
      }
      const uint32_t sorted = to;
      to = from;
      from = sorted;
    }
    if (from != dst.address()) {
      amalgam::barrier(pc, amalgam::PIPE_V);
      amalgam::copy_within(pc, dst.address(), from, bytes);
    }
  }
}

// Scores and indices out of pairs, of 32 a repeat.
template <typename T>
AMALGAM_INLINE void Extract(const LocalTensor<T> &scores, const LocalTensor<uint32_t> &indices,
                            const LocalTensor<T> &sorted, int32_t repeats) {
  AMALGAM_HAS(Extract, VI_GATHER_MASK, T);
  const uint64_t pc = amalgam::hal_pc();
  const GatherMaskParams all{1, 1, 0, 0};
  const auto words = static_cast<uint32_t>(repeats) * 64;
  auto c = amalgam::picking<T>(pc, scores.address(), sorted.address(), true,
                               words * 4 / static_cast<uint32_t>(sizeof(T)), all);
  c.mode = sizeof(T) == 4 ? amalgam::GATHER_EVEN : amalgam::GATHER_FIRST_OF_4;
  amalgam::push(c);
  c = amalgam::picking<uint32_t>(pc, indices.address(), sorted.address(), true, words, all);
  c.mode = amalgam::GATHER_ODD;
  amalgam::push(c);
}

// 16 x 16 elements of 16 bits.
template <typename T>
AMALGAM_INLINE void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &a) {
  static_assert(sizeof(T) == 2, "Transpose: 16 x 16 elements of 16 bits are there");
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_TRANSPOSE, amalgam::type_of<T>());
  c.dst = dst.address();
  c.a = a.address();
  c.repeats = 1;
  amalgam::push(c);
}

template <typename T>
AMALGAM_INLINE void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&a)[16],
                                   const TransDataTo5HDParams &p) {
  amalgam::turn_lists<T>(
      amalgam::hal_pc(), [&](uint32_t i) -> uint64_t { return dst[i].address(); },
      [&](uint32_t i) -> uint64_t { return a[i].address(); }, p);
}
template <typename T>
AMALGAM_INLINE void TransDataTo5HD(uint64_t dst[16], uint64_t a[16], const TransDataTo5HDParams &p) {
  amalgam::turn_lists<T>(
      amalgam::hal_pc(), [&](uint32_t i) { return dst[i]; }, [&](uint32_t i) { return a[i]; }, p);
}

}  // namespace AscendC

#endif
