// Private to attention_cube.c: what C1 and C2 are made of, their rings of buffers, and the order in
// which a walk goes through the steps of all stages.
//
// Functions are static so that the compiler may take a walk apart: a step's path is short.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNELS_ATTENTION_CUBE_WALK_H
#define KERNELS_ATTENTION_CUBE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/attention/attention_cube.h"
#include "kernels/fp8/fp8.h"
#include "lib/ring.h"
#include "lib/tiling.h"

enum {
  TILE = ATTENTION_TILE,
  LOADS_A_STEP = 4,
  L0_HALF = 32 * 1024,
  L0C_HALF = 64 * 1024,
  STRIP_ROW = 32,  // bytes of a row of a fractal strip, 16 elements
};

typedef struct stage {
  bool output;  // C2, else C1
  uint32_t turn, block;  // the block among all of this core's, and of the unit
  uint32_t n, k;  // columns of the result, inner dimension
  uint32_t base;
  uint32_t n_pieces, k_pieces, m_tiles;
  // k is cut evenly, at strips (a short MMAD would be over before the next one's operands are
  // there): the first long_pieces have a strip more than the others' `piece`.
  uint32_t piece, long_pieces;
  uint64_t left, right;  // L and R in global memory, and their pitches
  uint32_t left_pitch, right_pitch;
  uint32_t steps_of_n;  // k_pieces * m_tiles
  bool loads_left;  // L comes into L1 in this stage
  bool frees_left;  // and is not needed after it
#if FP8_DIRECT
  bool direct;    // vector cores bring R into L1
  uint32_t tile;  // columns of a result
#endif
} stage_t;

typedef enum walk_kind { WALK_RIGHT, WALK_LEFT, WALK_USE } walk_kind_t;

// A walk's step.  The loads' walks leave out the steps that find R or L in L1.
typedef struct walk {
  walk_kind_t kind;
  bool more;  // else there is no step left
  attention_place_t place[STAGES];  // of C1 and of C2, which is behind
  preload_step_t turn;  // of the plan
  stage_t stage;
  uint32_t n, m, k;
  uint32_t n_end, m_end;  // of this walk in this stage
  uint32_t start, depth;         // the step's part of k
  uint32_t number;               // of this step among all
  uint32_t left_use, right_use;  // of the rings: its tile of L and piece of R
  uint32_t left_kind;            // 1: L is P and has a ring of its own
  // Before this stage: steps, uses of the rings, results.
  uint32_t steps;
  uint32_t right, left[2], results;  // left: by left_kind
#if FP8_DIRECT
  uint32_t keys;  // slots of the direct ring
#endif
} walk_t;

// What the steps of a result have in common.
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
  bool resident;      // Q stays in L1
  uint8_t left_slots;    // of Q and of P; of both if they share
  uint8_t right_first;   // buffers before those for R
  uint32_t products;  // uses of ring l0 so far
  result_t result;
  // Pushed so far: uses that have a buffer, by what gave buffers back; C1 stages.
  uint32_t left_room[2], right_room;
  uint32_t scores;
  uint32_t lag;  // C1 stages that are pushed before P_j is waited for, j counted
} cube_t;

// ---- The tiling ----

// fp8 has one of its own, of which this is constant.
static inline bool keeps(const cube_t *cube) { return ATTENTION_FP8 || cube->tiling.keep; }
static inline bool k_inside(const cube_t *cube) { return ATTENTION_FP8 || cube->tiling.m_first; }
static inline uint32_t halves(const cube_t *cube) {
  return ATTENTION_FP8 ? 2 : cube->tiling.halves;
}

// Columns of a result; do vector cores bring R into L1?
#if FP8_DIRECT
static inline uint32_t tile_n(const stage_t *stage) { return stage->tile; }
static inline bool is_direct(const stage_t *stage) { return stage->direct; }
#else
static inline uint32_t tile_n(const stage_t *stage) {
  (void)stage;
  return TILE;
}
static inline bool is_direct(const stage_t *stage) {
  (void)stage;
  return false;
}
#endif

