// Vector calls: each is one instruction of pipe V (hal/vector_instructions.def).
//
//   Add(dst, a, b, count)                       elements that lie side by side
//   Add(dst, a, b, mask, repeats, params)       repeats of 256 bytes, with steps in blocks of 32 bytes; mask says how
//                                               many lanes of each take part, or, as two words, which
//
// A call of a type that the instruction lacks is an error of the compiler.  Template argument isSetMask: false takes
// the mask of SetVectorMask.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_VECTOR_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_VECTOR_H

#include "ascendc/pipe.h"

namespace AscendC {

constexpr uint8_t DEFAULT_BLK_STRIDE = 1, DEFAULT_REPEAT_STRIDE = 8, DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_C0_SIZE = 32, ONE_BLK_SIZE = 32, ONE_REPEAT_BYTE_SIZE = 256, MASK_PLACEHOLDER = 0;
constexpr uint64_t FULL_MASK = ~uint64_t{0};

struct BinaryRepeatParams {
  uint32_t blockNumber = 8;
  uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1;
  uint8_t dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
  BinaryRepeatParams() = default;
  constexpr BinaryRepeatParams(uint8_t dst_block, uint8_t a_block, uint8_t b_block, uint8_t dst_repeat,
                               uint8_t a_repeat, uint8_t b_repeat)
      : dstBlkStride(dst_block),
        src0BlkStride(a_block),
        src1BlkStride(b_block),
        dstRepStride(dst_repeat),
        src0RepStride(a_repeat),
        src1RepStride(b_repeat) {}
};

struct UnaryRepeatParams {
  uint32_t blockNumber = 8;
  uint16_t dstBlkStride = 1, srcBlkStride = 1;
  uint8_t dstRepStride = 8, srcRepStride = 8;
  UnaryRepeatParams() = default;
  constexpr UnaryRepeatParams(uint16_t dst_block, uint16_t a_block, uint8_t dst_repeat, uint8_t a_repeat)
      : dstBlkStride(dst_block), srcBlkStride(a_block), dstRepStride(dst_repeat), srcRepStride(a_repeat) {}
};

struct CopyRepeatParams {
  uint16_t dstStride = 1, srcStride = 1, dstRepeatSize = 8, srcRepeatSize = 8;
  CopyRepeatParams() = default;
  constexpr CopyRepeatParams(uint16_t dst_block, uint16_t a_block, uint16_t dst_repeat, uint16_t a_repeat)
      : dstStride(dst_block), srcStride(a_block), dstRepeatSize(dst_repeat), srcRepeatSize(a_repeat) {}
};

struct BrcbRepeatParams {
  uint16_t dstBlkStride = 1, dstRepStride = 8;
  BrcbRepeatParams() = default;
  constexpr BrcbRepeatParams(uint16_t dst_block, uint16_t dst_repeat)
      : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
};

enum class RoundMode : uint8_t { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };
enum class MaskMode : uint8_t { NORMAL, COUNTER };

}  // namespace AscendC

