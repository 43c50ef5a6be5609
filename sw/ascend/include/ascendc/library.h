// Calls that are several instructions: numbers that ascend, softmax, activations, sums of rows, broadcasts, INT8.
//
// All compute in their elements' type.  A tensor for temporary values may be given, and is not used: what they keep is
// in the result, and in 256 bytes of UB that TPipe does not give away.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_LIBRARY_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_LIBRARY_H

#include "ascendc/data_copy.h"
#include "ascendc/reduce.h"

namespace AscendC {

struct SoftMaxTiling {
  uint32_t srcM = 0, srcK = 0, srcSize = 0, outMaxM = 0, outMaxK = 0, outMaxSize = 0, splitM = 0, splitK = 0,
           splitSize = 0, reduceM = 0, reduceK = 0, reduceSize = 0, rangeM = 0, tailM = 0, tailSplitSize = 0,
           tailReduceSize = 0;
};
struct SoftMaxShapeInfo {
  uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0;
};
struct SoftmaxConfig {
  bool isCheckTiling = true;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {};

struct SumParams {
  uint32_t outter = 1, inner = 0, n = 0;
};
using MeanParams = SumParams;

}  // namespace AscendC

namespace amalgam {

template <typename T>
constexpr uint32_t lanes_of_block = BLOCK / sizeof(T);

// dst = a op b of count elements, behind what comes before.
template <typename T>
AMALGAM_INLINE void with(uint64_t pc, vector_instruction op, uint32_t dst, uint32_t a, uint32_t b, uint32_t count,
                         uint32_t b_step = VECTOR_STEP(1, 8)) {
  barrier(pc, PIPE_V);
  auto c = vinst(pc, op, type_of<T>());
  c.dst = dst;
  c.a = a;
  c.b = b;
  c.b_step = b_step;
  c.count = count;
  push(c);
}

// b: a block, for all of a's.
template <typename T>
AMALGAM_INLINE void with_block(uint64_t pc, vector_instruction op, uint32_t dst, uint32_t a, uint32_t b,
                               uint32_t count) {
  with<T>(pc, op, dst, a, b, count, VECTOR_STEP(0, 0));
}

template <typename T>
AMALGAM_INLINE void with_number(uint64_t pc, vector_instruction op, uint32_t dst, uint32_t a, T scalar,
                                uint32_t count) {
  barrier(pc, PIPE_V);
  auto c = vinst(pc, op, type_of<T>());
  c.dst = dst;
  c.a = a;
  c.scalar = static_cast<uint32_t>(to_bits<T>(scalar));
  c.count = count;
  push(c);
}

template <typename T>
AMALGAM_INLINE void with_none(uint64_t pc, vector_instruction op, uint32_t dst, uint32_t a, uint32_t count) {
  with<T>(pc, op, dst, a, 0, count);
}

template <typename T>
AMALGAM_INLINE void fill(uint64_t pc, uint32_t dst, T value, uint32_t count) {
  barrier(pc, PIPE_V);
  auto c = vinst(pc, VI_DUPLICATE, type_of<T>());
  c.dst = dst;
  c.scalar = static_cast<uint32_t>(to_bits<T>(value));
  c.count = count;
  push(c);
}

// Eight values side by side, each to all of a block, at UB_OWN.  Of 16 bits, every other eight begin within a block,
// and come with the eight before.
template <typename T>
AMALGAM_INLINE void spread(uint64_t pc, uint32_t a) {
  barrier(pc, PIPE_V);
  auto c = vinst(pc, VI_BRCB, type_of<T>());
  c.dst = UB_OWN;
  c.dst_step = VECTOR_STEP(1, 0);
  c.a = a - a % BLOCK;
  c.repeats = a % BLOCK == 0 ? 1 : 2;
  push(c);
}

// One value of a row, in all elements of the block at UB_OWN.
template <typename T>
AMALGAM_INLINE void reduce_to_own(uint64_t pc, vector_instruction op, uint32_t row, uint32_t count) {
  require(count <= 65536 / sizeof(T) / sizeof(T),
          PANIC_FORM);  // a repeat leaves a value, and there is room for 256 bytes
  fill<T>(pc, UB_OWN, T(0), lanes_of_block<T>);
  barrier(pc, PIPE_V);
  reduce<T>(pc, op, UB_OWN, row, UB_OWN, count);
  spread<T>(pc, UB_OWN);
}
template <typename T>
AMALGAM_INLINE void reduce_to_block(uint64_t pc, vector_instruction op, uint32_t block, uint32_t row, uint32_t count) {
  reduce_to_own<T>(pc, op, row, count);
  with_none<T>(pc, VI_COPY, block, UB_OWN, lanes_of_block<T>);
}

// first, first + step, ...: by their numbers' bits up to a repeat's, then as many again as there are.
template <typename T>
AMALGAM_INLINE void count_up(uint64_t pc, uint32_t dst, T first, T step, uint32_t count) {
  constexpr uint32_t lanes = 256 / sizeof(T);
  constexpr uint64_t halves[] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
  fill<T>(pc, dst, first, min(count, lanes));
  for (uint32_t bit = 0; bit < (sizeof(T) == 2 ? 7u : 6u) && 1u << bit < count; ++bit) {
    const struct lanes in = first_lanes(min(count, lanes));
    barrier(pc, PIPE_V);
    auto c = vinst(pc, VI_ADDS, type_of<T>());
    c.dst = c.a = dst;
    c.scalar = static_cast<uint32_t>(to_bits<T>(static_cast<T>(step * static_cast<T>(1 << bit))));
    c.mask = (bit < 6 ? halves[bit] : 0) & in.low;
    c.mask_high = (bit < 6 ? halves[bit] : ~uint64_t{0}) & in.high;
    c.repeats = 1;
    push(c);
  }
  for (uint32_t done = lanes; done < count; done *= 2) {
    with_number<T>(pc, VI_ADDS, dst + done * static_cast<uint32_t>(sizeof(T)), dst,
                   static_cast<T>(step * static_cast<T>(done)), min(done, count - done));
  }
}

// 1 / (1 + exp(-factor a)), or a times that; dst apart from a.
template <typename T>
AMALGAM_INLINE void sigmoid(uint64_t pc, uint32_t dst, uint32_t a, float factor, bool times, uint32_t count) {
  with_number<T>(pc, VI_MULS, dst, a, T(-factor), count);
  with_none<T>(pc, VI_EXP, dst, dst, count);
  with_number<T>(pc, VI_ADDS, dst, dst, T(1), count);
  if (times) {
    with<T>(pc, VI_DIV, dst, a, dst, count);
  } else {
    with_none<T>(pc, VI_RECIP, dst, dst, count);
  }
}

// F32 to a whole number of F32.
template <typename T>
AMALGAM_INLINE void to_whole(uint64_t pc, uint32_t dst, uint32_t a, AscendC::RoundMode mode, uint32_t count) {
  static_assert(std::is_same_v<T, float>, "Floor, Ceil, Round and Trunc: of float they are there");
  barrier(pc, PIPE_V);
  auto c = cast<T, T>(pc, dst, a, mode);
  c.count = count;
  push(c);
}

// Sums of rows, side by side.
template <typename T>
AMALGAM_INLINE void sum_rows(uint64_t pc, uint32_t dst, uint32_t a, uint32_t rows, uint32_t pitch, uint32_t count) {
  barrier(pc, PIPE_V);
  for (uint32_t row = 0; row < rows; ++row) {
    require(count <= 65536 / sizeof(T) / sizeof(T), PANIC_FORM);
    reduce<T>(pc, VI_WHOLE_SUM, dst + row * static_cast<uint32_t>(sizeof(T)),
              a + row * pitch * static_cast<uint32_t>(sizeof(T)), UB_OWN, count);
    barrier(pc, PIPE_V);
  }
}

// Of a softmax's rows: their padded length, and how many elements of each count.
struct rows_of {
  uint32_t rows, pitch, columns;
};
AMALGAM_INLINE rows_of rows_in(const AscendC::SoftMaxTiling &tiling, const AscendC::SoftMaxShapeInfo &shape) {
  const uint32_t pitch = shape.srcK != 0 ? shape.srcK : tiling.srcK;
  return {shape.srcM != 0 ? shape.srcM : tiling.srcM, pitch, shape.oriSrcK != 0 ? shape.oriSrcK : pitch};
}

}  // namespace amalgam

namespace AscendC {

// first, first + step, first + 2 step, ...
template <typename T>
AMALGAM_INLINE void ArithProgression(const LocalTensor<T> &dst, amalgam::same_t<T> first, amalgam::same_t<T> step,
                                     int32_t count) {
  AMALGAM_HAS(ArithProgression, VI_ADDS, T);
  amalgam::count_up<T>(amalgam::hal_pc(), dst.address(), first, step, static_cast<uint32_t>(count));
}
template <typename T>
AMALGAM_INLINE void Arange(const LocalTensor<T> &dst, amalgam::same_t<T> first, amalgam::same_t<T> step,
                           int32_t count) {
  ArithProgression(dst, first, step, count);
}
template <typename T>
AMALGAM_INLINE void CreateVecIndex(const LocalTensor<T> &dst, amalgam::same_t<T> first, uint32_t count) {
  ArithProgression(dst, first, T(1), static_cast<int32_t>(count));
}

// Each row of srcK elements, of which oriSrcK count: exp(x - max) / sum.  max and sum: a block of 32 bytes a row.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
AMALGAM_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
                            const LocalTensor<T> &a, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {}) {
  AMALGAM_HAS(SoftMax, VI_EXP, T);
  static_assert(!isDataFormatNZ, "SoftMax: of rows it is there, of fractals not");
  const uint64_t pc = amalgam::hal_pc();
  const amalgam::rows_of r = amalgam::rows_in(tiling, shape);
  for (uint32_t row = 0; row < r.rows; ++row) {
    const uint32_t x = a[row * r.pitch].address(), y = dst[row * r.pitch].address();
    const uint32_t most = max[row * amalgam::lanes_of_block<T>].address();
    const uint32_t total = sum[row * amalgam::lanes_of_block<T>].address();
    amalgam::reduce_to_block<T>(pc, amalgam::VI_WHOLE_MAX, most, x, r.columns);
    amalgam::with_block<T>(pc, amalgam::VI_SUB, y, x, most, r.columns);
    amalgam::with_none<T>(pc, amalgam::VI_EXP, y, y, r.columns);
    amalgam::reduce_to_block<T>(pc, amalgam::VI_WHOLE_SUM, total, y, r.columns);
    amalgam::with_block<T>(pc, amalgam::VI_DIV, y, y, total, r.columns);
  }
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
AMALGAM_INLINE void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
                            const LocalTensor<T> &a, const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
                            const SoftMaxShapeInfo &shape = {}) {
  SoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ>(dst, sum, max, a, tiling, shape);
}

// A part of rows whose max and sum so far are old_max and old_sum, if update: dst = exp(x - max), and old, by which
// what was summed up before shrinks.
template <typename T, bool update = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false>
AMALGAM_INLINE void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
                                   const LocalTensor<T> &a, const LocalTensor<T> &old, const LocalTensor<T> &old_sum,
                                   const LocalTensor<T> &old_max, const LocalTensor<uint8_t> &,
                                   const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {}) {
  AMALGAM_HAS(SoftmaxFlashV2, VI_EXP, T);
  static_assert(!isDataFormatNZ, "SoftmaxFlashV2: of rows it is there, of fractals not");
  constexpr uint32_t lanes = amalgam::lanes_of_block<T>;
  const uint64_t pc = amalgam::hal_pc();
  const amalgam::rows_of r = amalgam::rows_in(tiling, shape);
  for (uint32_t row = 0; row < r.rows; ++row) {
    const uint32_t x = a[row * r.pitch].address(), y = dst[row * r.pitch].address(), at = row * lanes;
    const uint32_t most = max[at].address(), total = sum[at].address(), shrink = old[at].address();
    if constexpr (update) {
      amalgam::with_none<T>(pc, amalgam::VI_COPY, shrink, old_max[at].address(), lanes);
    }
    amalgam::reduce_to_block<T>(pc, amalgam::VI_WHOLE_MAX, most, x, r.columns);
    if constexpr (update) {
      amalgam::with<T>(pc, amalgam::VI_MAX, most, most, shrink, lanes);
      amalgam::with<T>(pc, amalgam::VI_SUB, shrink, shrink, most, lanes);
      amalgam::with_none<T>(pc, amalgam::VI_EXP, shrink, shrink, lanes);
      amalgam::with<T>(pc, amalgam::VI_MUL, total, old_sum[at].address(), shrink, lanes);
    }
    amalgam::with_block<T>(pc, amalgam::VI_SUB, y, x, most, r.columns);
    amalgam::with_none<T>(pc, amalgam::VI_EXP, y, y, r.columns);
    amalgam::reduce_to_own<T>(pc, amalgam::VI_WHOLE_SUM, y, r.columns);
    if constexpr (update) {
      amalgam::with<T>(pc, amalgam::VI_ADD, total, total, amalgam::UB_OWN, lanes);
    } else {
      amalgam::with_none<T>(pc, amalgam::VI_COPY, total, amalgam::UB_OWN, lanes);
    }
  }
}

