// GlobalTensor and LocalTensor: a part of an array in global memory, and of a core's memory.
//
// GetValue and SetValue are scalar accesses, of pipe S: a read holds the program.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_TENSOR_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_TENSOR_H

#include "ascendc/event.h"
#include "ascendc/number.h"

namespace amalgam {

// TYPE_* of a C++ type.
template <typename T>
constexpr uint32_t type_of() {
  using U = std::remove_cv_t<T>;
  static_assert(
      std::is_same_v<U, float> || std::is_same_v<U, ::half> || std::is_same_v<U, ::bfloat16_t> || std::is_integral_v<U>,
      "a tensor's elements are float, half, bfloat16_t or integers");
  if constexpr (std::is_same_v<U, float>) {
    return TYPE_F32;
  } else if constexpr (std::is_same_v<U, ::half>) {
    return TYPE_F16;
  } else if constexpr (std::is_same_v<U, ::bfloat16_t>) {
    return TYPE_BF16;
  } else if constexpr (std::is_integral_v<U>) {
    return sizeof(U) == 8   ? TYPE_S64
           : sizeof(U) == 4 ? (std::is_signed_v<U> ? TYPE_S32 : TYPE_U32)
           : sizeof(U) == 2 ? (std::is_signed_v<U> ? TYPE_S16 : TYPE_U16)
                            : (std::is_signed_v<U> ? TYPE_S8 : TYPE_U8);
  }
}

template <typename T>
constexpr uint64_t to_bits(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(
        static_cast<std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>>(value));
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(uint32_t, value);
  } else {
    return __builtin_bit_cast(uint16_t, value);
  }
}

template <typename T>
AMALGAM_INLINE T from_bits(uint64_t bits) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, static_cast<uint32_t>(bits));
  } else {
    return __builtin_bit_cast(T, static_cast<uint16_t>(bits));
  }
}

AMALGAM_INLINE uint64_t read_value(uint64_t pc, uint64_t gm, uint32_t ub, uint32_t bytes) {
  auto c = begin<cmd_read_value_t>(OP_READ_VALUE, PIPE_S, pc);
  c.gm = gm;
  c.ub = ub;
  c.bytes = bytes;
  hal_push_read_value(&c);
  return hal_read(REG_VALUE);
}

AMALGAM_INLINE void write_value(uint64_t pc, uint64_t gm, uint32_t ub, uint32_t bytes, uint64_t value) {
  auto c = begin<cmd_write_value_t>(OP_WRITE_VALUE, PIPE_S, pc);
  c.gm = gm;
  c.ub = ub;
  c.bytes = bytes;
  c.value = value;
  hal_push_write_value(&c);
}

AMALGAM_INLINE void clean_lines(uint64_t pc, uint64_t gm) {
  auto c = begin<cmd_clean_lines_t>(OP_CLEAN_LINES, PIPE_S, pc);
  c.gm = gm;
  hal_push_clean_lines(&c);
}

}  // namespace amalgam

namespace AscendC {

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  MAX
};
using QuePosition = TPosition;

}  // namespace AscendC

namespace amalgam {

constexpr memory memory_at(AscendC::TPosition position) {
  using AscendC::TPosition;
  return position == TPosition::A1 || position == TPosition::B1 || position == TPosition::C1 ? IN_L1
         : position == TPosition::A2                                                         ? IN_L0A
         : position == TPosition::B2                                                         ? IN_L0B
         : position == TPosition::CO1                                                        ? IN_L0C
                                                                                             : IN_UB;
}

}  // namespace amalgam

namespace AscendC {

enum class CacheMode { CACHE_MODE_DISABLE, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT };

template <typename T>
class LocalTensor;

// a op b of whole tensors, for `c = a - b`.
template <typename T, int op>
struct TensorOperation {
  uint32_t a, b, count;
};

template <typename T>
class LocalTensor {
 public:
  using PrimType = T;

  LocalTensor() = default;
  AMALGAM_INLINE LocalTensor(uint32_t address, uint32_t elements, uint32_t buffer = 0)
      : address_(address), elements_(elements), buffer_(buffer) {}
  AMALGAM_INLINE LocalTensor(TPosition position, uint32_t address, uint32_t elements)
      : address_(amalgam::memory_at(position) << amalgam::MEMORY_BIT | address), elements_(elements) {}

