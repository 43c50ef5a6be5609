// One AI core's view of an attention problem: what its cube core and vector cores must agree on.
//
// The queries of a batch entry (rows = heads x query tokens) meet the keys block by block:
//
//   C1(j)  cube    S_j = Q K_j^T                        -> slot j % 2 of workspace s
//   V1(j)  vector  P_j, m, l from scale * S_j           -> slot j % 2 of workspace p
//   C2(j)  cube    P_j V_j
//
// and what becomes of C2's result is the kernel's own.  The cube core takes C1 `preload` blocks
// ahead of C2.  AI core i of n takes the batch entries i, i + n, ... and has a workspace of its
// own.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_ATTENTION_PROBLEM_H
#define KERNELS_ATTENTION_PROBLEM_H

#include <stdint.h>

#include "kernels/attention_args.h"

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
};

typedef struct attention_problem {
  attention_args_t args;  // s, p, t, o: this AI core's
  uint32_t blocks;        // of keys
  uint32_t preload;       // at most blocks
  uint32_t first_entry;   // batch entries of this AI core
  uint32_t entry_step;
} attention_problem_t;

// Reads the kernel's arguments; panics if they are outside of its limits.
void attention_problem_read(attention_problem_t *problem);

// Keys of a block; the last one may have less than args.block.
uint32_t attention_block_keys(const attention_problem_t *problem, uint32_t block);

// Where a block's scores and probabilities are, [rows][args.block].
uint64_t attention_scores(const attention_problem_t *problem, uint32_t block);
uint64_t attention_probabilities(const attention_problem_t *problem, uint32_t block);

#endif
