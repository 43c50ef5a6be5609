// The Preload pipeline: in which order cube and vector cores take the stages of a chain that every
// block of data runs through,
//
//   C1(j) -> V1(j) -> C2(j) -> V2(j) -> ... -> Cn(j) -> Vn(j)        for each block j
//
// so that in the steady state neither waits for the other (AMLA paper, section 4.1, appendix B).
//
// A plan is one cycle, run over and over: an order of the n cube stages, an order of the n vector
// stages, and for every stage its lag, the number of blocks it is behind C1.  In cycle t a stage
// with lag d takes block t - d; where there is no such block (prologue and drain) it is left out.
// A dependency between stages of equal lag is internal to the cycle, one between a lag and the next
// is external.  The Preload count is the lag of Vn: the C1 stages that run before the first cycle
// in which every stage has work; 2n - 1 less the internal dependencies (lemma B.1).
//
// A plan keeps pace if one cycle fits in T = max(sum of C, sum of V), both cores starting together:
// the busier core's stages back to back, and each internal dependency met.  External ones are met
// as the cycle before has ended.  Cores that go by their sequences and the dependencies alone,
// without waiting for each other where a cycle ends, are never later than that.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_LIB_PRELOAD_H
#define AMALGAM_SW_LIB_PRELOAD_H

#include <stdbool.h>
#include <stdint.h>

enum { PRELOAD_MAX_PAIRS = 6 };

// A stage's number is its pair's, 0 for C1 and V1.
typedef struct preload_plan {
  uint32_t pairs;
  uint32_t count;  // Preload count
  uint8_t cube_order[PRELOAD_MAX_PAIRS];
  uint8_t vector_order[PRELOAD_MAX_PAIRS];
  uint8_t cube_lag[PRELOAD_MAX_PAIRS];
  uint8_t vector_lag[PRELOAD_MAX_PAIRS];
} preload_plan_t;

// The plan of the smallest Preload count that keeps pace with these durations (any unit; 0 is
// allowed, a pair without a vector stage has 0 there); of those, C1 C2 .. Cn and V1 V2 .. Vn if
// possible.  The count is at most pairs (theorem B.1); it is pairs where a stage takes so long that
// none of the other core's fits beside it (lemma B.2), and often less.
// 1 <= pairs <= PRELOAD_MAX_PAIRS.
//
// The search is exhaustive: under 2000 RV64 instructions for two pairs, some 15 thousand for three,
// and about ten times as many for each pair more (30 million for six).
void preload_plan(preload_plan_t *plan, uint32_t pairs, const uint32_t cube[], const uint32_t vector[]);

// Limits the chain to a smaller Preload count: 0 runs every stage of a block before the next
// block's C1.  Lags above count become count; orders are set so that every internal dependency is
// met.  (For comparison; cube and vector cores may wait for each other.)
void preload_limit(preload_plan_t *plan, uint32_t count);

// A place in a core's sequence of stages.
typedef struct preload_step {
  uint32_t cycle;
  uint32_t position;  // in the cycle
  uint32_t stage;     // pair's number
  uint32_t block;
} preload_step_t;

// The first stage and the next; false when there is no more.  cube: the cube core's sequence, else
// the vector cores'.  blocks < 2^31.  A stage that does not exist (duration 0) is there too: pass
// it over, for waiting for what it would depend on delays the stages behind it.
bool preload_first(const preload_plan_t *plan, bool cube, uint32_t blocks, preload_step_t *step);
bool preload_next(const preload_plan_t *plan, bool cube, uint32_t blocks, preload_step_t *step);

#endif