// A value to all of an array in global memory, 256 bytes at a time.
template <typename T>
AMALGAM_INLINE void InitGlobalMemory(const GlobalTensor<T> &array, uint64_t count, amalgam::same_t<T> value) {
  AMALGAM_HAS(InitGlobalMemory, VI_DUPLICATE, T);
  constexpr uint32_t lanes = 256 / sizeof(T);
  const uint64_t pc = amalgam::hal_pc();
  const auto rows = static_cast<uint32_t>(count / lanes), rest = static_cast<uint32_t>(count % lanes * sizeof(T));
  amalgam::order(pc, amalgam::PIPE_MTE3, amalgam::PIPE_V, amalgam::EVENT_AUTO);
  amalgam::fill<T>(pc, amalgam::UB_OWN, value, lanes);
  amalgam::order(pc, amalgam::PIPE_V, amalgam::PIPE_MTE3, amalgam::EVENT_AUTO);
  amalgam::copy_out(pc, amalgam::UB_OWN, 0, array.address(), 256, rows, 256, amalgam::GM_STORE);
  amalgam::copy_out(pc, amalgam::UB_OWN, 0, array[uint64_t{rows} * lanes].address(), rest, 1, rest, amalgam::GM_STORE);
  amalgam::order(pc, amalgam::PIPE_MTE3, amalgam::PIPE_V, amalgam::EVENT_AUTO);
}
template <typename T>
AMALGAM_INLINE void InitOutput(const GlobalTensor<T> &array, uint64_t count, amalgam::same_t<T> value = 0) {
  InitGlobalMemory(array, count, value);
}