namespace amalgam {

constexpr uint32_t types_of[] = {
#define VI(NAME, name, cost, form, types, value, follow, text) types,
#include "hal/vector_instructions.def"
};

template <typename T>
constexpr bool has(vector_instruction op) {
  return (types_of[op] >> type_of<T>() & 1) != 0;
}

AMALGAM_INLINE cmd_vinst_t vinst(uint64_t pc, uint32_t op, uint32_t type) {
  auto c = begin<cmd_vinst_t>(OP_VINST, PIPE_V, pc);
  c.op = op;
  c.type = type;
  c.dst_step = c.a_step = c.b_step = VECTOR_STEP(1, 8);
  return c;
}

// Which lanes take part in each repeat.
struct lanes {
  uint64_t low, high;
};
constexpr uint64_t first_bits(uint64_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }
constexpr lanes first_lanes(uint64_t n) { return {first_bits(n), n > 64 ? first_bits(n - 64) : 0}; }
AMALGAM_INLINE lanes lanes_of(uint64_t mask) { return first_lanes(mask); }
AMALGAM_INLINE lanes lanes_of(const uint64_t *mask) { return {mask[0], mask[1]}; }

// In the counter's mode a mask is a number of elements, and repeats say nothing.
template <typename T, bool given, typename M>
AMALGAM_INLINE void set_lanes(cmd_vinst_t &c, const M &mask, uint32_t repeats) {
  const context *at = here();
  lanes which = {at->mask[0], at->mask[1]};
  if constexpr (given) {
    if constexpr (std::is_integral_v<M>) {
      if (__builtin_expect(at->counted, false)) {
        c.count = static_cast<uint32_t>(mask);
        return;
      }
      require(static_cast<uint64_t>(mask) <= 256 / sizeof(T), PANIC_MASK);
    }
    which = lanes_of(mask);
  } else if (at->counted) {
    c.count = static_cast<uint32_t>(at->mask[0]);
    return;
  }
  c.mask = which.low;
  c.mask_high = sizeof(T) >= 4 ? 0 : which.high;
  c.repeats = repeats;
}

template <typename M>
using mask_t = std::conditional_t<std::is_pointer_v<std::decay_t<M>>, const uint64_t *, uint64_t>;

}  // namespace amalgam

namespace AscendC {

#define AMALGAM_HAS(NAME, VI_NAME, T) \
  static_assert(amalgam::has<T>(amalgam::VI_NAME), #NAME ": the hardware has no such instruction for this type")

// CALL(dst, a, b, ...)
#define AMALGAM_BINARY(CALL, VI_NAME)                                                                                  \
  template <typename T, bool isSetMask = true>                                                                         \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b,                \
                           int32_t count) {                                                                            \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                                     \
    auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>());                               \
    c.dst = dst.address();                                                                                             \
    c.a = a.address();                                                                                                 \
    c.b = b.address();                                                                                                 \
    c.count = static_cast<uint32_t>(count);                                                                            \
    amalgam::push(c);                                                                                                  \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true, typename M>                                                             \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b, const M &mask, \
                           int32_t repeats, const BinaryRepeatParams &p) {                                             \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                                     \
    auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>());                               \
    c.dst = dst.address();                                                                                             \
    c.a = a.address();                                                                                                 \
    c.b = b.address();                                                                                                 \
    c.dst_step = VECTOR_STEP(p.dstBlkStride, p.dstRepStride);                                                          \
    c.a_step = VECTOR_STEP(p.src0BlkStride, p.src0RepStride);                                                          \
    c.b_step = VECTOR_STEP(p.src1BlkStride, p.src1RepStride);                                                          \
    amalgam::set_lanes<T, isSetMask>(c, mask, static_cast<uint32_t>(repeats));                                         \
    amalgam::push(c);                                                                                                  \
  }

// CALL(dst, a, ...)
#define AMALGAM_UNARY(CALL, VI_NAME)                                                                           \
  template <typename T, bool isSetMask = true>                                                                 \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, int32_t count) {                \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                             \
    auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>());                       \
    c.dst = dst.address();                                                                                     \
    c.a = a.address();                                                                                         \
    c.count = static_cast<uint32_t>(count);                                                                    \
    amalgam::push(c);                                                                                          \
  }                                                                                                            \
  template <typename T, bool isSetMask = true, typename M>                                                     \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, const M &mask, int32_t repeats, \
                           const UnaryRepeatParams &p) {                                                       \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                             \
    auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>());                       \
    c.dst = dst.address();                                                                                     \
    c.a = a.address();                                                                                         \
    c.dst_step = VECTOR_STEP(p.dstBlkStride, p.dstRepStride);                                                  \
    c.a_step = VECTOR_STEP(p.srcBlkStride, p.srcRepStride);                                                    \
    amalgam::set_lanes<T, isSetMask>(c, mask, static_cast<uint32_t>(repeats));                                 \
    amalgam::push(c);                                                                                          \
  }