// ---- Buffers ----

// Rings as values, so that the compiler knows what of them is constant.

// With one m-tile Q and P have buffers of their own, as many each, or fp8's numbers.
#if ATTENTION_FP8
static inline uint8_t left_slots(const cube_t *cube, uint32_t kind) {
  return kind == 0 ? cube->left_slots : cube->problem->p_slots;
}
#if FP8_DIRECT
static inline uint32_t left_bytes(const cube_t *cube, uint32_t kind) {
  return cube->problem->left_bytes[kind];
}
static inline uint32_t left_base(const cube_t *cube, uint32_t kind) {
  return cube->problem->left_base[kind];
}
static inline uint32_t right_base(const cube_t *cube) { return cube->problem->right_base; }
#else
// Tiles of Q and P have the same bytes.
static inline uint32_t left_bytes(const cube_t *cube, uint32_t kind) {
  (void)kind;
  return cube->problem->left_bytes[0];
}
#endif
static inline uint32_t q_slots(const attention_problem_t *problem) { return problem->q_slots; }
#else
static inline uint8_t left_slots(const cube_t *cube, uint32_t kind) {
  (void)kind;
  return cube->left_slots;
}
static inline uint32_t left_bytes(const cube_t *cube, uint32_t kind) {
  (void)kind;
  return cube->tiling.buffer;
}
static inline uint32_t q_slots(const attention_problem_t *problem) {
  return problem->tiling.left / 2;
}
#endif

#if !FP8_DIRECT
static inline uint32_t left_base(const cube_t *cube, uint32_t kind) {
  return (kind == 0 ? 0u : cube->left_slots) * left_bytes(cube, kind);
}
static inline uint32_t right_base(const cube_t *cube) {
  return cube->right_first * left_bytes(cube, 0);
}
#endif

static inline ring_t left_ring(const cube_t *cube, uint32_t kind) {
  const uint32_t first = kind == 0 ? 0 : cube->left_slots;
  return (ring_t){PIPE_MTE2, PIPE_MTE1, (uint8_t)first, left_slots(cube, kind),
                  left_base(cube, kind), left_bytes(cube, kind)};
}

static inline ring_t right_ring(const cube_t *cube) {
  return (ring_t){PIPE_MTE2, PIPE_MTE1, cube->right_first, (uint8_t)cube->tiling.right,
                  right_base(cube), cube->tiling.buffer};
}

// A use is what one MMAD multiplies: a part of L0A and the same of L0B.
static inline ring_t l0_ring(const cube_t *cube) {
  return (ring_t){PIPE_MTE1, PIPE_M, 0, (uint8_t)halves(cube), 0, L0_HALF};
}

static inline ring_t l0c_ring(const cube_t *cube) {
  return (ring_t){PIPE_M, PIPE_FIX, 0, (uint8_t)halves(cube), 0, L0C_HALF};
}

// ---- The sequence of stages and steps ----

// Of the block, in K and V.
static inline uint64_t first_key(const cube_t *cube, const attention_unit_t *unit,
                                 const stage_t *stage) {
  if (ATTENTION_FP8) {
    return stage->turn % FP8_KV_SLOTS * cube->problem->args.block;
  }
  return attention_first_key(cube->problem, unit, stage->block);
}

// What C1 multiplies, and C2.
static void scores_operands(const cube_t *cube, const attention_unit_t *unit, stage_t *stage) {
  const attention_args_t *args = &cube->problem->args;
  const uint64_t q_row = (uint64_t)unit->entry * args->rows + unit->first_row;
  const uint64_t key = first_key(cube, unit, stage);
  stage->left_pitch = 2 * args->dk;
  stage->left = args->q + q_row * stage->left_pitch;
  stage->right_pitch = args->k_pitch;
  stage->right = args->k + unit->entry * args->k_batch + key * args->k_pitch;
}

