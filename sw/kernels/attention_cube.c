// C1 and C2 are one loop nest over a product L R, [rows][k] x [k][n], both operands cut along k:
//
//            rows    k       n           L (in tiles)        R (in pieces)
//   C1(j)    rows    dk      keys of j   Q   128 x stripe    K_j   128 keys x stripe
//   C2(j)    rows    keys    dv          P_j 128 x stripe    V_j   stripe keys x 128
//
//   for n by 128:
//     for k by stripe, for m by 128    or    for m by 128, for k by stripe:      one step
//       for k by base tile: one MMAD, L0C[m] accumulates
//     FIX takes L0C[m] to global memory
//
// How deep stripes and base tiles are, which of k and m is outside and how many buffers there are
// is the tiling's (attention_tiling.h).  With both m-tiles inside of k a piece of R is through after
// two tiles of L; with k inside FIX has a whole m-tile's time for one half of L0C while the other
// half's MMADs run, but all pieces of 128 columns must be in L1.
//
// Three walks go through the steps of all stages: one loads R and one loads L into L1 (MTE2), the
// third multiplies (MTE1, M, FIX).  A load is pushed as soon as the step is that frees its buffer,
// so that MTE2's queue always holds the next load when a buffer becomes free.
//
// Tiles of Q and P take turns in the buffers for L, and Q is loaded again for each C1.  With one
// m-tile, or if they have buffers of their own each, Q stays for a whole unit.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention_cube.h"

#include <stdbool.h>
#include <stddef.h>

#include "hal/hal.h"
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
} cube_t;

// ---- Buffers ----

// Rings as values, so that the compiler knows what of them is constant.

static inline ring_t l1_ring(const cube_t *cube, uint32_t first, uint8_t slots) {
  const uint32_t bytes = cube->tiling.buffer;
  return (ring_t){PIPE_MTE2, PIPE_MTE1, (uint8_t)first, slots, first * bytes, bytes};
}

static inline ring_t left_ring(const cube_t *cube, uint32_t kind) {
  return l1_ring(cube, kind == 0 ? 0 : cube->left_slots, cube->left_slots);
}

static inline ring_t right_ring(const cube_t *cube) {
  return l1_ring(cube, cube->right_first, (uint8_t)cube->tiling.right);
}

// A use is what one MMAD multiplies: a part of L0A and the same of L0B.
static inline ring_t l0_ring(const cube_t *cube) {
  return (ring_t){PIPE_MTE1, PIPE_M, 0, (uint8_t)cube->tiling.halves, 0, L0_HALF};
}

static inline ring_t l0c_ring(const cube_t *cube) {
  return (ring_t){PIPE_M, PIPE_FIX, 0, (uint8_t)cube->tiling.halves, 0, L0C_HALF};
}

// ---- The sequence of stages and steps ----

// What C1 multiplies, and C2.
static void scores_operands(const cube_t *cube, const attention_unit_t *unit, stage_t *stage) {
  const attention_args_t *args = &cube->problem->args;
  const uint64_t q_row = (uint64_t)unit->entry * args->rows + unit->first_row;
  const uint64_t key = attention_first_key(cube->problem, unit, stage->block);
  stage->left_pitch = 2 * args->dk;
  stage->left = args->q + q_row * stage->left_pitch;
  stage->right_pitch = args->k_pitch;
  stage->right = args->k + unit->entry * args->k_batch + key * args->k_pitch;
}

static void output_operands(const cube_t *cube, const attention_unit_t *unit, stage_t *stage) {
  const attention_args_t *args = &cube->problem->args;
  const uint64_t key = attention_first_key(cube->problem, unit, stage->block);
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
  stage.n_pieces = ceil_div(stage.n, TILE);
  stage.k_pieces = ceil_div(stage.k, output ? tiling->output_stripe : tiling->scores_stripe);
  stage.steps_of_n = stage.k_pieces * stage.m_tiles;
  stage.piece = strips / stage.k_pieces * 16;
  stage.long_pieces = strips % stage.k_pieces;
  if (output) {
    output_operands(cube, unit, &stage);
  } else {
    scores_operands(cube, unit, &stage);
  }
  return stage;
}

// The depth of the piece at walk->k, which starts at walk->start.
static inline uint32_t piece_depth(const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  return min_u32(stage->piece + (walk->k < stage->long_pieces ? 16 : 0), stage->k - walk->start);
}

