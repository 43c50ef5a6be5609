// The kernel flash as cube and vector cores see it: attention's problem, with units of its own.
//
//   C1(j), V1(j), C2(j)  as in base
//   V2(j)  vector        O = fma(O, M_up, T_j), O in UB for the whole unit
//
// A loop C2(j) .. V2(j) passes global memory twice and cores three times.  That takes longer than V1 of
// a block, so V2 is up to two blocks behind V1, and C1 up to three ahead of C2 (flash_plan).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FLASH_FLASH_PROBLEM_H
#define AMALGAM_SW_KERNELS_FLASH_FLASH_PROBLEM_H

#include <stdbool.h>

#include "hal/hal.h"
#include "kernels/attention/attention_problem.h"
#include "kernels/flash/flash_args.h"
#include "kernels/flash/flash_deal.h"
#include "lib/tiling.h"

// 1 in builds as an operation of a list (kernels/step), which sets args; else these are at REG_ARGS.
#ifndef FLASH_IN_LIST
#define FLASH_IN_LIST 0
#endif
// 1 in the build with sinks, a cap of the scores, and keys and values in pages: what asks for these takes the scalar
// cores a time that the build without them does not have.
#ifndef FLASH_MORE
#define FLASH_MORE 0
#endif
enum { FLASH_HAS_SINKS = FLASH_IN_LIST || FLASH_MORE };

typedef struct flash_problem {
  attention_problem_t attention;
  const flash_args_t *args;
  flash_deal_t deal;
  uint32_t left_bytes;  // of a tile of Q or P in L1
} flash_problem_t;

// All attention_problem_t of this kernel are in one of these.
static inline const flash_problem_t *flash_problem(const attention_problem_t *problem) {
  return (const flash_problem_t *)problem;
}

enum { FLASH_P_SLOTS = FLASH_BLOCK / ATTENTION_TILE };

// A unit that sees no key has one block of EMPTY_KEYS masked keys, or of all keys if these are fewer.
enum { FLASH_EMPTY = 1u << 30, FLASH_EMPTY_KEYS = 16 };

static inline bool flash_is_empty(const attention_unit_t *unit) { return unit->first_block == FLASH_EMPTY; }

// Keys of the unit's batch entry.
uint32_t flash_length(const flash_problem_t *problem, const attention_unit_t *unit);

// Nothing hides the moves of a core's first scores and last output. So they come to the vector cores in parts, so many
// rows of each at a time, if the unit has a whole group's rows.
enum { FLASH_CORES = 2, FLASH_PARTS = 2, FLASH_PART = FLASH_GROUP / FLASH_CORES / FLASH_PARTS };

static inline bool flash_in_parts(const attention_unit_t *unit) {
  return unit->rows == FLASH_GROUP && hal_read(REG_SUB_COUNT) == FLASH_CORES;
}

// The last P and output, of one tile.
static inline bool flash_ends_in_parts(const attention_problem_t *problem, const attention_unit_t *unit,
                                       uint32_t turn) {
  return turn + 1 == problem->turns && problem->args.dv <= ATTENTION_TILE && flash_in_parts(unit);
}

// ---- Hooks ----

void flash_read(attention_problem_t *problem);
void flash_plan(attention_problem_t *problem);
attention_unit_t flash_unit(const attention_problem_t *problem, uint32_t index);
uint32_t flash_block_keys(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t block);

#endif