static void output_operands(const cube_t *cube, const attention_unit_t *unit, stage_t *stage) {
  const attention_args_t *args = &cube->problem->args;
  const uint64_t key = first_key(cube, unit, stage);
  stage->left_pitch = 2 * args->block;
  stage->left = attention_probabilities(cube->problem, stage->turn);
  stage->right_pitch = args->v_pitch;
  stage->right = args->v + unit->entry * args->v_batch + key * args->v_pitch;
}

static stage_t stage_at(const cube_t *cube, const attention_place_t *place,
                        const preload_step_t *turn) {
  const attention_problem_t *problem = cube->problem;
  const attention_tiling_t *tiling = &cube->tiling;
  const bool output = turn->stage == STAGE_OUTPUT;
  const attention_unit_t *unit = &place->unit;
  const uint32_t block = place->block;
  const uint32_t keys = attention_block_keys(problem, unit, block);
  stage_t stage = {.output = output,
                   .turn = turn->block,
                   .block = block,
                   .n = output ? problem->args.dv : keys,
                   .k = output ? keys : problem->args.dk,
                   .base = output ? tiling->output_base : tiling->scores_base,
                   .m_tiles = ceil_div(unit->rows, TILE),
                   .loads_left = output || !cube->resident || block == 0,
                   .frees_left = output || !cube->resident || block + 1 == unit->blocks};
  const uint32_t strips = ceil_div(stage.k, 16);
#if FP8_DIRECT
  stage.direct = !output;
  stage.tile = stage.direct ? problem->direct_keys : TILE;
#endif
  stage.n_pieces = ceil_div(stage.n, tile_n(&stage));
  stage.k_pieces = ceil_div(stage.k, output ? tiling->output_stripe : tiling->scores_stripe);
  stage.steps_of_n = stage.k_pieces * stage.m_tiles;
  if (ATTENTION_FP8) {
    stage.piece = output ? tiling->output_stripe : tiling->scores_stripe;
    stage.long_pieces = 0;
  } else {
    stage.piece = strips / stage.k_pieces * 16;
    stage.long_pieces = strips % stage.k_pieces;
  }
  if (output) {
    output_operands(cube, unit, &stage);
  } else {
    scores_operands(cube, unit, &stage);
  }
  return stage;
}

// fp8 cuts at panels.
static inline uint32_t long_pieces(const stage_t *stage) {
  return ATTENTION_FP8 ? 0 : stage->long_pieces;
}

// The depth of the piece at walk->k, which starts at walk->start.
static inline uint32_t piece_depth(const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  return min_u32(stage->piece + (walk->k < long_pieces(stage) ? 16 : 0), stage->k - walk->start);
}

// Where the step is in k and among all steps, from its n, m and k; which uses of the rings it has.
static void settle(const cube_t *cube, walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const bool m_first = k_inside(cube);
  const uint32_t m = m_first ? walk->m * stage->k_pieces : walk->m;
  const uint32_t k = m_first ? walk->k : walk->k * stage->m_tiles;
  const uint32_t step = walk->n * stage->steps_of_n + m + k;
  const bool keep = keeps(cube);
  walk->start = walk->k * stage->piece + 16 * min_u32(walk->k, long_pieces(stage));
  walk->depth = piece_depth(walk);
  walk->number = walk->steps + step;
  walk->left_use = walk->left[walk->left_kind] + (keep ? m + k : step);
  walk->right_use = walk->right + (keep ? walk->n * stage->k_pieces + walk->k : step);
}

static inline const attention_unit_t *walk_unit(const walk_t *walk) {
  return &walk->place[walk->turn.stage].unit;
}

// To the first step of the stage walk->turn.
static void enter_stage(const cube_t *cube, walk_t *walk) {
  attention_place_t *place = &walk->place[walk->turn.stage];
  attention_move(cube->problem, place, walk->turn.block);
  walk->stage = stage_at(cube, place, &walk->turn);
  walk->left_kind = cube->resident && walk->stage.output ? 1 : 0;
  walk->n = walk->m = walk->k = 0;
  walk->n_end = walk->stage.n_pieces;
  walk->m_end = walk->stage.m_tiles;
  if (keeps(cube) && walk->kind == WALK_RIGHT) {
    walk->m_end = 1;
    if (is_direct(&walk->stage)) {
      walk->n_end = 0;
    }
  }
  if (keeps(cube) && walk->kind == WALK_LEFT) {
    walk->n_end = walk->stage.loads_left ? 1 : 0;
  }
  settle(cube, walk);
}