// CALL(dst, a, ...) of count elements, or of all of the result's; dst is apart from a.
#define AMALGAM_LIBRARY(CALL, COMPUTE)                                                                       \
  template <typename T, bool isReuseSource = false>                                                          \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, uint32_t count) {             \
    AMALGAM_HAS(CALL, VI_EXP, T);                                                                            \
    const uint64_t pc = amalgam::hal_pc();                                                                   \
    const uint32_t y = dst.address(), x = a.address();                                                       \
    COMPUTE;                                                                                                 \
  }                                                                                                          \
  template <typename T, bool isReuseSource = false>                                                          \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a) {                             \
    CALL<T, isReuseSource>(dst, a, dst.GetSize());                                                           \
  }                                                                                                          \
  template <typename T, bool isReuseSource = false>                                                          \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<uint8_t> &, \
                           uint32_t count) {                                                                 \
    CALL<T, isReuseSource>(dst, a, count);                                                                   \
  }
AMALGAM_LIBRARY(Sigmoid, (amalgam::sigmoid<T>(pc, y, x, 1, false, count)))
AMALGAM_LIBRARY(Silu, (amalgam::sigmoid<T>(pc, y, x, 1, true, count)))
AMALGAM_LIBRARY(SiLU, (amalgam::sigmoid<T>(pc, y, x, 1, true, count)))
AMALGAM_LIBRARY(FasterGelu, (amalgam::sigmoid<T>(pc, y, x, 1.702f, true, count)))
// 1 - 2 / (1 + exp(2 a))
AMALGAM_LIBRARY(Tanh, (amalgam::with_number<T>(pc, amalgam::VI_MULS, y, x, T(2), count),
                       amalgam::with_none<T>(pc, amalgam::VI_EXP, y, y, count),
                       amalgam::with_number<T>(pc, amalgam::VI_ADDS, y, y, T(1), count),
                       amalgam::with_none<T>(pc, amalgam::VI_RECIP, y, y, count),
                       amalgam::with_number<T>(pc, amalgam::VI_MULS, y, y, T(-2), count),
                       amalgam::with_number<T>(pc, amalgam::VI_ADDS, y, y, T(1), count)))