// Where the step is in k and among all steps, from its n, m and k; which uses of the rings it has.
static void settle(const cube_t *cube, walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const bool m_first = cube->tiling.m_first;
  const uint32_t m = m_first ? walk->m * stage->k_pieces : walk->m;
  const uint32_t k = m_first ? walk->k : walk->k * stage->m_tiles;
  const uint32_t step = walk->n * stage->steps_of_n + m + k;
  const bool keep = cube->tiling.keep;
  walk->start = walk->k * stage->piece + 16 * min_u32(walk->k, stage->long_pieces);
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
  if (cube->tiling.keep && walk->kind == WALK_RIGHT) {
    walk->m_end = 1;
  }
  if (cube->tiling.keep && walk->kind == WALK_LEFT) {
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
  const bool keep = cube->tiling.keep;
  walk->steps += steps;
  walk->results += stage->n_pieces * stage->m_tiles;
  walk->right += keep ? stage->n_pieces * stage->k_pieces : steps;
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
  uint32_t *outer = cube->tiling.m_first ? &walk->m : &walk->k;
  uint32_t *inner = cube->tiling.m_first ? &walk->k : &walk->m;
  const uint32_t outer_end = cube->tiling.m_first ? walk->m_end : walk->stage.k_pieces;
  const uint32_t inner_end = cube->tiling.m_first ? walk->stage.k_pieces : walk->m_end;
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
  if (!cube->tiling.m_first || k == walk->stage.k_pieces) {
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
}

// Extents of the step: columns and rows.
static uint32_t step_n(const walk_t *walk) { return tile_length(walk->stage.n, TILE, walk->n); }
static uint32_t step_m(const walk_t *walk) { return tile_length(walk_unit(walk)->rows, TILE, walk->m); }

// ---- Loading: MTE2 ----

static void load_right(const cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const ring_t ring = right_ring(cube);
  const uint32_t use = walk->right_use;
  const uint32_t pitch = stage->right_pitch;
  const uint32_t row = stage->output ? walk->start : walk->n * TILE;
  const uint32_t column = stage->output ? walk->n * TILE : walk->start;
  const uint32_t cols = step_n(walk);

  ring_wait_free(&ring, use);
  data_copy_gm_to_l1(.gm = stage->right + (uint64_t)row * pitch + 2 * column, .gm_pitch = pitch,
                     .l1 = ring_slot(&ring, use), .rows = stage->output ? walk->depth : cols,
                     .cols = stage->output ? cols : walk->depth);
  ring_set_full(&ring, use);
}

static void load_left(const cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const ring_t ring = left_ring(cube, walk->left_kind);
  const uint32_t use = walk->left_use;
  const uint32_t pitch = stage->left_pitch;

  if (stage->output && walk->number == walk->steps) {
    // P_j: no tile may be read before all vector cores have written their rows.
    cross_core_wait_flag(PIPE_MTE2, FLAG_P_READY);
  }
  ring_wait_free(&ring, use);
  data_copy_gm_to_l1(.gm = stage->left + walk->m * TILE * pitch + 2 * walk->start,
                     .gm_pitch = pitch, .l1 = ring_slot(&ring, use), .rows = step_m(walk),
                     .cols = walk->depth);
  ring_set_full(&ring, use);
}

// May the next load be pushed?  Only when the uses are pushed that its waits are for, or a full
// queue would hold up this program, and with it those uses.
static inline bool may_load_right(const cube_t *cube, const walk_t *load) {
  return load->right_use < cube->right_room;
}

// For P_j these are all of C1(j).  L is not loaded more than 128 columns' time ahead, P with two
// m-tiles a step less: it may not be there yet, and what waits for it holds up the loads of R.
static inline bool may_load_left(const cube_t *cube, const walk_t *load, const walk_t *use) {
  const uint32_t late = load->stage.output ? use->stage.m_tiles - 1 : 0;
  return load->number <= use->number + use->stage.steps_of_n - late &&
         load->left_use < cube->left_room[load->left_kind] &&
         (!load->stage.output || cube->scores > load->stage.turn);
}

// The next loads that may be pushed, those needed first before the others; R before L: K and V need
// no other core, P does.  Not too many at a time, for this program must not wait in front of a full
// queue of loads when it could push what uses the first of them.
static void load_some(const cube_t *cube, walk_t *right, walk_t *left, const walk_t *use) {
  for (uint32_t i = 0; i < LOADS_A_STEP; i++) {
    const bool may_left = may_load_left(cube, left, use);
    if (may_load_right(cube, right) &&
        (!may_left || right->number <= left->number)) {
      load_right(cube, right);
      walk_next(cube, right);
    } else if (may_left) {
      load_left(cube, left);
      walk_next(cube, left);
    } else {
      return;
    }
  }
}

// ---- Multiplying: MTE1, M, FIX ----

static void begin_result(cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const bool always = !cube->tiling.keep;
  const ring_t l0c = l0c_ring(cube);
  const uint32_t rows = step_m(walk);
  const uint32_t number = walk->results + walk->n * stage->m_tiles + walk->m;
  cube->result = (result_t){
      .rows = rows,
      .cols = step_n(walk),
      .left_pitch = round_up(rows, 16) * STRIP_ROW,
      .number = number,
      .l0c = ring_slot(&l0c, number),
      .transpose = stage->output ? 0 : 1,
      .brings_left = always || (stage->loads_left && walk->n == 0),
      .brings_right = always || walk->m == 0,
      .frees_left = always || (stage->frees_left && walk->n + 1 == stage->n_pieces),
      .frees_right = always || walk->m + 1 == stage->m_tiles,
  };
}

// One MMAD: depth of k; its operands in L1.  first, last: of all that make up the result.
typedef struct product {
  uint32_t left, right, right_pitch;
  uint32_t depth;
  bool first, last;
} product_t;

static inline void multiply_base(cube_t *cube, const product_t *product) {
  const result_t *result = &cube->result;
  const ring_t l0 = l0_ring(cube);
  const ring_t l0c = l0c_ring(cube);
  const uint32_t use = cube->products++;
  const uint32_t part = ring_slot(&l0, use);
  const uint32_t rows = result->rows;
  const uint32_t cols = result->cols;

  ring_wait_free(&l0, use);
  load_data_b(.l1 = product->right, .l1_pitch = product->right_pitch, .l0b = part,
              .k = product->depth, .n = cols, .transpose = result->transpose);
  load_data_a(.l1 = product->left, .l1_pitch = result->left_pitch, .l0a = part, .m = rows,
              .k = product->depth);
  ring_set_full(&l0, use);

  ring_wait_full(&l0, use);
  if (product->first) {
    ring_wait_free(&l0c, result->number);
  }
  mmad(.l0a = part, .l0b = part, .l0c = result->l0c, .m = rows, .n = cols, .k = product->depth,
       .accumulate = product->first ? 0 : 1, .type = TYPE_BF16);
  ring_set_free(&l0, use);
  if (product->last) {
    ring_set_full(&l0c, result->number);
  }
}

// The MMADs of a step.
static inline void multiply_piece(cube_t *cube, const walk_t *walk, uint32_t left, uint32_t right) {
  const stage_t *stage = &walk->stage;
  const uint32_t depth = walk->depth;
  const uint32_t base = stage->base;
  const bool first = walk->k == 0;
  const bool last = walk->k + 1 == stage->k_pieces;
  const uint32_t left_step = cube->result.left_pitch / 16;  // bytes to the next k, by strips
  // V lies in L1 as [k][n], its k are rows; K as [n][k], 16 of its k are a strip.
  const uint32_t right_rows = stage->output ? depth : cube->result.cols;
  const uint32_t right_pitch = round_up(right_rows, 16) * STRIP_ROW;
  const uint32_t right_step = stage->output ? STRIP_ROW : right_pitch / 16;

  for (uint32_t k = 0; k < depth; k += base) {
    const uint32_t part = min_u32(base, depth - k);
    const product_t product = {.left = left + k * left_step,
                               .right = right + k * right_step,
                               .right_pitch = right_pitch,
                               .depth = part,
                               .first = first && k == 0,
                               .last = last && k + part == depth};
    multiply_base(cube, &product);
  }
}

static void multiply(cube_t *cube, const walk_t *walk) {
  const ring_t left = left_ring(cube, walk->left_kind);
  const ring_t right = right_ring(cube);
  const uint32_t left_use = walk->left_use;
  const uint32_t right_use = walk->right_use;

  if (walk->k == 0 || !cube->tiling.m_first) {
    begin_result(cube, walk);
  }
  if (cube->result.brings_right) {
    ring_wait_full(&right, right_use);
  }
  if (cube->result.brings_left) {
    ring_wait_full(&left, left_use);
  }
  multiply_piece(cube, walk, ring_slot(&left, left_use), ring_slot(&right, right_use));
  if (cube->result.frees_left) {
    ring_set_free(&left, left_use);
    cube->left_room[walk->left_kind]++;
  }
  if (cube->result.frees_right) {
    ring_set_free(&right, right_use);
    cube->right_room++;
  }
}

// Before FIX writes a stage's first tile.
static void before_stage(const cube_t *cube, const stage_t *stage) {
  if (stage->output && cube->output->before != NULL) {
    cube->output->before(stage->block);
  }
  if (!stage->output && stage->turn >= ATTENTION_SLOTS) {
    // The slot still holds S_j-2: all vector cores must have read it.
    cross_core_wait_flag(PIPE_FIX, FLAG_S_FREE);
  }
}

// After its last.
static void after_stage(cube_t *cube, const walk_t *walk) {
  if (!walk->stage.output) {
    cross_core_set_flag(PIPE_FIX, FLAG_S_READY);
    cube->scores++;
  } else if (walk->stage.block + 1 < walk_unit(walk)->blocks) {
    cross_core_set_flag(PIPE_FIX, cube->output->each_flag);
  } else {
    cross_core_set_flag(PIPE_FIX, cube->output->last_flag);
  }
}

// The finished result tile at n and m.
static void store_result(cube_t *cube, const walk_t *walk) {
  const attention_problem_t *problem = cube->problem;
  const attention_output_t *output = cube->output;
  const stage_t *stage = &walk->stage;
  const uint32_t pitch = stage->output ? problem->args.o_pitch : 4 * problem->args.block;
  const uint32_t count = output->slot_a_unit ? walk->place[STAGE_OUTPUT].ordinal : stage->turn;
  const uint32_t output_slot = count % ATTENTION_SLOTS;
  const uint64_t array = stage->output
                             ? output->gm + (uint64_t)output_slot * problem->group_rows * pitch
                             : attention_scores(problem, stage->turn);
  const ring_t l0c = l0c_ring(cube);
  const uint32_t result = cube->result.number;

  if (walk->n == 0 && walk->m == 0) {
    before_stage(cube, stage);
  }
  ring_wait_full(&l0c, result);
  fixpipe(.l0c = cube->result.l0c, .m = cube->result.rows, .n = cube->result.cols,
          .gm = array + walk->m * TILE * pitch + 4 * walk->n * TILE, .gm_pitch = pitch,
          .type = TYPE_F32, .op = stage->output ? output->op : GM_STORE);
  ring_set_free(&l0c, result);
  if (walk->n + 1 == stage->n_pieces && walk->m + 1 == stage->m_tiles) {
    after_stage(cube, walk);
  }
}

// ---- The whole ----

static void cube_open(cube_t *cube, const attention_problem_t *problem,
                      const attention_output_t *output) {
  const attention_tiling_t *tiling = &problem->tiling;
  const bool one_tile = tiling->keep && problem->group_rows <= TILE;
  const uint32_t left = one_tile && !tiling->separate ? tiling->left / 2 : tiling->left;
  cube->problem = problem;
  cube->output = output;
  cube->tiling = *tiling;
  cube->resident = one_tile || (tiling->keep && tiling->separate);
  cube->left_slots = (uint8_t)left;
  cube->right_first = (uint8_t)(tiling->separate ? 2 * tiling->left : tiling->left);
  cube->left_room[0] = cube->left_room[1] = left;
  cube->right_room = tiling->right;
  cube->products = cube->scores = 0;
}

static void for_all_rings(const cube_t *cube, void (*act)(const ring_t *ring)) {
  const ring_t rings[] = {left_ring(cube, 0), right_ring(cube), l0_ring(cube), l0c_ring(cube),
                          left_ring(cube, 1)};
  for (uint32_t i = 0; i < (cube->resident ? 5 : 4); i++) {
    act(&rings[i]);
  }
}

void attention_cube(const attention_problem_t *problem, const attention_output_t *output) {
  cube_t cube;
  cube_open(&cube, problem, output);
  walk_t right, left, use;
  walk_start(&cube, WALK_RIGHT, &right);
  walk_start(&cube, WALK_LEFT, &left);
  walk_start(&cube, WALK_USE, &use);
  for_all_rings(&cube, ring_open);
  for (; use.more; walk_next(&cube, &use)) {
    load_some(&cube, &right, &left, &use);
    multiply(&cube, &use);
    if (use.k + 1 == use.stage.k_pieces) {
      store_result(&cube, &use);
    }
  }
  for_all_rings(&cube, ring_drain);
}
