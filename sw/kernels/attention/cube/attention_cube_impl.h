// The cube core's part, as the kernel that includes this file has it: it may fill in cube_hooks.
//
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
#ifndef AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_IMPL_H
#define AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_IMPL_H

#include "kernels/attention/cube/attention_cube.h"
#include "kernels/attention/cube/attention_cube_load.h"
#include "kernels/attention/cube/attention_cube_multiply.h"
#include "kernels/attention/cube/attention_cube_walk.h"

static void cube_open(cube_t *cube, const attention_problem_t *problem, const attention_output_t *output) {
  const attention_tiling_t *tiling = &problem->tiling;
  const bool one_tile = tiling->keep && problem->group_rows <= TILE;
  const uint32_t left = one_tile && !tiling->separate ? q_slots(problem) : tiling->left;
  cube->problem = problem;
  cube->output = output;
  cube->tiling = *tiling;
  cube->resident = one_tile || (tiling->keep && tiling->separate);
  cube->left_slots = (uint8_t)left;
  cube->right_first = (uint8_t)(tiling->separate ? 2 * tiling->left : tiling->left);
  cube->left_room[0] = cube->left_room[1] = left;
  if (cube_hooks.own_base != 0) {
    cube->left_room[1] = left_slots(cube, 1);
  }
  cube->right_room = tiling->right;
  cube->lag = cube_hooks.lag != 0
                  ? cube_hooks.lag
                  : max_u32(1, problem->plan.cube_lag[STAGE_OUTPUT] - problem->plan.cube_lag[STAGE_SCORES]);
  cube->products = cube->scores = 0;
}

static void for_all_rings(const cube_t *cube, void (*act)(const ring_t *ring)) {
  const ring_t rings[] = {left_ring(cube, 0), right_ring(cube), l0_ring(cube), l0c_ring(cube), left_ring(cube, 1)};
  for (uint32_t i = 0; i < (cube->resident ? 5 : 4); ++i) {
    act(&rings[i]);
  }
}

static inline void use_step(cube_t *cube, const walk_t *use) {
  if (others_bring_right(&use->stage)) {
    cube_hooks.multiply(cube, use);
  } else {
    multiply_in_order(cube, use);
  }
  if (use->k + 1 == use->stage.k_pieces) {
    store_result(cube, use);
  }
}

// In C1(0) nothing else is under way, so R does not wait for L, and results may go out in another way.
static inline void use_first_step(cube_t *cube, const walk_t *use) {
  multiply(cube, use, true);
  if (use->k + 1 == use->stage.k_pieces && !cube_hooks.store_first(cube, use)) {
    store_result(cube, use);
  }
}

// As ring_open, of the buffers from `first` on.
static inline void open_from(const ring_t *ring, uint32_t first) {
  for (uint32_t i = first; i < ring->slots; ++i) {
    ring_set_free(ring, i);
  }
}

// C1(0), one m-tile: its first loads before all else, then each step as soon as its loads and the next one's are
// pushed.
static inline void push_first(cube_t *cube, const attention_place_t *first, walk_t *right, walk_t *left, walk_t *use) {
  const ring_t rings[] = {right_ring(cube), left_ring(cube, 0), l0_ring(cube), l0c_ring(cube), left_ring(cube, 1)};
  ring_set_free(&rings[0], 0);
  load_right(cube, right);
  walk_start(cube, WALK_LEFT, first, left);
  ring_set_free(&rings[1], 0);
  load_left(cube, left);
  walk_start(cube, WALK_USE, first, use);
  for (uint32_t i = 0; i < sizeof rings / sizeof *rings; ++i) {
    open_from(&rings[i], i < 2 ? 1 : 0);
  }
  const uint32_t k_pieces = use->stage.k_pieces;
  const uint32_t steps = use->stage.n_pieces * k_pieces;
  for (uint32_t step = 0; step < steps; ++step) {
    walk_next(cube, right);
    if (step + 1 < steps) {
      load_right(cube, right);
    }
    if (step + 1 < k_pieces) {
      walk_next(cube, left);
      load_left(cube, left);
    }
    use_first_step(cube, use);
    walk_next(cube, use);
  }
  walk_next(cube, left);
}

void attention_cube(const attention_problem_t *problem, const attention_output_t *output) {
  cube_t cube;
  cube_open(&cube, problem, output);
  walk_t right, left, use;
  const attention_place_t first = attention_first_place(problem);
  walk_start(&cube, WALK_RIGHT, &first, &right);
  if (cube_hooks.store_first != NULL && right.more) {
    push_first(&cube, &first, &right, &left, &use);
  } else {
    walk_start(&cube, WALK_LEFT, &first, &left);
    walk_start(&cube, WALK_USE, &first, &use);
    for_all_rings(&cube, ring_open);
  }
  for (; use.more; walk_next(&cube, &use)) {
    load_some(&cube, &right, &left, &use);
    use_step(&cube, &use);
  }
  if (cube_hooks.finish != NULL) {
    cube_hooks.finish(&cube, &right, &use);
  }
  for_all_rings(&cube, ring_drain);
}

#endif
