// half and bfloat16_t as scalars: 16 bits that convert from and to float, to nearest even.  (GCC has no such types for
// RISC-V before version 13.)  Arithmetic with them is that of float.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_NUMBER_H
#define AMALGAM_SW_ASCEND_INCLUDE_ASCENDC_NUMBER_H

#include <cstdint>
#include <type_traits>

namespace amalgam {

constexpr uint32_t float_bits(float x) { return __builtin_bit_cast(uint32_t, x); }
constexpr float bits_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// m / 2^cut, to nearest even; cut from 1.
constexpr uint32_t cut_even(uint32_t m, uint32_t cut) {
  const uint32_t q = cut > 31 ? 0 : m >> cut, rest = cut > 31 ? m : m & ((1u << cut) - 1);
  const uint32_t half = cut > 31 ? 0x80000000u : 1u << (cut - 1);
  return q + (rest > half || (rest == half && (q & 1) != 0) ? 1 : 0);
}

constexpr uint16_t half_of(float x) {
  const uint32_t bits = float_bits(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    return static_cast<uint16_t>(sign | 0x7e00);
  }
  if (magnitude >= 0x477ff000) {  // from halfway beyond the largest
    return static_cast<uint16_t>(sign | 0x7c00);
  }
  if (magnitude >= 0x38800000) {
    return static_cast<uint16_t>(sign | cut_even(magnitude - 0x38000000, 13));
  }
  const uint32_t exponent = magnitude >> 23, m = (magnitude & 0x7fffff) | (exponent > 0 ? 0x800000 : 0);
  return static_cast<uint16_t>(sign | cut_even(m, 126 - (exponent > 0 ? exponent : 1)));
}

constexpr float float_of_half(uint16_t h) {
  const uint32_t sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, m = h & 0x3ff;
  if (exponent == 0) {
    const float value = static_cast<float>(m) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  return bits_float(sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) | m << 13);
}

constexpr uint16_t bfloat_of(float x) {
  const uint32_t bits = float_bits(x);
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return static_cast<uint16_t>(nan ? bits >> 16 | 0x40 : cut_even(bits, 16));
}

template <uint16_t (*narrow)(float), float (*widen)(uint16_t)>
struct number16 {
  uint16_t bits;
  number16() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  constexpr number16(T value) : bits(narrow(static_cast<float>(value))) {}
  constexpr operator float() const { return widen(bits); }
  constexpr number16 &operator+=(float x) { return *this = number16(*this + x); }
  constexpr number16 &operator-=(float x) { return *this = number16(*this - x); }
  constexpr number16 &operator*=(float x) { return *this = number16(*this * x); }
  constexpr number16 &operator/=(float x) { return *this = number16(*this / x); }
};

constexpr float float_of_bfloat(uint16_t h) { return bits_float(static_cast<uint32_t>(h) << 16); }

}  // namespace amalgam

using half = amalgam::number16<amalgam::half_of, amalgam::float_of_half>;
using bfloat16_t = amalgam::number16<amalgam::bfloat_of, amalgam::float_of_bfloat>;
using half16_t = half;

template <typename A, typename B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  return b < a ? b : a;
}
template <typename A, typename B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  return a < b ? b : a;
}

#endif
