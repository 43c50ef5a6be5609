// SPDX-License-Identifier: Apache-2.0
#include "num/engine/num_bf16.h"

#include "num/num_exp.h"
#include "num/num_isa.h"

enum {
  GUARD_BITS = 8,
  BIAS = 127,
  EXPONENT_MIN = -126,  // of a normal number
  EXPONENT_MAX = 127,
};

// Bits whose unsigned order is the order of the numbers.
static unsigned order(num_bf16_t x) { return (x & 0x8000u) ? (~x & 0xffffu) : x | 0x8000u; }

num_bf16_t num_bf16_max(num_bf16_t a, num_bf16_t b) { return order(a) < order(b) ? b : a; }

num_bf16_t num_bf16_diff(num_bf16_t a, num_bf16_t b) {
  return a == b ? 0 : num_bf16_result(num_bf16_operand(a) - num_bf16_operand(b));
}

num_bf16_t num_bf16_exp(num_bf16_t x) {
  const float value = num_bf16_operand(x);
  return num_bf16_result(num_exp32(value > 0.0f ? 0.0f : value));
}

// sum * 2^exponent
static num_bf16_t round_integer(int64_t sum, int exponent) {
  if (sum == 0) {
    return 0;
  }
  const unsigned sign = sum < 0 ? 0x8000u : 0u;
  // The leading one goes to bit 63.
  const int zeros = __builtin_clzll((uint64_t)(sum < 0 ? -sum : sum));
  const uint64_t mag = (uint64_t)(sum < 0 ? -sum : sum) << zeros;
  int e = exponent + 63 - zeros;
  uint64_t significand = mag >> 56;
  const uint64_t rest = mag << 8;
  const uint64_t half = (uint64_t)1 << 63;
  if (e < EXPONENT_MIN) {
    // On the grid of the subnormals everything from 0.11111111 * 2^-126 up becomes 2^-126.
    const bool reaches = e == EXPONENT_MIN - 1 && significand == 0xffu;
    return (num_bf16_t)(sign | (reaches ? 0x0080u : 0u));
  }
  if (rest > half || (rest == half && (significand & 1u))) {
    significand += 1;
  }
  if (significand == 0x100u) {
    significand = 0x80u;
    e += 1;
  }
  if (e > EXPONENT_MAX) {
    return (num_bf16_t)(sign | 0x7f80u);
  }
  return (num_bf16_t)(sign | (unsigned)(e + BIAS) << 7 | (unsigned)(significand & 0x7fu));
}

NUM_INLINE int exponent_field(num_bf16_t x) { return (x >> 7) & 0xff; }

NUM_INLINE int32_t significand_of(num_bf16_t x) { return exponent_field(x) ? (x & 0x7f) | 0x80 : 0; }

NUM_CLONES
num_bf16_t num_bf16_dot(const num_bf16_t *a, const num_bf16_t *b, size_t d) {
  int top = 0;  // the largest sum of two exponent fields
  for (size_t i = 0; i < d; ++i) {
    const int ea = exponent_field(a[i]);
    const int eb = exponent_field(b[i]);
    const int e = ea != 0 && eb != 0 ? ea + eb : 0;
    top = e > top ? e : top;
  }
  int64_t sum = 0;
  for (size_t i = 0; i < d; ++i) {
    const int32_t product = significand_of(a[i]) * significand_of(b[i]) << GUARD_BITS;
    const int distance = top - exponent_field(a[i]) - exponent_field(b[i]);
    // A product of zeros may stand above the others; it has no bits to lose.
    const int32_t aligned = product >> (distance < 0 ? 0 : distance > 31 ? 31 : distance);
    sum += ((a[i] ^ b[i]) & 0x8000u) ? -aligned : aligned;
  }
  // Two significands of 7 fraction bits each.
  return round_integer(sum, top - 2 * BIAS - 14 - GUARD_BITS);
}
