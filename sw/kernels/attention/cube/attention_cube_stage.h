// Private to the cube core's part: what C1 and C2 are made of, a kernel's hooks, and the rings of
// buffers.
//
// Functions are static so that the compiler may take a walk apart: a step's path is short.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_STAGE_H
#define AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/attention/cube/attention_cube.h"
#include "lib/ring.h"
#include "lib/tiling.h"

// Fields that a kernel has of its own in a stage, in a walk and in the cube core's state, and what a stage that is
// through adds to the walk's; it defines them before it includes this.
#ifndef ATTENTION_CUBE_OWN
#define ATTENTION_CUBE_OWN
#endif
#ifndef ATTENTION_STAGE_OWN
#define ATTENTION_STAGE_OWN
#define ATTENTION_WALK_OWN
#define ATTENTION_WALK_NEXT(walk, stage) (void)(stage)
#endif

enum {
  TILE = ATTENTION_TILE,
  LOADS_A_STEP = 4,
  L0_HALF = ATTENTION_L0_KB * 1024,
  L0C_HALF = ATTENTION_L0C_KB * 1024,
};

typedef struct stage {
  bool output;           // C2, else C1
  uint32_t turn, block;  // the block among all of this core's, and of the unit
  uint32_t n, k;         // columns of the result, inner dimension
  uint32_t base;
  uint32_t n_pieces, k_pieces, m_tiles;
  // k is cut evenly, at strips (a short MMAD would be over before the next one's operands are
  // there): the first long_pieces have a strip more than the others' `piece`.
  uint32_t piece, long_pieces;
  uint64_t left, right;  // L and R in global memory, and their pitches
  uint32_t left_pitch, right_pitch;
  uint32_t steps_of_n;  // k_pieces * m_tiles
  bool loads_left;      // L comes into L1 in this stage
  bool frees_left;      // and is not needed after it
  ATTENTION_STAGE_OWN
} stage_t;

typedef enum walk_kind { WALK_RIGHT, WALK_LEFT, WALK_USE } walk_kind_t;

// A walk's step.  The loads' walks leave out the steps that find R or L in L1.
typedef struct walk {
  walk_kind_t kind;
  bool more;                        // else there is no step left
  attention_place_t place[STAGES];  // of C1 and of C2, which is behind
  preload_step_t turn;              // of the plan
  stage_t stage;
  uint32_t n, m, k;
  uint32_t n_end, m_end;         // of this walk in this stage
  uint32_t start, depth;         // the step's part of k
  uint32_t number;               // of this step among all
  uint32_t left_use, right_use;  // of the rings: its tile of L and piece of R
  uint32_t left_kind;            // 1: L is P and has a ring of its own
  // Before this stage: steps, uses of the rings, results.
  uint32_t steps;
  uint32_t right, left[2], results;  // left: by left_kind
  ATTENTION_WALK_OWN
} walk_t;

// Shared by the steps of a result.
typedef struct result {
  uint32_t rows, cols;
  uint32_t left_pitch;  // of L's strips in L1
  uint32_t number, l0c;
  uint32_t transpose;
  // Do its steps bring their tile of L or piece of R, do they give it back?
  bool brings_left, brings_right, frees_left, frees_right;
} result_t;

typedef struct cube {
  const attention_problem_t *problem;
  const attention_output_t *output;
  attention_tiling_t tiling;
  bool resident;        // Q stays in L1
  uint8_t left_slots;   // of Q and of P; of both if they share
  uint8_t right_first;  // buffers before those for R
  uint32_t products;    // uses of ring l0 so far
  result_t result;
  // Pushed so far: uses that have a buffer, by what gave buffers back; C1 stages.
  uint32_t left_room[2], right_room;
  uint32_t scores;
  uint32_t lag;  // C1 stages that are pushed before P_j is waited for, j counted
  ATTENTION_CUBE_OWN
} cube_t;

// ---- Hooks ----

