// The operations of an atomic global-memory slice on its 32-bit lanes: one element, or two of 16 bits, or four of 8,
// the first in the lowest bits.
//
// The guarded add multiplies a float in memory by about 2^(N / 2^23) by adding the integer N to its
// bits. Done raw that turns zeros into NaN or 1e38 and lets exponents wrap; hence, for the old word
// u and N != 0:
//
//   exponent field of u 0 (zero, subnormal)   -> zero of u's sign        NUM_GM_GUARD_ZERO
//   exponent field 255 (infinity, NaN)        -> u                       NUM_GM_GUARD_SPECIAL
//   r = magnitude + N below 0x00800000        -> zero of u's sign        NUM_GM_GUARD_UNDERFLOW
//   r at or above 0x7f800000                  -> infinity of u's sign    NUM_GM_GUARD_OVERFLOW
//   otherwise                                 -> u's sign, r
//
// N == 0 leaves u alone and raises nothing. The other operations raise nothing either: sums of F16 and BF16 are rounded
// once, to nearest even, with one canonical NaN; sums of S16 and S8 wrap; the largest and the smallest of memory's m
// and the operand x are those of the vector unit, m > x ? m : x.
//
// Source: NUMERICS.md section 4; the operations and their codes are hal/gm_ops.def.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_NUM_NUM_GM_H
#define AMALGAM_NUM_NUM_GM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum num_gm_op {
#define GM_OP(name, code, operand, memory, value, follow, text) NUM_GM_##name = (code),
#include "hal/gm_ops.def"
#undef GM_OP
};

enum {
  NUM_GM_GUARD_ZERO = 1u,
  NUM_GM_GUARD_SPECIAL = 2u,
  NUM_GM_GUARD_UNDERFLOW = 4u,
  NUM_GM_GUARD_OVERFLOW = 8u,
};

// The new word of a lane that held mem. ORs the guards met into *guards (never clears any); guards
// may be NULL. RESCALE is ADD_S32 here: the row walk is the slice's, the arithmetic is the same.
// An op outside of the enum returns mem.
uint32_t num_gm_apply(enum num_gm_op op, uint32_t mem, uint32_t operand, uint32_t *guards);

// mem[i] = num_gm_apply(op, mem[i], operand[i], guards) for i < n. For RESCALE only operand[0] is
// read and used for every lane. mem and operand must not overlap.
void num_gm_apply_n(enum num_gm_op op, uint32_t *mem, const uint32_t *operand, size_t n, uint32_t *guards);

// The bits of a + b as FP32, RNE, with subnormals; every NaN result is 0x7fc00000.
uint32_t num_f32_add_bits(uint32_t a, uint32_t b);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_NUM_NUM_GM_H
