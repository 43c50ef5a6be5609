// Kernel fp8's additions to amla: keys made by the vector cores out of an FP8 cache, places that are
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
// V1(j) waits for C2(j-1) when it rescales O, and so do its later commands in MTE3; so V0(j+2) comes before
// that, or with preload 1 as much of it as the ring takes.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FP8_FP8_PROBLEM_H
#define AMALGAM_SW_KERNELS_FP8_FP8_PROBLEM_H

#include "kernels/attention/attention_problem.h"
#include "kernels/fp8/fp8_args.h"

// 1 in the build for the direct path, fp8_direct.
#ifndef FP8_DIRECT
#define FP8_DIRECT 0
#endif

// 1 in builds as an operation of a list (kernels/step), which sets args; else these are at REG_ARGS.
#ifndef FP8_IN_LIST
#define FP8_IN_LIST 0
#endif

enum {
  // On the direct path V0(j + 2) may wait for C1(j + 1), but V0(j + 3) for C2(j), which V1(j) is for.
  FP8_AHEAD = FP8_DIRECT ? 2 : 3,
};

// Cross-core flags beside AMLA's; with crossover flags of both kinds, and all cores of the pair take
// part.
enum fp8_flag {
  FLAG_KV_READY = FLAG_KERNEL,  // vector MTE3 -> cube MTE2: this core's share of K_j is in its slot
  FLAG_KV_FREE,                 // cube MTE2 -> vector MTE3: C1(j) and C2(j) have loaded K_j
  // With the direct path also, for each slot of the ring of keys in L1:
  FLAG_K_READY,  // vector MTE3 -> cube MTE1: this core's share of the slot is there
  FLAG_K_FREE,   // cube MTE1 -> vector MTE3: C1 has read the slot
};

typedef struct fp8_problem {
  attention_problem_t attention;  // args.k and args.v are the workspace of keys
  const fp8_args_t *args;         // in the core's window
  uint32_t side;                  // of the pair
  // L1: tiles of Q, then of P, with two m-tiles by turns; then pieces of K and V.
  uint8_t q_slots, p_slots;
  uint32_t left_base[2], left_bytes[2];  // of Q, of P
  uint32_t right_base;
  // Direct path, in L1 behind those: the ring of keys, and keys of a slot, which is where C1's columns
  // are cut.
  uint32_t direct_base, direct_slots, direct_keys;
} fp8_problem_t;

// All attention_problem_t of this kernel are in one of these.
static inline const fp8_problem_t *fp8_problem(const attention_problem_t *problem) {
  return (const fp8_problem_t *)problem;
}

// ---- Hooks of attention (attention_problem.h) ----

void fp8_problem_read(attention_problem_t *problem);
attention_unit_t fp8_unit(const attention_problem_t *problem, uint32_t index);
uint32_t fp8_block_keys(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t block);
// The direct path needs a plan with C1(j+1) before C2(j), and C1(j+2) is better.
void fp8_plan(attention_problem_t *problem);

// ---- For the kernel's cores ----

// Places of a unit's list.
uint32_t fp8_places(const fp8_problem_t *problem, const attention_unit_t *unit);
uint32_t fp8_entry(const fp8_problem_t *problem, const attention_unit_t *unit);

// In a slot of workspace kv: where a panel has a key, and its bytes from key to key.  column: its first.
static inline uint64_t fp8_panel(const attention_args_t *args, uint64_t slot, uint32_t key, uint32_t column,
                                 uint32_t *pitch) {
  *pitch = 2 * (column < FP8_CODES ? FP8_GROUP : FP8_DK - FP8_CODES);
  return slot + 2 * args->block * column + key * *pitch;
}

// In L1, by the uses of the ring: strips of 16 columns, one after the other.
static inline uint32_t fp8_direct_slot(const fp8_problem_t *problem, uint32_t use) {
  return problem->direct_base + use % problem->direct_slots * problem->direct_keys * 2 * FP8_DK;
}

#endif
