// The array form evaluates e^x in FP64 with a known bound on its relative error and rounds both
// ends of the error interval to FP32. Where the two agree, the exact e^x and every good FP64 exp
// round to that same value; where they do not (two lanes in a million, and NaN), libm decides.
// Rounding commutes with order also among subnormals and at overflow, so there are no special
// ranges.
// SPDX-License-Identifier: Apache-2.0
#include "num/num_exp.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "num/num_isa.h"

// Lanes handled between two looks at the rounding test: their buffers stay in registers and L1.
enum { CHUNK = 64 };

float num_exp32(float x) { return (float)exp((double)x); }

float num_ln32(float x) { return (float)log((double)x); }

// e^x for x in [-110, 90], relative error below 2^-46:
//   x = k ln2 + r, |r| <= 0.35: x - k LN2_HI is exact (33 bits times 8), the rest adds 2^-54
//   e^r by its Taylor series up to r^11: r^12 / 12! < 2^-47, roundings about 2^-51
NUM_INLINE double exp_fp64(double x) {
  const double log2e = 0x1.71547652b82fep+0;
  const double ln2_hi = 0x1.62e42fefp-1;
  const double ln2_lo = 0x1.473de6af278edp-34;
  const double to_integer = 0x1.8p52;  // adding this leaves k in the low bits of the sum
  const double shifted = x * log2e + to_integer;
  const double k = shifted - to_integer;
  const double r = (x - k * ln2_hi) - k * ln2_lo;
  double e = 1.0 / 39916800.0;
  e = e * r + 1.0 / 3628800.0;
  e = e * r + 1.0 / 362880.0;
  e = e * r + 1.0 / 40320.0;
  e = e * r + 1.0 / 5040.0;
  e = e * r + 1.0 / 720.0;
  e = e * r + 1.0 / 120.0;
  e = e * r + 1.0 / 24.0;
  e = e * r + 1.0 / 6.0;
  e = e * r + 0.5;
  e = e * r + 1.0;
  e = e * r + 1.0;
  uint64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023u) << 52;  // 2^k
  double power;
  memcpy(&power, &bits, sizeof power);
  return e * power;
}

NUM_INLINE void exp_chunk(const float *x, float *y, size_t n) {
  const double margin = 0x1p-44;
  float in[CHUNK];  // a copy, since y may be x
  float below[CHUNK];
  float above[CHUNK];
  memcpy(in, x, n * sizeof in[0]);
  int unproven = 0;
  for (size_t i = 0; i < n; ++i) {
    // Beyond these the result is 0 or infinity anyway. NaN passes through.
    const float low = in[i] < -110.0f ? -110.0f : in[i];
    const float clamped = low > 90.0f ? 90.0f : low;
    const double e = exp_fp64((double)clamped);
    below[i] = (float)(e * (1.0 - margin));
    above[i] = (float)(e * (1.0 + margin));
    unproven |= !(below[i] == above[i]);
  }
  // cppcheck-suppress uninitvar ; the loop has set n of them
  memcpy(y, above, n * sizeof y[0]);
  if (!unproven) {
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    if (!(below[i] == above[i])) {
      y[i] = num_exp32(in[i]);
    }
  }
}

NUM_CLONES
void num_exp32_n(const float *x, float *y, size_t n) {
  size_t i = 0;
  for (; n - i >= CHUNK; i += CHUNK) {
    exp_chunk(x + i, y + i, CHUNK);
  }
  if (i < n) {
    exp_chunk(x + i, y + i, n - i);
  }
}

void num_ln32_n(const float *x, float *y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = num_ln32(x[i]);
  }
}

// FP64's two roundings put the quotient within 2^-52 of the exact one, relative. unit/num_rsqrt goes through all of
// FP32: no exact one is that near to the middle between two FP32 numbers but on its own side of it.
NUM_CLONES
void num_rsqrt32_n(const float *x, float *y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    y[i] = (float)(1.0 / sqrt((double)x[i]));
  }
}