// a / (1 + exp(-sqrt(8 / pi) (a + 0.044715 a^3)))
AMALGAM_LIBRARY(Gelu, (amalgam::with<T>(pc, amalgam::VI_MUL, y, x, x, count),
                       amalgam::with_number<T>(pc, amalgam::VI_MULS, y, y, T(0.044715f), count),
                       amalgam::with_number<T>(pc, amalgam::VI_ADDS, y, y, T(1), count),
                       amalgam::with<T>(pc, amalgam::VI_MUL, y, y, x, count),
                       amalgam::with_number<T>(pc, amalgam::VI_MULS, y, y, T(-1.5957691216f), count),
                       amalgam::with_none<T>(pc, amalgam::VI_EXP, y, y, count),
                       amalgam::with_number<T>(pc, amalgam::VI_ADDS, y, y, T(1), count),
                       amalgam::with<T>(pc, amalgam::VI_DIV, y, x, y, count)))
AMALGAM_LIBRARY(Floor, (amalgam::to_whole<T>(pc, y, x, RoundMode::CAST_FLOOR, count)))
AMALGAM_LIBRARY(Ceil, (amalgam::to_whole<T>(pc, y, x, RoundMode::CAST_CEIL, count)))
AMALGAM_LIBRARY(Round, (amalgam::to_whole<T>(pc, y, x, RoundMode::CAST_RINT, count)))
AMALGAM_LIBRARY(Trunc, (amalgam::to_whole<T>(pc, y, x, RoundMode::CAST_TRUNC, count)))

