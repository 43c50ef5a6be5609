// The vector cores' parts of attention that the kernels share: V1, and the output's way out.
//
// The rows of a problem are split evenly over the vector cores, lowest first; a core may get none
// and still takes part in every handshake.  UB:
//
//   in ring    4 x 33 KB   MTE2 -> V   16 rows of scores and their mask, or 8 rows of O and T
//   out ring   3 x 16 KB   V -> MTE3   16 rows of P as BF16, or 8 rows of 32-bit values
//   row values 24 x 512 B  V only      one FP32 a row of this core, see enum row_values
//
// Why a slot of p needs no flag that says it was read, nor one of t: MTE3 writes P_j+2 after it
// wrote what V made of C2(j)'s result (amla: rescaled O after FLAG_O_ADDED; base: O after
// FLAG_T_READY), and that result took all of P_j.  The cube core writes T_j+2 after it read P_j+2,
// whose scores MTE2 loads after T_j.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_ATTENTION_VECTOR_H
#define KERNELS_ATTENTION_VECTOR_H

#include <stdint.h>

#include "hal/hal.h"
#include "kernels/attention_problem.h"
#include "lib/ring.h"
#include "lib/tiling.h"

enum {
  SCORE_ROWS = 16,  // rows of a chunk in V1
  OUTPUT_ROWS = 8,  // rows of a chunk of O
  MAX_CORE_ROWS = 128,
  IN_TILE = 32 * 1024,
  IN_MASK = 1024,
  IN_SLOT = IN_TILE + IN_MASK,
  IN_SLOTS = 4,
  OUT_SLOT = 16 * 1024,
  OUT_SLOTS = 3,
  MASK_PITCH = ATTENTION_MAX_BLOCK / 8,
  ROW_VALUES_BASE = IN_SLOTS * IN_SLOT + OUT_SLOTS * OUT_SLOT,
  ROW_VALUES_BYTES = MAX_CORE_ROWS * 4,
};

// Values kept for each row.  Those marked x2 alternate from block to block: row_pair.
enum row_values {
  ROW_M,                     // x2: maximum of the scores so far, -inf: no finite score, "not live"
  ROW_LIVE = ROW_M + 2,      // x2: a bit a row, in 32 bytes a chunk: M is above -inf
  ROW_SCALE = ROW_LIVE + 2,  // x2: exp(previous m - m), scales l (and O) of the blocks before
  ROW_SAFE = ROW_SCALE + 2,  // m, 0 if not live
  ROW_L,                     // sum of P so far
  ROW_TEMP,
  ROW_KERNEL,  // the kernel's own from here
  ROW_VALUES_END = 24
};

static const ring_t in_ring = {PIPE_MTE2, PIPE_V, 0, IN_SLOTS, 0, IN_SLOT};
static const ring_t out_ring = {PIPE_V, PIPE_MTE3, 0, OUT_SLOTS, IN_SLOTS *IN_SLOT, OUT_SLOT};

typedef struct vector_core {
  const attention_problem_t *problem;
  uint32_t first_row;  // of the problem
  uint32_t rows;       // of this core
  uint32_t entry;      // batch entry
  uint32_t in, out;    // uses of in_ring and out_ring so far
} vector_core_t;

// Rows row .. row + rows - 1 of this core by cols columns, FP32.
typedef struct chunk {
  uint32_t block;
  uint32_t row, rows;
  uint32_t cols;
  uint32_t tile;   // in UB
  uint32_t mask;   // in UB, MASK_PITCH bytes a row
  uint32_t pitch;  // of tile
} chunk_t;

// UB address of a row's value; row is a multiple of 8.
static inline uint32_t row_value(uint32_t values, uint32_t row) {
  return ROW_VALUES_BASE + values * ROW_VALUES_BYTES + 4 * row;
}

// Of the x2 values, those of a block.  Block -1 (as uint32_t) is the state before block 0.
static inline uint32_t row_pair(uint32_t values, uint32_t block) { return values + block % 2; }

static inline uint32_t row_live(uint32_t row, uint32_t block) {
  return row_value(row_pair(ROW_LIVE, block), 0) + row / SCORE_ROWS * 32;
}

// Bits of FP32 constants: firmware has no floating point.
enum f32_bits {
  F32_ZERO = 0,
  F32_MINUS_INFINITY = (int)0xff800000,
};

// Vector operations on n row values, and on a chunk's tile; further fields as in commands.def.
#define row_op(n, ...)                                                                          \
  vector_op(.rows = 1, .cols = (n), .dst_pitch = ROW_VALUES_BYTES, .a_pitch = ROW_VALUES_BYTES, \
            .b_pitch = ROW_VALUES_BYTES, .c_pitch = ROW_VALUES_BYTES, __VA_ARGS__)
#define tile_op(chunk, ...) \
  vector_op(.rows = (chunk)->rows, .cols = (chunk)->cols, .a_pitch = (chunk)->pitch, __VA_ARGS__)

// b as one value for all: the last arguments of row_op and tile_op.
#define by_scalar(bits) .b_kind = OPERAND_SCALAR, .scalar = (uint32_t)(bits)

// This core's rows; panics if UB cannot hold their values.
vector_core_t attention_vector_core(const attention_problem_t *problem);

// Before the first batch entry and after the last: the rings.
void attention_vector_open(void);
void attention_vector_drain(void);

// Row values as they are before block 0.
void attention_reset_rows(const vector_core_t *core);

// V1(block).  weigh, if not NULL, may change P in the chunk before it is rounded to BF16.
void attention_softmax(vector_core_t *core, uint32_t block,
                       void (*weigh)(const vector_core_t *core, const chunk_t *chunk));

// A chunk of O in a new slot of the in ring, to be loaded.
chunk_t attention_output_chunk(const vector_core_t *core, uint32_t block, uint32_t row);

// MTE3 part of an out slot: rows to global memory, then on to the next slot.
void attention_store(vector_core_t *core, uint32_t rows, uint32_t ub_pitch, uint64_t gm,
                     uint32_t gm_pitch, uint32_t row_bytes, uint32_t op);

// Where a row of this core is in O.
uint64_t attention_o_row(const vector_core_t *core, uint32_t row);

// out = O / divisor (a row value), 0 where l is 0; frees the chunk.  Its second half is
// overwritten.
void attention_finish(vector_core_t *core, const chunk_t *chunk, uint32_t divisor);

#endif