// To that stage, if there is one.
static void enter_if(const cube_t *cube, walk_t *walk, bool more) {
  walk->more = more;
  if (more) {
    enter_stage(cube, walk);
  } else {
    walk->number = walk->left_use = walk->right_use = UINT32_MAX;  // of a step that never comes
  }
}

static void next_stage(const cube_t *cube, walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const uint32_t steps = stage->n_pieces * stage->steps_of_n;
  const bool keep = keeps(cube);
  walk->steps += steps;
  walk->results += stage->n_pieces * stage->m_tiles;
#if FP8_DIRECT
  walk->keys += stage->direct ? stage->n_pieces : 0;
#endif
  walk->right += is_direct(stage) ? 0 : keep ? stage->n_pieces * stage->k_pieces : steps;
  if (!keep) {
    walk->left[walk->left_kind] += steps;
  } else if (stage->frees_left) {
    walk->left[walk->left_kind] += stage->steps_of_n;
  }
  const attention_problem_t *problem = cube->problem;
  enter_if(cube, walk, preload_next(&problem->plan, true, problem->turns, &walk->turn));
}

// Has *i come to its end?  Then it is 0 again.
static bool carry(uint32_t *i, uint32_t end) {
  if (++*i < end) {
    return false;
  }
  *i = 0;
  return true;
}

// To the next n, m and k of the stage; false if there is none.
static bool next_in_stage(const cube_t *cube, walk_t *walk) {
  uint32_t *outer = k_inside(cube) ? &walk->m : &walk->k;
  uint32_t *inner = k_inside(cube) ? &walk->k : &walk->m;
  const uint32_t outer_end = k_inside(cube) ? walk->m_end : walk->stage.k_pieces;
  const uint32_t inner_end = k_inside(cube) ? walk->stage.k_pieces : walk->m_end;
  return !carry(inner, inner_end) || !carry(outer, outer_end) || !carry(&walk->n, walk->n_end);
}

static void walk_on(const cube_t *cube, walk_t *walk) {
  if (next_in_stage(cube, walk)) {
    settle(cube, walk);
    return;
  }
  do {
    next_stage(cube, walk);
  } while (walk->more && walk->n_end == 0);
}

static inline void walk_next(const cube_t *cube, walk_t *walk) {
  const uint32_t k = walk->k + 1;
  if (!k_inside(cube) || k == walk->stage.k_pieces) {
    walk_on(cube, walk);
    return;
  }
  // What most steps come to, made short: the scalar core's time counts.
  walk->k = k;
  walk->start += walk->depth;
  walk->depth = piece_depth(walk);
  walk->number++;
  walk->left_use++;
  walk->right_use++;
}

// Field by field, here and in cube_open: zeroing all of it takes the scalar core a microsecond.
static void walk_start(const cube_t *cube, walk_kind_t kind, walk_t *walk) {
  const attention_problem_t *problem = cube->problem;
  walk->kind = kind;
  walk->steps = walk->right = walk->left[0] = walk->left[1] = walk->results = 0;
  walk->place[STAGE_SCORES] = walk->place[STAGE_OUTPUT] = attention_first_place(problem);
  enter_if(cube, walk, preload_first(&problem->plan, true, problem->turns, &walk->turn));
#if FP8_DIRECT
  walk->keys = 0;
  while (walk->more && walk->n_end == 0) {
    next_stage(cube, walk);
  }
#endif
}

// Extents of the step: columns and rows.
static uint32_t step_n(const walk_t *walk) { return tile_length(walk->stage.n, tile_n(&walk->stage), walk->n); }
static uint32_t step_m(const walk_t *walk) { return tile_length(walk_unit(walk)->rows, TILE, walk->m); }

#endif