// a / (1 + exp(-factor a))
template <typename T, bool isReuseSource = false>
AMALGAM_INLINE void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &a, uint32_t count,
                          amalgam::same_t<T> factor) {
  amalgam::sigmoid<T>(amalgam::hal_pc(), dst.address(), a.address(), factor, true, count);
}

// The sum, and the mean, of n elements of each row of inner, side by side.
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
AMALGAM_INLINE void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &a, const SumParams &p) {
  AMALGAM_HAS(Sum, VI_WHOLE_SUM, T);
  amalgam::sum_rows<T>(amalgam::hal_pc(), dst.address(), a.address(), p.outter, p.inner, p.n);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
AMALGAM_INLINE void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<uint8_t> &,
                        const SumParams &p) {
  Sum<T, reduceDim>(dst, a, p);
}
template <typename T>
AMALGAM_INLINE void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &a, const MeanParams &p) {
  AMALGAM_HAS(Mean, VI_WHOLE_SUM, T);
  const uint64_t pc = amalgam::hal_pc();
  amalgam::sum_rows<T>(pc, dst.address(), a.address(), p.outter, p.inner, p.n);
  amalgam::with_number<T>(pc, amalgam::VI_MULS, dst.address(), dst.address(), T(1.0f / static_cast<float>(p.n)),
                          p.outter);
}

