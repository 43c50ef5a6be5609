// One AI core's view of an attention problem: what its cube core and vector cores must agree on.
//
// The rows of a unit (a group of queries and a run of keys, see attention_args.h) meet the keys
// block by block; blocks are numbered within the unit:
//
//   C1(j)  cube    S_j = Q K_j^T                        -> slot j % 2 of workspace s
//   V1(j)  vector  P_j, m, l from scale * S_j           -> slot j % 2 of workspace p
//   C2(j)  cube    P_j V_j
//   V2(j)  vector  the kernel's own
//
// Which of these comes when is the plan's (lib/preload.h), the same for every unit.  A unit's
// workspace is its AI core's.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_ATTENTION_PROBLEM_H
#define AMALGAM_SW_KERNELS_ATTENTION_ATTENTION_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/attention/attention_args.h"
#include "kernels/attention/attention_tiling.h"
#include "lib/preload.h"

// Cross-core flags, each with its setter and its waiter.  A slot of p or t needs no "free" flag:
// see attention_vector.h.
enum attention_flag {
  FLAG_S_READY,     // cube FIX -> vector MTE2: S_j is in its slot
  FLAG_S_FREE,      // vector MTE2 -> cube FIX: S_j was read, its slot may take S_j+2
  FLAG_P_READY,     // vector MTE3 -> cube MTE2: P_j is in its slot
  FLAG_T_READY,     // base: cube FIX -> vector MTE2: T_j = P_j V_j is in its slot
  FLAG_O_ADDED,     // amla: cube FIX -> vector MTE3: O holds P_j V_j, rescale for block j+1
  FLAG_O_RESCALED,  // amla: vector MTE3 -> cube FIX: add P_j V_j
  FLAG_O_COMPLETE,  // amla: cube FIX -> vector MTE2: O holds the last block's product
  FLAG_KERNEL,      // a kernel's own from here
};

// The pairs of a plan.
enum { STAGE_SCORES, STAGE_OUTPUT, STAGES };

typedef struct attention_problem {
  attention_args_t args;  // s, p, t, o: this AI core's
  attention_tiling_t tiling;
  preload_plan_t plan;
  bool output_every_block;
  uint32_t blocks;      // of keys, all splits
  uint32_t group_rows;  // at most, of a unit
  uint32_t groups;      // of a batch entry
  uint32_t units;       // of all AI cores
  uint32_t first_unit;  // of this one
  uint32_t unit_step;
  uint32_t turns;  // blocks of all its units
} attention_problem_t;

typedef struct attention_unit {
  uint32_t index;
  uint32_t entry;      // of the batch
  uint32_t first_row;  // of the entry
  uint32_t rows;
  uint32_t first_block;
  uint32_t blocks;  // 1 or more
  uint32_t split;
} attention_unit_t;

// A place in the blocks of all units of this AI core, one unit's after the other's.  A block's
// number in this row is its turn; the plan runs over turns, so that a unit's first stages fill the
// time in which the last ones of the unit before would wait for each other.
typedef struct attention_place {
  attention_unit_t unit;
  uint32_t ordinal;  // of the unit among this AI core's
  uint32_t before;   // turns before the unit's first
  uint32_t block;    // of the unit
} attention_place_t;

// Hooks with which a kernel replaces steps of base and amla; NULL: as they do it.  A kernel without hooks links
// attention_problem_plain.c, one with hooks fills in a table of its own behind attention_problem_impl.h.
// Either way the compiler knows the table, and no instruction asks for a hook.
typedef struct attention_problem_hooks {
  const attention_args_t *(*args)(const attention_problem_t *problem);  // NULL: at REG_ARGS
  void (*read)(attention_problem_t *problem);                           // arguments of its own, after all others
  void (*plan)(attention_problem_t *problem);                           // changes to the plan
  bool plans_alone;  // all of the plan is plan's: no search, which takes the scalar cores most of a microsecond
  uint32_t slots;    // of S, P and T; ATTENTION_SLOTS
  attention_unit_t (*unit)(const attention_problem_t *problem, uint32_t index);
  uint32_t (*block_keys)(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t block);
} attention_problem_hooks_t;

// Reads the kernel's arguments; panics if they are outside of its limits.  output_every_block: is
// there a V2 in every block, or after a unit's last only?
void attention_problem_read(attention_problem_t *problem, bool output_every_block);

// Any index is allowed; one beyond the last is not to be used but for its index.
attention_unit_t attention_unit(const attention_problem_t *problem, uint32_t index);

// To the first turn, to a later one.
attention_place_t attention_first_place(const attention_problem_t *problem);
void attention_move(const attention_problem_t *problem, attention_place_t *place, uint32_t turn);

// Keys of a unit's block (the last one of all may have less than args.block) and the first of them.
uint32_t attention_block_keys(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t block);
uint32_t attention_first_key(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t block);

// Address of a turn's scores and probabilities, [G][args.block].
uint64_t attention_scores(const attention_problem_t *problem, uint32_t turn);
uint64_t attention_probabilities(const attention_problem_t *problem, uint32_t turn);

#endif
