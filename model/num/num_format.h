// Number formats: BF16, FP16, FP8 (e4m3fn) and packed INT4, to and from FP32.
//
//            sign exp frac  bias  largest    smallest normal / subnormal
//   FP32       1   8   23   127   3.4e38     2^-126 / 2^-149
//   BF16       1   8    7   127   3.39e38    2^-126 / 2^-133     FP32's upper half
//   FP16       1   5   10    15   65504      2^-14  / 2^-24
//   e4m3fn     1   4    3     7   448        2^-6   / 2^-9       no infinity; 0x7f, 0xff are NaN
//
// Every narrowing rounds to nearest even with gradual underflow; nothing is ever flushed to zero.
// Values travel as their bit patterns, so nobody adds two of them by accident. The default rounding
// mode of the host is assumed (and never changed). The functions have no state and cannot fail.
//
// Source: NUMERICS.md section 1.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_NUM_FORMAT_H
#define AMALGAM_NUM_NUM_FORMAT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t num_bf16_t;  // the bits of a BF16
typedef uint16_t num_fp16_t;  // the bits of an FP16

static inline uint32_t num_f32_bits(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static inline float num_f32_from_bits(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

// Exact. A NaN keeps its sign and payload.
static inline float num_bf16_to_f32(num_bf16_t h) { return num_f32_from_bits((uint32_t)h << 16); }

// RNE; overflows to infinity. A NaN stays NaN, made quiet, with its sign and upper payload.
static inline num_bf16_t num_bf16_from_f32(float x) {
  const uint32_t u = num_f32_bits(x);
  const uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  const uint32_t quiet = (u >> 16) | 0x40u;
  return (num_bf16_t)((u & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

// Exact. A NaN keeps its sign and payload.
static inline float num_fp16_to_f32(num_fp16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  const uint32_t mag = h & 0x7fffu;
  // The exponent is rebased from 15 to 127; infinity and NaN must reach 255 instead.
  const uint32_t normal = (mag << 13) + (mag >= 0x7c00u ? 224u << 23 : 112u << 23);
  // A subnormal is mag * 2^-24: an exact conversion and an exact scaling.
  const uint32_t subnormal = num_f32_bits((float)(int32_t)mag * 0x1p-24f);
  return num_f32_from_bits(sign | (mag < 0x0400u ? subnormal : normal));
}

// RNE with subnormals; overflows to infinity from 65520 on. A NaN stays NaN, made quiet, with its
// sign and upper payload.
static inline num_fp16_t num_fp16_from_f32(float x) {
  const uint32_t u = num_f32_bits(x);
  const uint32_t sign = (u >> 16) & 0x8000u;
  const uint32_t mag = u & 0x7fffffffu;
  const uint32_t rounded = ((mag + 0xfffu + ((mag >> 13) & 1u)) >> 13) - (112u << 10);
  const uint32_t normal = mag >= 0x477ff000u ? 0x7c00u : rounded;
  // At 0.5 the last place of an FP32 is 2^-24: the host's own addition rounds to an FP16 subnormal.
  const uint32_t subnormal = num_f32_bits(num_f32_from_bits(mag) + 0.5f) - 0x3f000000u;
  const uint32_t number = mag < 0x38800000u ? subnormal : normal;
  const uint32_t quiet = 0x7e00u | ((mag >> 13) & 0x1ffu);
  return (num_fp16_t)(sign | (mag > 0x7f800000u ? quiet : number));
}

// x in FP16, RNE, rounded once from the FP64: FP32 on the way would round twice, so what FP32 loses
// is put back as a last bit of 1 ("round to odd"), which no rounding to FP16 can mistake for a tie.
static inline num_fp16_t num_fp16_from_f64(double x) {
  const float near = (float)x;
  uint32_t u = num_f32_bits(near);
  if ((double)near != x && (u & 1u) == 0 && (u & 0x7fffffffu) < 0x7f800000u) {
    // Even and not x: the odd neighbour on x's side.
    u = ((double)near < x) == ((u >> 31) == 0) ? u + 1 : u - 1;
  }
  return num_fp16_from_f32(num_f32_from_bits(u));
}

// a * b + c in FP16, RNE, rounded once. The product is exact in FP64; of the sum, what FP64 loses
// is put back as above.
static inline num_fp16_t num_fp16_fma(float a, float b, float c) {
  const double product = (double)a * (double)b;
  double sum = product + (double)c;
  // Exactly what the sum misses (Knuth's two-sum).
  const double back = sum - product;
  const double lost = (product - (sum - back)) + ((double)c - back);
  uint64_t u;
  memcpy(&u, &sum, sizeof u);
  if (lost != 0 && lost == lost && (u & 1u) == 0) {
    u = (lost > 0) == ((u >> 63) == 0) ? u + 1 : u - 1;
    memcpy(&sum, &u, sizeof sum);
  }
  return num_fp16_from_f64(sum);
}

// Exact. 0x7f and 0xff give a quiet NaN of that sign.
static inline float num_e4m3_to_f32(uint8_t code) {
  const uint32_t sign = (uint32_t)(code & 0x80u) << 24;
  const uint32_t mag = code & 0x7fu;
  const uint32_t normal = (mag << 20) + (120u << 23);
  const uint32_t subnormal = num_f32_bits((float)(int32_t)mag * 0x1p-9f);
  const uint32_t number = mag < 0x08u ? subnormal : normal;
  return num_f32_from_bits(sign | (mag == 0x7fu ? 0x7fc00000u : number));
}

// RNE, saturating: everything from 448 up, infinity included, gives 0x7e. NaN gives 0x7f | sign.
static inline uint8_t num_e4m3_from_f32(float x) {
  const uint32_t u = num_f32_bits(x);
  const uint32_t sign = (u >> 24) & 0x80u;
  const uint32_t mag = u & 0x7fffffffu;
  const uint32_t rounded = ((mag + 0x7ffffu + ((mag >> 20) & 1u)) >> 20) - (120u << 3);
  const uint32_t normal = mag >= 0x43e00000u ? 0x7eu : rounded;
  // At 2^14 the last place of an FP32 is 2^-9.
  const uint32_t subnormal = num_f32_bits(num_f32_from_bits(mag) + 0x1p14f) - 0x46800000u;
  const uint32_t number = mag < 0x3c800000u ? subnormal : normal;
  return (uint8_t)(sign | (mag > 0x7f800000u ? 0x7fu : number));
}

// INT4, two's complement, eight to a word along n, the lowest nibble being the lowest n:
//
//   bit  31..28  27..24  ...  7..4  3..0
//   n      7       6     ...   1     0
//
// i is 0..7. Returns -8..7.
static inline int num_int4_get(uint32_t word, unsigned i) {
  const int nibble = (int)((word >> (4u * i)) & 0xfu);
  return (nibble ^ 8) - 8;
}

// The word with nibble i (0..7) replaced by value, which must lie in -8..7.
static inline uint32_t num_int4_put(uint32_t word, unsigned i, int value) {
  const uint32_t mask = 0xfu << (4u * i);
  return (word & ~mask) | (((uint32_t)value << (4u * i)) & mask);
}

// x cut towards zero, saturating to the int32 range; NaN gives 0.
static inline int32_t num_f32_to_s32_trunc(float x) {
  if (x >= 0x1p31f) {
    return INT32_MAX;
  }
  if (x < -0x1p31f) {
    return INT32_MIN;
  }
  return x == x ? (int32_t)x : 0;
}

// x rounded to nearest even, saturating to the int32 range; NaN gives 0.
static inline int32_t num_f32_to_s32_rne(float x) { return num_f32_to_s32_trunc(rintf(x)); }

// Array forms, dst[i] = f(src[i]) for i < n; dst and src must not overlap. Same bits as the scalar
// functions above, many times faster.
void num_bf16_to_f32_n(const num_bf16_t *src, float *dst, size_t n);
void num_bf16_from_f32_n(const float *src, num_bf16_t *dst, size_t n);
void num_fp16_to_f32_n(const num_fp16_t *src, float *dst, size_t n);
void num_fp16_from_f32_n(const float *src, num_fp16_t *dst, size_t n);
void num_e4m3_to_f32_n(const uint8_t *src, float *dst, size_t n);
void num_e4m3_from_f32_n(const float *src, uint8_t *dst, size_t n);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_NUM_FORMAT_H