  AMALGAM_INLINE LocalTensor operator[](uint32_t offset) const {
    return LocalTensor(address_ + offset * static_cast<uint32_t>(sizeof(T)),
                       elements_ > offset ? elements_ - offset : 0, buffer_);
  }
  AMALGAM_INLINE T GetValue(uint32_t index) const {
    const uint64_t pc = amalgam::hal_pc();
    amalgam::before_scalar(pc, amalgam::PIPE_BIT_V | amalgam::PIPE_BIT_MTE2);
    return amalgam::from_bits<T>(
        amalgam::read_value(pc, 0, address_ + index * static_cast<uint32_t>(sizeof(T)), sizeof(T)));
  }
  AMALGAM_INLINE void SetValue(uint32_t index, amalgam::same_t<T> value) const {
    const uint64_t pc = amalgam::hal_pc();
    amalgam::before_scalar(pc, amalgam::PIPE_BIT_V | amalgam::PIPE_BIT_MTE2 | amalgam::PIPE_BIT_MTE3);
    amalgam::write_value(pc, 0, address_ + index * static_cast<uint32_t>(sizeof(T)), sizeof(T),
                         amalgam::to_bits<T>(value));
  }

  // `t(3)` reads, `t(3) = x` writes.
  struct Element {
    const LocalTensor &of;
    uint32_t index;
    AMALGAM_INLINE operator T() const { return of.GetValue(index); }
    AMALGAM_INLINE Element &operator=(T value) {
      of.SetValue(index, value);
      return *this;
    }
  };
  AMALGAM_INLINE Element operator()(uint32_t index) const { return {*this, index}; }

  template <typename U>
  AMALGAM_INLINE LocalTensor<U> ReinterpretCast() const {
    return LocalTensor<U>(address_, static_cast<uint32_t>(elements_ * sizeof(T) / sizeof(U)), buffer_);
  }
  AMALGAM_INLINE uint32_t GetSize() const { return elements_; }
  AMALGAM_INLINE uint32_t GetLength() const { return elements_ * static_cast<uint32_t>(sizeof(T)); }
  AMALGAM_INLINE void SetSize(uint32_t elements) { elements_ = elements; }
  AMALGAM_INLINE uint64_t GetPhyAddr(uint32_t offset = 0) const {
    return amalgam::within(address_) + offset * sizeof(T);
  }
  AMALGAM_INLINE void SetAddrWithOffset(LocalTensor &from, uint32_t offset) { *this = from[offset]; }

  template <int op>
  AMALGAM_INLINE void operator=(const TensorOperation<T, op> &operation);

  AMALGAM_INLINE uint32_t address() const { return address_; }
  AMALGAM_INLINE uint32_t buffer() const { return buffer_; }

 private:
  uint32_t address_ = 0, elements_ = 0, buffer_ = 0;  // buffer: of a queue
};

template <typename T>
class GlobalTensor {
 public:
  using PrimType = T;

  AMALGAM_INLINE void SetGlobalBuffer(const volatile T *pointer, uint64_t elements = 0) {
    address_ = amalgam::gm_address(pointer);
    elements_ = elements;
  }
  AMALGAM_INLINE GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor part;
    part.address_ = address_ + offset * sizeof(T);
    part.elements_ = elements_ > offset ? elements_ - offset : 0;
    return part;
  }
  AMALGAM_INLINE T GetValue(uint64_t index) const {
    return amalgam::from_bits<T>(amalgam::read_value(amalgam::hal_pc(), address_ + index * sizeof(T), 0, sizeof(T)));
  }
  AMALGAM_INLINE void SetValue(uint64_t index, amalgam::same_t<T> value) const {
    amalgam::write_value(amalgam::hal_pc(), address_ + index * sizeof(T), 0, sizeof(T), amalgam::to_bits<T>(value));
  }
  AMALGAM_INLINE T operator()(uint64_t index) const { return GetValue(index); }
  AMALGAM_INLINE uint64_t GetSize() const { return elements_; }
  AMALGAM_INLINE __gm__ T *GetPhyAddr(uint64_t offset = 0) const {
    return reinterpret_cast<T *>(reinterpret_cast<uint64_t>(amalgam::hal_gm(address_)) + offset * sizeof(T));
  }
  template <typename... Hint>
  AMALGAM_INLINE void SetL2CacheHint(Hint...) {}  // caches are the machine's
  AMALGAM_INLINE uint64_t address() const { return address_; }

 private:
  uint64_t address_ = 0, elements_ = 0;
};

}  // namespace AscendC

#endif