// A row to rows (axis 0), or a column to columns (axis 1), whose length is a multiple of 32 bytes.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
AMALGAM_INLINE void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &a, const uint32_t (&to)[dim],
                              const uint32_t (&from)[dim]) {
  AMALGAM_HAS(BroadCast, VI_COPY, T);
  static_assert(dim == 2 || (dim == 1 && axis == 0), "BroadCast: of one and two dimensions it is there");
  constexpr bool column = dim == 1 || axis == 1;
  const uint64_t pc = amalgam::hal_pc();
  const uint32_t rows = dim == 1 ? 1 : to[0], columns = to[dim - 1];
  amalgam::require(from[column ? dim - 1 : 0] == 1, amalgam::PANIC_FORM);
  for (uint32_t row = 0; row < rows; ++row) {
    if (column && row % 8 == 0) {
      amalgam::spread<T>(pc, a[row].address());
    }
    amalgam::barrier(pc, amalgam::PIPE_V);
    auto c = amalgam::vinst(pc, amalgam::VI_COPY, amalgam::type_of<T>());
    c.dst = dst[row * columns].address();
    c.a = column ? amalgam::UB_OWN + row % 8 * 32 : a.address();
    c.a_step = column ? VECTOR_STEP(0, 0) : VECTOR_STEP(1, 8);
    c.count = columns;
    amalgam::push(c);
  }
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
AMALGAM_INLINE void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &a, const uint32_t (&to)[dim],
                              const uint32_t (&from)[dim]) {
  BroadCast<T, dim, axis>(dst, a, to, from);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
AMALGAM_INLINE void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &a, const uint32_t (&to)[dim],
                              const uint32_t (&from)[dim], const LocalTensor<uint8_t> &) {
  BroadCast<T, dim, axis>(dst, a, to, from);
}

// a * scale + offset to INT8, through FP16, to nearest even each, 64 or 128 elements after the other.
template <typename T, bool isReuseSource = false>
AMALGAM_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &a, float scale, float offset,
                                uint32_t count) {
  AMALGAM_HAS(AscendQuant, VI_MULS, T);
  constexpr uint32_t lanes = 256 / sizeof(T), own = amalgam::UB_OWN;
  const uint64_t pc = amalgam::hal_pc();
  for (uint32_t at = 0; at < count; at += lanes) {
    const uint32_t n = min(lanes, count - at);
    amalgam::with_number<T>(pc, amalgam::VI_MULS, own, a[at].address(), T(scale), n);
    amalgam::with_number<T>(pc, amalgam::VI_ADDS, own, own, T(offset), n);
    if constexpr (sizeof(T) == 4) {
      amalgam::barrier(pc, amalgam::PIPE_V);
      auto narrow = amalgam::cast<half, T>(pc, own, own, RoundMode::CAST_RINT);
      narrow.dst_step = VECTOR_STEP(1, 4);
      narrow.count = n;
      amalgam::push(narrow);
    }
    amalgam::barrier(pc, amalgam::PIPE_V);
    auto c = amalgam::cast<int8_t, half>(pc, dst[at].address(), own, RoundMode::CAST_RINT);
    c.dst_step = VECTOR_STEP(1, 4);
    c.count = n;
    amalgam::push(c);
  }
}
template <typename T, bool isReuseSource = false>
AMALGAM_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &a, float scale, float offset) {
  AscendQuant<T>(dst, a, scale, offset, a.GetSize());
}
template <typename T, bool isReuseSource = false>
AMALGAM_INLINE void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &a, const LocalTensor<uint8_t> &,
                                float scale, float offset, uint32_t count) {
  AscendQuant<T>(dst, a, scale, offset, count);
}

}  // namespace AscendC

#endif
