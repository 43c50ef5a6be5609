// A vector core of kernel fp8: what it does beside AMLA's V1, by hooks of attention_vector.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FP8_FP8_VECTOR_H
#define AMALGAM_SW_KERNELS_FP8_FP8_VECTOR_H

#include "kernels/fp8/fp8_ub.h"

#include "kernels/attention/vector/attention_vector.h"
#include "kernels/fp8/fp8_problem.h"

// Row values of its own.
enum fp8_row_values {
  ROW_SINK = 22,  // exp(sink - m), then l plus that
  ROW_PLACES,     // a bit a place of the block at hand
  ROW_FP8_END
};
_Static_assert((int)ROW_FP8_END <= (int)ROW_VALUES, "row values do not fit in UB");

// A place in the making of keys, a few of a block's at a time.
typedef struct keys_walk {
  attention_place_t place;
  uint32_t turn;
  uint32_t keys;  // of the block
#if FP8_DIRECT
  uint32_t part, parts;  // a slot of the ring: of the block, of all
#endif
  uint32_t tiles;       // of this core before the next one, in the block
  uint32_t first, end;  // of the part's keys this core's
  uint32_t at;          // the next of them
  uint32_t use;         // of the ring
  bool none;            // the list has no places
  // The block's slot; its list's numbers, or 0; the entry's first token; its first place.
  uint64_t slot, list, tokens;
  uint32_t page, place_before;
} keys_walk_t;

typedef struct fp8_core {
  vector_core_t vector;
  keys_walk_t load, use;
  uint32_t score_rows;        // of a tile in V1 and V2
  ring_t raw_full, raw_back;  // of tokens: MTE2 to V, MTE3 to MTE2
} fp8_core_t;

// All vector_core_t of this kernel are in one of these.
static inline fp8_core_t *fp8_core(vector_core_t *core) { return (fp8_core_t *)core; }
static inline const fp8_core_t *fp8_core_const(const vector_core_t *core) { return (const fp8_core_t *)core; }

// ---- Keys (fp8_keys.c) ----

// UB by the rows there are.
void fp8_keys_open(vector_core_t *core);
// Before the first stage: V0 of the first blocks.
void fp8_keys_start(vector_core_t *core);
// Loads, as many as there is room for.
void fp8_keys_load(vector_core_t *core);
// Before and after a chunk of V1, before MTE3 waits for C2: the part of V0 that is due.
void fp8_keys_before(vector_core_t *core, const vector_walk_t *walk);
void fp8_keys_before_rescale(vector_core_t *core);
void fp8_keys_after(vector_core_t *core, const vector_walk_t *walk);
void fp8_keys_close(const vector_core_t *core);

// ---- Rows (fp8_rows.c) ----

// With a chunk's scores: the numbers of its tokens, its rows' sinks.
void fp8_load_masks(const vector_core_t *core, const chunk_t *chunk);
// -inf for what a row does not see.
void fp8_mask(const vector_core_t *core, const chunk_t *chunk);
void fp8_weigh_sink(const vector_core_t *core, const chunk_t *chunk);
// A unit's m and l are final: lse; l with the sinks' share, at ROW_SINK.
void fp8_finish_rows(vector_core_t *core);

#endif
