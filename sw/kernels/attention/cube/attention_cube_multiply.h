// Private to the cube core's part: MTE1 takes operands to L0, M multiplies, FIX stores results.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_MULTIPLY_H
#define AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_MULTIPLY_H

#include "hal/hal.h"
#include "kernels/attention/cube/attention_cube_walk.h"

static void begin_result(cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const bool always = !keeps(cube);
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

// late: L, use left_use of its ring, is to be waited for behind R's way into L0.
__attribute__((always_inline)) static inline void multiply_base(cube_t *cube, const product_t *product, bool late,
                                                                ring_t left, uint32_t left_use) {
  const result_t *result = &cube->result;
  const ring_t l0 = l0_ring(cube);
  const ring_t l0c = l0c_ring(cube);
  const uint32_t use = cube->products++;
  const uint32_t part = ring_slot(&l0, use);
  const uint32_t rows = result->rows;
  const uint32_t cols = result->cols;

  ring_wait_free(&l0, use);
  load_data_b(.l1 = product->right, .l1_pitch = product->right_pitch, .l0b = part, .k = product->depth, .n = cols,
              .transpose = result->transpose);
  if (late) {
    ring_wait_full(&left, left_use);
  }
  load_data_a(.l1 = product->left, .l1_pitch = result->left_pitch, .l0a = part, .m = rows, .k = product->depth);
  ring_set_full(&l0, use);

  ring_wait_full(&l0, use);
  if (product->first) {
    ring_wait_free(&l0c, result->number);
  }
  mmad(.l0a = part, .l0b = part, .l0c = result->l0c, .m = rows, .n = cols, .k = product->depth,
       .accumulate = product->first ? 0 : 1, .type = cube_hooks.type != NULL ? cube_hooks.type(cube) : TYPE_BF16);
  ring_set_free(&l0, use);
  if (product->last) {
    ring_set_full(&l0c, result->number);
  }
}

static inline void multiply_base_in_order(cube_t *cube, const product_t *product) {
  multiply_base(cube, product, false, (ring_t){0}, 0);
}

// The MMADs of a step.
static inline void multiply_piece(cube_t *cube, const walk_t *walk, bool late, uint32_t left, uint32_t right) {
  const stage_t *stage = &walk->stage;
  const uint32_t depth = walk->depth;
  const uint32_t base = cube_hooks.own_base != 0 ? cube_hooks.own_base : stage->base;
  const bool first = walk->k == 0;
  const bool last = walk->k + 1 == stage->k_pieces;
  const uint32_t left_step = cube->result.left_pitch / 16;  // bytes to the next k, by strips
  // V lies in L1 as [k][n], its k are rows; K as [n][k], 16 of its k are a strip.
  const uint32_t right_rows = stage->output ? depth : cube->result.cols;
  const uint32_t right_pitch = round_up(right_rows, 16) * STRIP_ROW;
  const uint32_t right_step = stage->output ? STRIP_ROW : right_pitch / 16;

  for (uint32_t k = 0; k < depth; k += base) {
    const uint32_t part = cube_hooks.whole_pieces ? depth : min_u32(base, depth - k);
    const product_t product = {.left = left + k * left_step,
                               .right = right + k * right_step,
                               .right_pitch = right_pitch,
                               .depth = part,
                               .first = first && k == 0,
                               .last = last && k + part == depth};
    if (cube_hooks.whole_pieces) {
      multiply_base(cube, &product, late, left_ring(cube, walk->left_kind), walk->left_use);
      return;
    }
    multiply_base_in_order(cube, &product);
  }
}

// late: as for multiply_base, of whole pieces.
__attribute__((always_inline)) static inline void multiply(cube_t *cube, const walk_t *walk, bool late) {
  const ring_t left = left_ring(cube, walk->left_kind);
  const ring_t right = right_ring(cube);
  const uint32_t left_use = walk->left_use;
  const uint32_t right_use = walk->right_use;

  if (walk->k == 0 || !k_inside(cube)) {
    begin_result(cube, walk);
  }
  if (cube->result.brings_right) {
    ring_wait_full(&right, right_use);
  }
  if (cube->result.brings_left && !late) {
    ring_wait_full(&left, left_use);
  }
  multiply_piece(cube, walk, late && cube->result.brings_left, ring_slot(&left, left_use),
                 ring_slot(&right, right_use));
  if (cube->result.frees_left) {
    ring_set_free(&left, left_use);
    cube->left_room[walk->left_kind]++;
  }
  if (cube->result.frees_right) {
    ring_set_free(&right, right_use);
    cube->right_room++;
  }
}

static void multiply_in_order(cube_t *cube, const walk_t *walk) { multiply(cube, walk, false); }

// Before FIX writes a stage's first tile.
static void before_stage(const cube_t *cube, const stage_t *stage) {
  if (stage->output && cube->output->before != NULL) {
    cube->output->before(stage->block);
  }
  if (!cube_hooks.order_frees_scores && !stage->output && stage->turn >= score_slots()) {
    // The slot still holds an earlier S: all vector cores must have read it.
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
  const uint32_t output_slot = count % score_slots();
  const uint64_t array = stage->output ? output->gm + (uint64_t)output_slot * problem->group_rows * pitch
                                       : attention_scores(problem, stage->turn);
  const ring_t l0c = l0c_ring(cube);
  const uint32_t result = cube->result.number;

  if (walk->n == 0 && walk->m == 0) {
    before_stage(cube, stage);
  }
  ring_wait_full(&l0c, result);
  fixpipe(.l0c = cube->result.l0c, .m = cube->result.rows, .n = cube->result.cols,
          .gm = array + walk->m * TILE * pitch + 4 * walk->n * tile_n(stage), .gm_pitch = pitch, .type = TYPE_F32,
          .op = stage->output ? output->op : GM_STORE);
  ring_set_free(&l0c, result);
  if (walk->n + 1 == stage->n_pieces && walk->m + 1 == stage->m_tiles) {
    after_stage(cube, walk);
  }
}

#endif
