// The vector cores' parts of attention that the kernels share: V1, the output's way out, and the
// order of it all.
//
// The rows of a group are split evenly over the vector cores, lowest first; a core may get none, or
// none of a shorter group, and still takes part in every handshake.  UB:
//
//   tiles      2 x 66 KB    MTE2 -> V -> MTE3   rows of scores (which become P in place) and their
//                                               mask, or rows of O and T (which become O)
//   out ring   2 x 20 KB    V -> MTE3           what is not loaded before
//   fold       8 KB         V only              64 columns of maxima
//   row values 24 x 512 B   V only              one FP32 a row of this core, see enum row_values
//
// Sizes are attention_ub.h's; a kernel that needs UB for more has a layout of its own in its place.
//
// Two walks go through the chunks of all stages: one pushes what MTE2 loads, up to a tile ahead of
// the other, which pushes what V and MTE3 do with it.
//
// Why a slot of p needs no flag that says it was read, nor one of t: MTE3 writes P_j+2 after it
// wrote what V made of C2(j)'s result (amla: rescaled O after FLAG_O_ADDED; base: O after
// FLAG_T_READY), and that result took all of P_j.  The cube core writes T_j+2 after it read P_j+2,
// whose scores MTE2 loads after T_j.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_VECTOR_H
#define AMALGAM_SW_KERNELS_ATTENTION_VECTOR_ATTENTION_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "hal/hal.h"
#include "kernels/attention/attention_problem.h"
#include "lib/ring.h"
#include "lib/tiling.h"

// Values kept for each row.  Values marked x2 alternate from turn to turn: row_pair.
enum row_values {
  ROW_M,                             // x2: maximum of the scores so far, -inf: no finite score, "not live"
  ROW_SCALE = ROW_M + 2,             // x ROW_TURNS: exp(previous m - m), scales l (and O) of the blocks before
  ROW_SAFE = ROW_SCALE + ROW_TURNS,  // m, 0 if not live
  ROW_L,                             // sum of P so far
  ROW_SUM,                           // of this block
  ROW_DIVISOR,                       // x ROW_TURNS, by units: of O, at the end
  ROW_TEMP = ROW_DIVISOR + ROW_TURNS,
  ROW_BITS,    // a bit a row, of the rows at hand
  ROW_KERNEL,  // the kernel's own from here
  ROW_VALUES = 24
};

enum {
  TILE_SLOT = TILE_BYTES + TILE_MASK + TILE_OWN,
  OUT_SLOTS = 2,
  OUT_RING_BASE = TILE_SLOTS * TILE_SLOT + TILES_OWN,
  MASK_PITCH = ATTENTION_MAX_BLOCK / 8,
  FOLD_COLS = 64,  // a vector register
  FOLD_PITCH = 4 * FOLD_COLS,
  FOLD_BASE = OUT_RING_BASE + OUT_SLOTS * OUT_SLOT,
  ROW_VALUES_BASE = FOLD_BASE + SCORE_ROWS * FOLD_PITCH,
  ROW_VALUES_BYTES = CORE_ROWS * 4,
  UB_END = ROW_VALUES_BASE + ROW_VALUES * ROW_VALUES_BYTES,
};
_Static_assert((int)UB_END <= ATTENTION_UB_KB * 1024, "UB is too small");

// Flags MTE3 -> MTE2; those below are the tiles'.
enum { EVENT_O_STORED = TILE_SLOTS, EVENT_SPLITS_STORED, EVENT_P_STORED };

// A part of V1's or V2's work: rows row .. row + rows - 1 of this core by cols columns.
typedef struct chunk {
  uint32_t turn, block;  // of this core's units, and of the unit
  uint32_t row, rows;
  uint32_t cols;
  uint32_t tile;   // in UB, FP32
  uint32_t mask;   // in UB, MASK_PITCH bytes a row
  uint32_t pitch;  // of tile
} chunk_t;

typedef struct vector_core vector_core_t;