// Hooks with which a kernel replaces steps of base and amla; 0 or NULL: as they do it.  A kernel without hooks
// links attention_cube_plain.c, one with hooks fills in a table of its own behind attention_cube_impl.h.  Either
// way the compiler knows the table, and no instruction asks for a hook.
typedef struct attention_cube_hooks {
  // An MMAD's depth, if the tiling is one of the kernel's own: L and R are kept, m-tiles outside of k,
  // two halves of L0 and L0C, and k cut at stripes.
  uint32_t own_base;
  bool whole_pieces;        // and that is a stripe
  uint32_t lag;             // C1 stages that are pushed before P_j is waited for, j counted
  uint32_t slots;           // of S, P and T; ATTENTION_SLOTS
  bool order_frees_scores;  // C1 is less than `slots` ahead of C2, so S_j has been read when its slot is next
  uint32_t (*type)(const cube_t *cube);  // of Q, K, P and V; TYPE_BF16
  // V2 may wait for C2(j) before all V1 are pushed whose P the cube core may wait for: it waits for P_j+1 once
  // C2(j) is all pushed.
  bool outputs_in_turn;
  // Is the stage one that ends the walk of uses, because it is the kernel's own to finish?  That, from there on.
  bool (*finishes)(const cube_t *cube, const walk_t *use);
  void (*finish)(cube_t *cube, walk_t *right, walk_t *use);
  // C1(0), of one m-tile, is pushed before all else, its first loads before the rings are opened.  This stores its
  // results, and raises the flag, if they go in the kernel's own way; else false.
  bool (*store_first)(cube_t *cube, const walk_t *walk);
  // Keys: a block's first in K and V; the next load of R; is a block's R loaded behind its C1 only?
  uint64_t (*first_key)(const cube_t *cube, const attention_unit_t *unit, const stage_t *stage);
  void (*load_right)(const cube_t *cube, const walk_t *walk);
  bool right_behind_scores;
  void (*multiply)(cube_t *cube, const walk_t *walk);  // a step of a stage whose R others bring
  // Sets ATTENTION_STAGE_OWN and, before the first stage, ATTENTION_WALK_OWN.
  void (*enter_stage)(const cube_t *cube, stage_t *stage);
  void (*start_walk)(walk_t *walk);
} attention_cube_hooks_t;

static const attention_cube_hooks_t cube_hooks;

// ---- The tiling ----

static inline bool keeps(const cube_t *cube) { return cube_hooks.own_base != 0 ? true : cube->tiling.keep; }
static inline bool k_inside(const cube_t *cube) { return cube_hooks.own_base != 0 ? true : cube->tiling.m_first; }
static inline uint32_t score_slots(void) { return cube_hooks.slots != 0 ? cube_hooks.slots : ATTENTION_SLOTS; }
static inline uint32_t halves(const cube_t *cube) { return cube_hooks.own_base != 0 ? 2 : cube->tiling.halves; }

// ---- Buffers ----

// L1 as attention_l1.h or a kernel's own has it: does R come into it without MTE2; columns of a result;
// buffers of Q if there is only one m-tile; buffers for L, their bytes and where they begin, kind 0 for Q
// and 1 for P; where those for R begin.
static inline bool others_bring_right(const stage_t *stage);
static inline uint32_t tile_n(const stage_t *stage);
static inline uint32_t q_slots(const attention_problem_t *problem);
static inline uint8_t left_slots(const cube_t *cube, uint32_t kind);
static inline uint32_t left_bytes(const cube_t *cube, uint32_t kind);
static inline uint32_t left_base(const cube_t *cube, uint32_t kind);
static inline uint32_t right_base(const cube_t *cube);

// Rings as values, so that the compiler knows what of them is constant.

static inline ring_t left_ring(const cube_t *cube, uint32_t kind) {
  const uint32_t first = kind == 0 ? 0 : cube->left_slots;
  return (ring_t){
      PIPE_MTE2, PIPE_MTE1, (uint8_t)first, left_slots(cube, kind), left_base(cube, kind), left_bytes(cube, kind)};
}

static inline ring_t right_ring(const cube_t *cube) {
  return (ring_t){PIPE_MTE2,        PIPE_MTE1,          cube->right_first, (uint8_t)cube->tiling.right,
                  right_base(cube), cube->tiling.buffer};
}

// A use is what one MMAD multiplies: a part of L0A and the same of L0B.
static inline ring_t l0_ring(const cube_t *cube) {
  return (ring_t){PIPE_MTE1, PIPE_M, 0, (uint8_t)halves(cube), 0, L0_HALF};
}

static inline ring_t l0c_ring(const cube_t *cube) {
  return (ring_t){PIPE_M, PIPE_FIX, 0, (uint8_t)halves(cube), 0, L0C_HALF};
}

#endif
