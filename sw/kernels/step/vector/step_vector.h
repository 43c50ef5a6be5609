// Shared by the operations on vector cores: the division of rows, slots of UB that a tile goes through, FP32
// constants.
//
// A slot is filled by MTE2, worked on by V, and stored by MTE3; then it is MTE2's again:
//
//   ring_wait_free(&slots.back, i)  load       ring_set_full(&slots.in, i)
//   ring_wait_full(&slots.in, i)    compute    ring_set_full(&slots.out, i)
//   ring_wait_full(&slots.out, i)   store      ring_set_free(&slots.back, i)
//
// Before use i + slots is loaded, the store of use i has to be pushed.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_STEP_VECTOR_STEP_VECTOR_H
#define AMALGAM_SW_KERNELS_STEP_VECTOR_STEP_VECTOR_H

#include "hal/hal.h"
#include "kernels/step/step.h"
#include "lib/panic.h"
#include "lib/ring.h"
#include "lib/tiling.h"

enum { UB_BYTES = 192 * 1024, UB_ALIGN = 32 };
enum { PART = 2048 };  // columns that one tree sums (model/num/NUMERICS.md section 8)
enum {
  F32_ONE = 0x3f800000,
  F32_MINUS_ONE = (int)0xbf800000,
  F32_MINUS_INF = (int)0xff800000,
  F32_INF = 0x7f800000,
};

#define by_scalar(bits) .b_kind = OPERAND_SCALAR, .scalar = (uint32_t)(bits)
#define by_row(address) .b_kind = OPERAND_ROW, .b = (address)

// Units of work first .. end - 1 are this core's.
typedef struct share {
  uint32_t first, end;
} share_t;

static inline uint32_t vector_cores(void) { return (uint32_t)(hal_read(REG_CORE_COUNT) * hal_read(REG_SUB_COUNT)); }

static inline share_t share_of(uint32_t units) {
  const uint64_t cores = vector_cores();
  const uint64_t core = hal_read(REG_CORE_INDEX) * hal_read(REG_SUB_COUNT) + hal_read(REG_SUB_INDEX);
  return (share_t){(uint32_t)(units * core / cores), (uint32_t)(units * (core + 1) / cores)};
}

typedef struct slots {
  ring_t in, out, back;
} slots_t;

static inline slots_t slots_at(uint32_t base, uint32_t bytes, uint32_t count) {
  const uint8_t slots = (uint8_t)count;
  return (slots_t){{PIPE_MTE2, PIPE_V, 0, slots, base, bytes},
                   {PIPE_V, PIPE_MTE3, 0, slots, base, bytes},
                   {PIPE_MTE2, PIPE_MTE3, 0, slots, base, bytes}};
}

// FP32 bits of a whole number below 2^24, which they hold exactly.
static inline uint32_t f32_of(uint32_t n) {
  uint32_t exponent = 0;
  while (n >> exponent > 1) {
    exponent++;
  }
  return n == 0 ? 0 : (127 + exponent) << 23 | (n << (23 - exponent) & 0x7fffff);
}

#endif