// CALL(dst, a, scalar, ...)
#define AMALGAM_SCALAR(CALL, VI_NAME)                                                                     \
  template <typename T, bool isSetMask = true>                                                            \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, amalgam::same_t<T> scalar, \
                           int32_t count) {                                                               \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                        \
    auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>());                  \
    c.dst = dst.address();                                                                                \
    c.a = a.address();                                                                                    \
    c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));                                        \
    c.count = static_cast<uint32_t>(count);                                                               \
    amalgam::push(c);                                                                                     \
  }                                                                                                       \
  template <typename T, bool isSetMask = true, typename M>                                                \
  AMALGAM_INLINE void CALL(const LocalTensor<T> &dst, const LocalTensor<T> &a, amalgam::same_t<T> scalar, \
                           const M &mask, int32_t repeats, const UnaryRepeatParams &p) {                  \
    AMALGAM_HAS(CALL, VI_NAME, T);                                                                        \
    auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_NAME, amalgam::type_of<T>());                  \
    c.dst = dst.address();                                                                                \
    c.a = a.address();                                                                                    \
    c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));                                        \
    c.dst_step = VECTOR_STEP(p.dstBlkStride, p.dstRepStride);                                             \
    c.a_step = VECTOR_STEP(p.srcBlkStride, p.srcRepStride);                                               \
    amalgam::set_lanes<T, isSetMask>(c, mask, static_cast<uint32_t>(repeats));                            \
    amalgam::push(c);                                                                                     \
  }

}  // namespace AscendC

namespace amalgam {

// None of no elements.
AMALGAM_INLINE void push(const cmd_vinst_t &c) {
  if (c.count != 0 || c.repeats != 0) {
    before<PIPE_V>(c.pc_);
    hal_push_vinst(&c);
  }
}

}  // namespace amalgam

namespace AscendC {

AMALGAM_BINARY(Add, VI_ADD)
AMALGAM_BINARY(Sub, VI_SUB)
AMALGAM_BINARY(Mul, VI_MUL)
AMALGAM_BINARY(Div, VI_DIV)
AMALGAM_BINARY(Max, VI_MAX)
AMALGAM_BINARY(Min, VI_MIN)
AMALGAM_BINARY(And, VI_AND)
AMALGAM_BINARY(Or, VI_OR)
AMALGAM_BINARY(MulAddDst, VI_MUL_ADD_DST)
AMALGAM_BINARY(FusedMulAdd, VI_FUSED_MUL_ADD)
AMALGAM_SCALAR(Adds, VI_ADDS)
AMALGAM_SCALAR(Muls, VI_MULS)
AMALGAM_SCALAR(Maxs, VI_MAXS)
AMALGAM_SCALAR(Mins, VI_MINS)
AMALGAM_SCALAR(ShiftLeft, VI_SHL)
AMALGAM_SCALAR(ShiftRight, VI_SHR)
AMALGAM_SCALAR(LeakyRelu, VI_LEAKY_RELU)
AMALGAM_SCALAR(Axpy, VI_AXPY)
AMALGAM_UNARY(Exp, VI_EXP)
AMALGAM_UNARY(Ln, VI_LN)
AMALGAM_UNARY(Sqrt, VI_SQRT)
AMALGAM_UNARY(Rsqrt, VI_RSQRT)
AMALGAM_UNARY(Reciprocal, VI_RECIP)
AMALGAM_UNARY(Abs, VI_ABS)
AMALGAM_UNARY(Not, VI_NOT)
AMALGAM_UNARY(Neg, VI_NEG)
AMALGAM_UNARY(Relu, VI_RELU)

template <typename T, bool isSetMask = true>
AMALGAM_INLINE void Duplicate(const LocalTensor<T> &dst, amalgam::same_t<T> scalar, int32_t count) {
  AMALGAM_HAS(Duplicate, VI_DUPLICATE, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_DUPLICATE, amalgam::type_of<T>());
  c.dst = dst.address();
  c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));
  c.count = static_cast<uint32_t>(count);
  amalgam::push(c);
}
template <typename T, bool isSetMask = true, typename M>
AMALGAM_INLINE void Duplicate(const LocalTensor<T> &dst, amalgam::same_t<T> scalar, const M &mask, int32_t repeats,
                              uint16_t dst_block, uint8_t dst_repeat) {
  AMALGAM_HAS(Duplicate, VI_DUPLICATE, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_DUPLICATE, amalgam::type_of<T>());
  c.dst = dst.address();
  c.scalar = static_cast<uint32_t>(amalgam::to_bits<T>(scalar));
  c.dst_step = VECTOR_STEP(dst_block, dst_repeat);
  amalgam::set_lanes<T, isSetMask>(c, mask, static_cast<uint32_t>(repeats));
  amalgam::push(c);
}

