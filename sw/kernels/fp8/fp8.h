// What kernel fp8 adds to amla: keys made by the vector cores out of an FP8 cache, places that are
// masked, sinks, and the log-sum-exp.
//
//   V0(j)  vector  K_j: e4m3 codes times scales to BF16, RoPE  -> slot j % FP8_KV_SLOTS of workspace kv
//   C1(j), C2(j)   as in amla, K and V from there; V1(j) masks what is masked
//
//              KV_READY                        KV_FREE
//   V0(j) ---------------> C1(j) ... C2(j) ---------------> V0(j + FP8_KV_SLOTS)
//
// The vector cores take V0 a few keys at a time between the chunks of V1, FP8_AHEAD blocks ahead of
// it.  With crossover the four (SUB_COUNT each) vector cores of a pair share a block's keys, and every
// flag above goes to, and comes from, both AI cores.
//
// On the direct path the flags above are the values', and keys go round a ring of slots in L1, in the
// order in which C1 takes them, so that V0 cannot run ahead as far:
//
//              K_READY                  K_FREE
//   V0(j) ---------------> C1(j) ---------------> V0, a round later
//
//   cube    C1(j+2)              C2(j)                C1(j+3)
//   vector  V0(j+2), its rest    V1(j+1), V0(j+3)     V0(j+3), its rest
//                                as far as the ring
//
// V1(j) waits for C2(j-1) when it rescales O, and what follows in MTE3 with it; so V0(j+2) comes before
// that, or with preload 1 as much of it as the ring takes.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_FP8_H
#define KERNELS_FP8_H

#include "kernels/attention/attention_problem.h"
#include "kernels/attention/attention_vector.h"

enum {
  // On the direct path V0(j + 2) may wait for C1(j + 1), but V0(j + 3) for C2(j), which V1(j) is for.
  FP8_AHEAD = FP8_DIRECT ? 2 : 3,
};

// ---- The problem (fp8_problem.c) ----

void fp8_problem_read(attention_problem_t *problem);
attention_unit_t fp8_unit(const attention_problem_t *problem, uint32_t index);
uint32_t fp8_block_keys(const attention_problem_t *problem, const attention_unit_t *unit,
                        uint32_t block);
// The direct path needs a plan with C1(j+1) before C2(j), and C1(j+2) is better.
void fp8_plan(attention_problem_t *problem);
// Cycles of V0 of so many keys.
uint32_t fp8_estimate(const attention_problem_t *problem, uint32_t keys);
// Places of a unit's list.
uint32_t fp8_places(const attention_problem_t *problem, const attention_unit_t *unit);
uint32_t fp8_entry(const attention_problem_t *problem, const attention_unit_t *unit);

// In a slot of workspace kv: where a panel has a key, and its bytes from key to key.  column: its first.
static inline uint64_t fp8_panel(const attention_args_t *args, uint64_t slot, uint32_t key,
                                 uint32_t column, uint32_t *pitch) {
  *pitch = 2 * (column < FP8_CODES ? FP8_GROUP : FP8_DK - FP8_CODES);
  return slot + 2 * args->block * column + key * *pitch;
}

#if FP8_DIRECT
// In L1, by the uses of the ring: strips of 16 columns, one after the other.
static inline uint32_t fp8_direct_slot(const attention_problem_t *problem, uint32_t use) {
  return problem->direct_base + use % problem->direct_slots * problem->direct_keys * 2 * FP8_DK;
}
#endif

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