// A kernel's own.  Functions that may be NULL say so.
typedef struct attention_vector_kernel {
  uint32_t output_rows;  // of a tile in V2
  uint32_t output_flag;  // the cube core's, before V2 loads
  // Before a unit's first block: V and MTE3.  May be NULL.
  void (*start)(vector_core_t *core);
  // n, S16 or the like of a chunk's rows from ROW_SAFE, and P times it, before P is rounded to
  // BF16.  May be NULL.
  void (*weigh)(const chunk_t *chunk);
  // Once all of P_j is on its way: V and MTE3.  May be NULL.
  void (*after_scores)(vector_core_t *core);
  // V2's loads of a chunk, and its sum in place of the chunk.
  void (*load_output)(const vector_core_t *core, const chunk_t *chunk);
  void (*accumulate)(const chunk_t *chunk);  // may be NULL
  // The divisor of a unit whose last V1 is done, n row values: what O is divided by; with splits
  // what takes O to its true scale, if split_divides.
  void (*divisor)(uint32_t n, bool split, uint32_t divisor);
  bool split_divides;
} attention_vector_kernel_t;

// A walk's place: a chunk of a stage.
typedef struct vector_walk {
  bool more;                        // else there is no chunk left
  attention_place_t place[STAGES];  // of V1, and of V2, which is behind
  preload_step_t turn;              // of the plan
  uint32_t first_row;               // of this core in the unit
  uint32_t rows;                    // of this core
  uint32_t row;                     // chunk's first
  uint32_t tile;                    // use of the tiles
  uint32_t scores, outputs;         // stages before this one
} vector_walk_t;

struct vector_core {
  const attention_problem_t *problem;
  const attention_vector_kernel_t *kernel;
  uint32_t share;  // rows of a unit for each vector core, at most
  // Flags of a tile: MTE2 to V, V to MTE3, MTE3 back to MTE2.
  ring_t tile_full, tile_done, tile_back;
  uint32_t out;             // uses of out_ring so far
  const vector_walk_t *at;  // the walk whose part is being pushed
};

// Hooks that a kernel may add to the above; NULL: none.  A kernel without hooks links
// attention_vector_plain.c, one with hooks fills in a table of its own behind attention_vector_impl.h.
// Either way the compiler knows the table, and no instruction asks for a hook.
typedef struct attention_vector_hooks {
  // Source of keys: the vector cores make what the cube cores multiply by.  UB and rings before all
  // else; before the first chunk; loads, as many as there is room for, before those of a chunk; before
  // and after a chunk; at the end.
  void (*open)(vector_core_t *core);
  void (*start)(vector_core_t *core);
  void (*load)(vector_core_t *core);
  void (*before)(vector_core_t *core, const vector_walk_t *walk);
  void (*after)(vector_core_t *core, const vector_walk_t *walk);
  void (*close)(const vector_core_t *core);
  // Mask of rows: what it loads with a chunk's scores; -inf for what a row does not see; once the
  // chunk's m is there.
  void (*load_mask)(const vector_core_t *core, const chunk_t *chunk);
  void (*mask)(const vector_core_t *core, const chunk_t *chunk);
  void (*weigh)(const vector_core_t *core, const chunk_t *chunk);
  // End of rows: a unit's m and l are final.
  void (*finish_rows)(vector_core_t *core);
  // O stays in UB: V2's sum of a chunk, T at its tile; of a unit's last block it is left in the tile.
  void (*sum_output)(const vector_core_t *core, const chunk_t *chunk);
  // Does the chunk begin a part of S or T that the cube core stores by itself, end one of P that it loads by itself?
  bool (*begins_part)(const vector_core_t *core);
  bool (*ends_part)(const vector_core_t *core);
  uint32_t (*type)(const vector_core_t *core);  // of P and of the output; TYPE_BF16
  bool order_frees_scores;                      // as in attention_cube_hooks_t
  bool deals_evenly;                            // a unit's rows, and not those of the largest unit, are split evenly
  bool wide_maxima;                             // see row_maxima
  bool never_splits;                            // args.splits is 1
} attention_vector_hooks_t;