template <typename T, bool isSetMask = true, typename M>
AMALGAM_INLINE void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &a, const M &mask, int32_t repeats,
                         const CopyRepeatParams &p) {
  AMALGAM_HAS(Copy, VI_COPY, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_COPY, amalgam::type_of<T>());
  c.dst = dst.address();
  c.a = a.address();
  c.dst_step = VECTOR_STEP(p.dstStride, p.dstRepeatSize);
  c.a_step = VECTOR_STEP(p.srcStride, p.srcRepeatSize);
  amalgam::set_lanes<T, isSetMask>(c, mask, static_cast<uint32_t>(repeats));
  amalgam::push(c);
}

template <typename T>
AMALGAM_INLINE void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &a, uint8_t repeats,
                         const BrcbRepeatParams &p) {
  AMALGAM_HAS(Brcb, VI_BRCB, T);
  auto c = amalgam::vinst(amalgam::hal_pc(), amalgam::VI_BRCB, amalgam::type_of<T>());
  c.dst = dst.address();
  c.a = a.address();
  c.a_step = c.b_step = 0;
  c.dst_step = VECTOR_STEP(p.dstBlkStride, p.dstRepStride);
  c.repeats = repeats;
  amalgam::push(c);
}

}  // namespace AscendC

namespace amalgam {

constexpr uint32_t round_of(AscendC::RoundMode mode) {
  switch (mode) {
    case AscendC::RoundMode::CAST_FLOOR:
      return VECTOR_FLOOR;
    case AscendC::RoundMode::CAST_CEIL:
      return VECTOR_CEIL;
    case AscendC::RoundMode::CAST_ROUND:
      return VECTOR_ROUND;
    case AscendC::RoundMode::CAST_TRUNC:
      return VECTOR_TRUNC;
    case AscendC::RoundMode::CAST_ODD:
      return VECTOR_ODD;
    default:
      return VECTOR_RINT;
  }
}

template <typename T, typename U>
AMALGAM_INLINE cmd_vinst_t cast(uint64_t pc, uint32_t dst, uint32_t a, AscendC::RoundMode mode) {
  auto c = vinst(pc, VI_CAST, type_of<U>());
  c.to = type_of<T>();
  c.mode = round_of(mode);
  c.dst = dst;
  c.a = a;
  return c;
}

}  // namespace amalgam

namespace AscendC {

// What conversions of int32_t to half multiply by: 1 is there.
template <typename T>
AMALGAM_INLINE void SetDeqScale(T scale) {
  amalgam::require(static_cast<float>(scale) == 1, amalgam::PANIC_FORM);
}

template <typename T, typename U, bool isSetMask = true>
AMALGAM_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &a, RoundMode mode, uint32_t count) {
  AMALGAM_HAS(Cast, VI_CAST, T);
  AMALGAM_HAS(Cast, VI_CAST, U);
  constexpr uint32_t widest = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
  auto c = amalgam::cast<T, U>(amalgam::hal_pc(), dst.address(), a.address(), mode);
  c.dst_step = VECTOR_STEP(1, 8 * sizeof(T) / widest);
  c.a_step = VECTOR_STEP(1, 8 * sizeof(U) / widest);
  c.count = count;
  amalgam::push(c);
}
template <typename T, typename U, bool isSetMask = true, typename M>
AMALGAM_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &a, RoundMode mode, const M &mask,
                         int32_t repeats, const UnaryRepeatParams &p) {
  AMALGAM_HAS(Cast, VI_CAST, T);
  AMALGAM_HAS(Cast, VI_CAST, U);
  auto c = amalgam::cast<T, U>(amalgam::hal_pc(), dst.address(), a.address(), mode);
  c.dst_step = VECTOR_STEP(p.dstBlkStride, p.dstRepStride);
  c.a_step = VECTOR_STEP(p.srcBlkStride, p.srcRepStride);
  amalgam::set_lanes<std::conditional_t<(sizeof(T) > sizeof(U)), T, U>, isSetMask>(c, mask,
                                                                                   static_cast<uint32_t>(repeats));
  amalgam::push(c);
}

// --- masks ------------------------------------------------------------------------------------

template <typename T = uint8_t, MaskMode mode = MaskMode::NORMAL>
AMALGAM_INLINE void SetVectorMask(uint64_t high, uint64_t low) {
  amalgam::here()->mask[0] = low;
  amalgam::here()->mask[1] = high;
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
AMALGAM_INLINE void SetVectorMask(int32_t elements) {
  const amalgam::lanes which = amalgam::first_lanes(static_cast<uint64_t>(elements));
  const bool counter = mode == MaskMode::COUNTER;
  amalgam::here()->mask[0] = counter ? static_cast<uint64_t>(elements) : which.low;
  amalgam::here()->mask[1] = counter ? 0 : which.high;
}
AMALGAM_INLINE void ResetMask() { SetVectorMask<uint8_t>(FULL_MASK, FULL_MASK); }
AMALGAM_INLINE void SetMaskCount() { amalgam::here()->counted = true; }
AMALGAM_INLINE void SetMaskNorm() { amalgam::here()->counted = false; }

// --- of whole tensors -------------------------------------------------------------------------

template <typename T>
AMALGAM_INLINE TensorOperation<T, amalgam::VI_ADD> operator+(const LocalTensor<T> &a, const LocalTensor<T> &b) {
  return {a.address(), b.address(), a.GetSize()};
}
template <typename T>
AMALGAM_INLINE TensorOperation<T, amalgam::VI_SUB> operator-(const LocalTensor<T> &a, const LocalTensor<T> &b) {
  return {a.address(), b.address(), a.GetSize()};
}
template <typename T>
AMALGAM_INLINE TensorOperation<T, amalgam::VI_MUL> operator*(const LocalTensor<T> &a, const LocalTensor<T> &b) {
  return {a.address(), b.address(), a.GetSize()};
}
template <typename T>
AMALGAM_INLINE TensorOperation<T, amalgam::VI_DIV> operator/(const LocalTensor<T> &a, const LocalTensor<T> &b) {
  return {a.address(), b.address(), a.GetSize()};
}

template <typename T>
template <int op>
AMALGAM_INLINE void LocalTensor<T>::operator=(const TensorOperation<T, op> &operation) {
  static_assert(amalgam::has<T>(static_cast<amalgam::vector_instruction>(op)),
                "the hardware has no such instruction for this type");
  auto c = amalgam::vinst(amalgam::hal_pc(), op, amalgam::type_of<T>());
  c.dst = address_;
  c.a = operation.a;
  c.b = operation.b;
  c.count = elements_;
  amalgam::push(c);
}

}  // namespace AscendC

#endif