static const ring_t out_ring = {PIPE_V, PIPE_MTE3, TILE_SLOTS, OUT_SLOTS, OUT_RING_BASE, OUT_SLOT};

// UB address of a row's value; row is a multiple of 8.
static inline uint32_t row_value(uint32_t values, uint32_t row) {
  return ROW_VALUES_BASE + values * ROW_VALUES_BYTES + 4 * row;
}

// Place of an x2 value in a turn.  Values of the turn before a unit's first (-1 as uint32_t may be
// it) are the state before the unit.
static inline uint32_t row_pair(uint32_t values, uint32_t turn) { return values + turn % 2; }

// Place of a value x ROW_TURNS in a turn, which V2 reads a while later.
static inline uint32_t row_turn(uint32_t values, uint32_t turn) { return values + turn % ROW_TURNS; }

static inline const attention_place_t *walk_place(const vector_walk_t *walk) { return &walk->place[walk->turn.stage]; }

// Bits of FP32 constants: firmware has no floating point.
enum f32_bits {
  F32_ZERO = 0,
  F32_ONE = 0x3f800000,
  F32_MINUS_INFINITY = (int)0xff800000,
};

// Vector operations on n row values, and on a chunk's tile; further fields as in commands.def.
#define row_op(n, ...)                                                                          \
  vector_op(.rows = 1, .cols = (n), .dst_pitch = ROW_VALUES_BYTES, .a_pitch = ROW_VALUES_BYTES, \
            .b_pitch = ROW_VALUES_BYTES, .c_pitch = ROW_VALUES_BYTES, __VA_ARGS__)
#define tile_op(chunk, ...) \
  vector_op(.rows = (chunk)->rows, .cols = (chunk)->cols, .a_pitch = (chunk)->pitch, __VA_ARGS__)
// In place.
#define tile_update(chunk, ...) \
  tile_op(chunk, .dst = (chunk)->tile, .dst_pitch = (chunk)->pitch, .a = (chunk)->tile, __VA_ARGS__)

// b as one value for all, or one a row: the last arguments of row_op, tile_op and tile_update.
#define by_scalar(bits) .b_kind = OPERAND_SCALAR, .scalar = (uint32_t)(bits)
#define by_row(values) .b_kind = OPERAND_ROW, .b = (values)

// All units of this core; then the splits are merged.  A kernel with hooks of its own defines it.
void attention_vector(const attention_problem_t *problem, const attention_vector_kernel_t *kernel);

// ---- For the kernels ----

// Address of a row of this core in O.
uint64_t attention_o_row(const vector_core_t *core, uint32_t row);

// MTE3 part of an out slot: rows to global memory, then on to the next slot.
void attention_store(vector_core_t *core, uint32_t rows, uint32_t ub_pitch, uint64_t gm, uint32_t gm_pitch,
                     uint32_t row_bytes, uint32_t op);

// ---- For the parts of a vector core ----

// m and l, or O of a split, by its unit; row of the unit.
uint64_t attention_split_ml(const attention_problem_t *problem, uint32_t unit, uint32_t row);
uint64_t attention_split_o(const attention_problem_t *problem, uint32_t unit, uint32_t row);

// divisor = 1 where l, n row values at `sums`, is 0.
void attention_divide_by_one(uint32_t n, uint32_t sums, uint32_t divisor);

// The chunk's O / the row values at `divisor`, as what is stored, in place.
void attention_divide(const vector_core_t *core, const chunk_t *chunk, uint32_t divisor);

// Address of row `row` of the unit in the output; bytes of a row.
uint64_t attention_out_row(const vector_core_t *core, const attention_unit_t *unit, uint32_t row);
uint32_t attention_out_bytes(const vector_core_t *core);

// Every unit of this core is in global memory: waits for the other cores', and merges its share.
void attention_merge(vector_core_t *core, uint32_t tile);

#endif
