// C1 and C2 are one loop nest over a product L R, [rows][k] x [k][n]:
//
//            rows    k       n           L (in stripes)     R (in pieces)
//   C1(j)    rows    dk      keys of j   Q   128 x 288      K_j   128 keys x 288
//   C2(j)    rows    keys    dv          P_j 128 x 256      V_j   256 keys x 128
//
//   for n by 128: for k by stripe:                    one piece of R
//     for m by 128: for k by base tile:               one MMAD, L0C[m] accumulates
//   then FIX takes L0C[m] to global memory
//
// With m outside of k, FIX stores one half of L0C while the other half's MMADs run, at the price of
// moving R into L0B once for each m, which MTE1 has the time for.
//
// A walk goes through the pieces of all stages.  There are two: one loads pieces into L1 (MTE2),
// the other multiplies them (MTE1, M, FIX) and is pushed up to two pieces behind, so that MTE2's
// queue always holds the next load when a buffer becomes free.
//
// L1 has seven buffers of 72 KB: four for L, three for R.  With two m-tiles (rows > 128) the
// stripes of Q and P take turns in the four, and Q is loaded again for each C1.  With one, Q stays
// in two of them for a whole batch entry and P has the other two.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention_cube.h"

#include <stdbool.h>
#include <stddef.h>

#include "hal/hal.h"
#include "lib/ring.h"
#include "lib/tiling.h"

enum {
  TILE = 128,           // rows of a stripe, columns of a result tile
  SCORES_STRIPE = 288,  // k of a stripe and piece, in C1 and C2
  OUTPUT_STRIPE = 256,
  SCORES_BASE = 96,  // k of an MMAD
  OUTPUT_BASE = 128,
  L1_BUFFER = 72 * 1024,
  L0_HALF = 32 * 1024,
  L0C_HALF = 64 * 1024,
  STRIP_ROW = 32,  // bytes of a row of a fractal strip, 16 elements
};

static const ring_t left_shared = {PIPE_MTE2, PIPE_MTE1, 0, 4, 0, L1_BUFFER};
static const ring_t left_q = {PIPE_MTE2, PIPE_MTE1, 0, 2, 0, L1_BUFFER};
static const ring_t left_p = {PIPE_MTE2, PIPE_MTE1, 2, 2, 2 * L1_BUFFER, L1_BUFFER};
static const ring_t right = {PIPE_MTE2, PIPE_MTE1, 4, 3, 4 * L1_BUFFER, L1_BUFFER};
// A use of l0 is what one MMAD multiplies: a half of L0A and the same half of L0B.
static const ring_t l0 = {PIPE_MTE1, PIPE_M, 0, 2, 0, L0_HALF};
static const ring_t l0c = {PIPE_M, PIPE_FIX, 0, 2, 0, L0C_HALF};

typedef struct stage {
  bool output;  // C2, else C1
  uint32_t block;
  uint32_t n, k;    // columns of the result, inner dimension
  uint32_t stripe;  // k of a piece
  uint32_t n_pieces, k_pieces;
  bool loads_left;  // L comes into L1 in this stage
  bool frees_left;  // and is not needed after it
} stage_t;

typedef struct walk {
  uint32_t entry;    // batch entry
  uint32_t index;    // stage of the entry, see stage_at
  uint32_t n, k;     // piece of the stage
  uint32_t pieces;   // before this one: its use of ring right
  uint32_t left[2];  // tiles of L before this stage, of Q and of P; with two m-tiles [0] is both
  stage_t stage;
} walk_t;

typedef struct cube {
  const attention_problem_t *problem;
  const attention_output_t *output;
  uint32_t m_tiles;  // 1 or 2
  uint32_t tiles;    // uses of ring l0 so far
  uint32_t results;  // uses of ring l0c so far
} cube_t;

// ---- The sequence of stages and pieces ----

static stage_t scores_stage(const cube_t *cube, uint32_t block) {
  const attention_problem_t *problem = cube->problem;
  const uint32_t n = attention_block_keys(problem, block);
  const uint32_t k = problem->args.dk;
  const bool resident = cube->m_tiles == 1;
  return (stage_t){.block = block,
                   .n = n,
                   .k = k,
                   .stripe = SCORES_STRIPE,
                   .n_pieces = ceil_div(n, TILE),
                   .k_pieces = ceil_div(k, SCORES_STRIPE),
                   .loads_left = !resident || block == 0,
                   .frees_left = !resident || block + 1 == problem->blocks};
}

static stage_t output_stage(const cube_t *cube, uint32_t block) {
  const uint32_t n = cube->problem->args.dv;
  const uint32_t k = attention_block_keys(cube->problem, block);
  return (stage_t){.output = true,
                   .block = block,
                   .n = n,
                   .k = k,
                   .stripe = OUTPUT_STRIPE,
                   .n_pieces = ceil_div(n, TILE),
                   .k_pieces = ceil_div(k, OUTPUT_STRIPE),
                   .loads_left = true,
                   .frees_left = true};
}

// C1(0) .. C1(preload-1); then C1(j+preload) and C2(j) for each j while there is such a C1; then
// the C2s left.
static stage_t stage_at(const cube_t *cube, uint32_t index) {
  const uint32_t preload = cube->problem->preload;
  const uint32_t pairs = cube->problem->blocks - preload;
  if (index < preload) {
    return scores_stage(cube, index);
  }
  const uint32_t turn = index - preload;
  if (turn >= 2 * pairs) {
    return output_stage(cube, turn - pairs);
  }
  return turn % 2 == 0 ? scores_stage(cube, preload + turn / 2) : output_stage(cube, turn / 2);
}

// The index of C1(block) in that order.
static uint32_t scores_index(const cube_t *cube, uint32_t block) {
  const uint32_t preload = cube->problem->preload;
  return block < preload ? block : 2 * block - preload;
}

static walk_t walk_start(const cube_t *cube) {
  return (walk_t){.entry = cube->problem->first_entry, .stage = stage_at(cube, 0)};
}

static bool walk_more(const cube_t *cube, const walk_t *walk) {
  return walk->entry < cube->problem->args.batch;
}

static uint32_t left_kind(const cube_t *cube, const walk_t *walk) {
  return cube->m_tiles == 1 && walk->stage.output ? 1 : 0;
}

static void walk_next(const cube_t *cube, walk_t *walk) {
  const stage_t *stage = &walk->stage;
  walk->pieces++;
  if (++walk->k < stage->k_pieces) {
    return;
  }
  walk->k = 0;
  if (++walk->n < stage->n_pieces) {
    return;
  }
  walk->n = 0;
  if (stage->frees_left) {
    walk->left[left_kind(cube, walk)] += stage->k_pieces * cube->m_tiles;
  }
  if (++walk->index == 2 * cube->problem->blocks) {
    walk->index = 0;
    walk->entry += cube->problem->entry_step;
  }
  walk->stage = stage_at(cube, walk->index);
}

// Extent of the piece in n and k.
static uint32_t piece_n(const walk_t *walk) { return tile_length(walk->stage.n, TILE, walk->n); }
static uint32_t piece_k(const walk_t *walk) {
  return tile_length(walk->stage.k, walk->stage.stripe, walk->k);
}

static uint32_t tile_rows(const cube_t *cube, uint32_t m) {
  return tile_length(cube->problem->args.rows, TILE, m);
}

static const ring_t *left_ring(const cube_t *cube, const walk_t *walk) {
  if (cube->m_tiles == 2) {
    return &left_shared;
  }
  return walk->stage.output ? &left_p : &left_q;
}

// The use of left_ring that is tile m of this piece's stripe.
static uint32_t left_use(const cube_t *cube, const walk_t *walk, uint32_t m) {
  return walk->left[left_kind(cube, walk)] + walk->k * cube->m_tiles + m;
}

// ---- Loading: MTE2 ----

static void load_right(const cube_t *cube, const walk_t *walk) {
  const attention_args_t *args = &cube->problem->args;
  const stage_t *stage = &walk->stage;
  const uint32_t key =
      stage->block * args->block + (stage->output ? walk->k * OUTPUT_STRIPE : walk->n * TILE);
  const uint32_t column = stage->output ? walk->n * TILE : walk->k * SCORES_STRIPE;
  const uint64_t array =
      stage->output ? args->v + walk->entry * args->v_batch : args->k + walk->entry * args->k_batch;
  const uint32_t pitch = stage->output ? args->v_pitch : args->k_pitch;

  ring_wait_free(&right, walk->pieces);
  data_copy_gm_to_l1(.gm = array + (uint64_t)key * pitch + 2 * column, .gm_pitch = pitch,
                     .l1 = ring_slot(&right, walk->pieces),
                     .rows = stage->output ? piece_k(walk) : piece_n(walk),
                     .cols = stage->output ? piece_n(walk) : piece_k(walk));
  ring_set_full(&right, walk->pieces);
}

static void load_left(const cube_t *cube, const walk_t *walk) {
  const attention_args_t *args = &cube->problem->args;
  const stage_t *stage = &walk->stage;
  const uint32_t pitch = 2 * (stage->output ? args->block : args->dk);
  const uint64_t array = stage->output ? attention_probabilities(cube->problem, stage->block)
                                       : args->q + (uint64_t)walk->entry * args->rows * pitch;
  const ring_t *ring = left_ring(cube, walk);

  for (uint32_t m = 0; m < cube->m_tiles; m++) {
    const uint32_t use = left_use(cube, walk, m);
    ring_wait_free(ring, use);
    data_copy_gm_to_l1(.gm = array + m * TILE * pitch + 2 * walk->k * stage->stripe,
                       .gm_pitch = pitch, .l1 = ring_slot(ring, use), .rows = tile_rows(cube, m),
                       .cols = piece_k(walk));
    ring_set_full(ring, use);
  }
}

// Does this piece bring the tiles of L with it?
static bool takes_left(const walk_t *walk) { return walk->stage.loads_left && walk->n == 0; }

// A piece of R and, the first time a stripe is needed, its tiles of L.  R goes first: K and V need
// no other core, P does.
static void load_piece(const cube_t *cube, const walk_t *walk) {
  load_right(cube, walk);
  if (!takes_left(walk)) {
    return;
  }
  if (walk->stage.output && walk->k == 0) {
    // P_j: no stripe may be read before both vector cores have written their rows.
    cross_core_wait_flag(PIPE_MTE2, FLAG_P_READY);
  }
  load_left(cube, walk);
}

// May the next load be pushed?  Only when the uses are pushed that its waits are for, or a full
// queue would hold up this program, and with it those uses: a piece of R takes the buffer of three
// pieces ago, tiles of L those of two pieces ago at the latest, and P_j exists once C1(j) is
// pushed.
static bool may_load(const cube_t *cube, const walk_t *load, const walk_t *use) {
  const uint32_t lead = takes_left(load) ? 1 : 2;
  if (!walk_more(cube, load) || load->pieces > use->pieces + lead) {
    return false;
  }
  return !load->stage.output ||
         (load->entry == use->entry && use->index > scores_index(cube, load->stage.block));
}

// ---- Multiplying: MTE1, M, FIX ----

// One MMAD: the part of the piece at k, times tile m of L.
static void multiply_tile(cube_t *cube, const walk_t *walk, uint32_t k, uint32_t m) {
  const stage_t *stage = &walk->stage;
  const uint32_t depth = min_u32(stage->output ? OUTPUT_BASE : SCORES_BASE, piece_k(walk) - k);
  const uint32_t rows = tile_rows(cube, m);
  const uint32_t cols = piece_n(walk);
  const uint32_t piece_rows = stage->output ? piece_k(walk) : cols;  // of R in L1
  const uint32_t right_pitch = round_up(piece_rows, 16) * STRIP_ROW;
  const uint32_t left_pitch = round_up(rows, 16) * STRIP_ROW;
  const bool first = walk->k == 0 && k == 0;
  const bool last = walk->k + 1 == stage->k_pieces && k + depth == piece_k(walk);
  const uint32_t tile = cube->tiles++;
  const uint32_t result = cube->results + m;
  const uint32_t half = ring_slot(&l0, tile);

  ring_wait_free(&l0, tile);
  // V lies in L1 as [k][n], the part at k starts at row k; K as [n][k], at strip k / 16.
  load_data_b(.l1 = ring_slot(&right, walk->pieces) +
                    (stage->output ? k * STRIP_ROW : k / 16 * right_pitch),
              .l1_pitch = right_pitch, .l0b = half, .k = depth, .n = cols,
              .transpose = stage->output ? 0 : 1);
  load_data_a(.l1 = ring_slot(left_ring(cube, walk), left_use(cube, walk, m)) + k / 16 * left_pitch,
              .l1_pitch = left_pitch, .l0a = half, .m = rows, .k = depth);
  ring_set_full(&l0, tile);

  ring_wait_full(&l0, tile);
  if (first) {
    ring_wait_free(&l0c, result);
  }
  mmad(.l0a = half, .l0b = half, .l0c = ring_slot(&l0c, result), .m = rows, .n = cols, .k = depth,
       .accumulate = first ? 0 : 1, .type = TYPE_BF16);
  ring_set_free(&l0, tile);
  if (last) {
    ring_set_full(&l0c, result);
  }
}

static void multiply_piece(cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const ring_t *left = left_ring(cube, walk);
  const uint32_t base = stage->output ? OUTPUT_BASE : SCORES_BASE;
  const bool last_use = stage->frees_left && walk->n + 1 == stage->n_pieces;

  ring_wait_full(&right, walk->pieces);
  for (uint32_t m = 0; m < cube->m_tiles; m++) {
    const uint32_t use = left_use(cube, walk, m);
    if (takes_left(walk)) {
      ring_wait_full(left, use);
    }
    for (uint32_t k = 0; k < piece_k(walk); k += base) {
      multiply_tile(cube, walk, k, m);
    }
    if (last_use) {
      ring_set_free(left, use);
    }
  }
  ring_set_free(&right, walk->pieces);
}

// Before FIX writes a stage's first tile.
static void before_stage(const cube_t *cube, const stage_t *stage) {
  if (stage->output && cube->output->before != NULL) {
    cube->output->before(stage->block);
  }
  if (!stage->output && stage->block >= ATTENTION_SLOTS) {
    // The slot still holds S_j-2: both vector cores must have read it.
    cross_core_wait_flag(PIPE_FIX, FLAG_S_FREE);
  }
}

// After its last.
static void after_stage(const cube_t *cube, const stage_t *stage) {
  if (!stage->output) {
    cross_core_set_flag(PIPE_FIX, FLAG_S_READY);
  } else if (stage->block + 1 < cube->problem->blocks) {
    cross_core_set_flag(PIPE_FIX, cube->output->each_flag);
  } else {
    cross_core_set_flag(PIPE_FIX, cube->output->last_flag);
  }
}

// The result tiles of a finished n.
static void store_results(cube_t *cube, const walk_t *walk) {
  const attention_args_t *args = &cube->problem->args;
  const attention_output_t *output = cube->output;
  const stage_t *stage = &walk->stage;
  const uint32_t pitch = stage->output ? args->o_pitch : 4 * args->block;
  const uint64_t array =
      stage->output ? output->gm + (uint64_t)(stage->block % output->slots) * args->rows * pitch
                    : attention_scores(cube->problem, stage->block);

  if (walk->n == 0) {
    before_stage(cube, stage);
  }
  for (uint32_t m = 0; m < cube->m_tiles; m++) {
    const uint32_t result = cube->results++;
    ring_wait_full(&l0c, result);
    fixpipe(.l0c = ring_slot(&l0c, result), .m = tile_rows(cube, m), .n = piece_n(walk),
            .gm = array + m * TILE * pitch + 4 * walk->n * TILE, .gm_pitch = pitch,
            .type = TYPE_F32, .op = stage->output ? output->op : GM_STORE);
    ring_set_free(&l0c, result);
  }
  if (walk->n + 1 == stage->n_pieces) {
    after_stage(cube, stage);
  }
}

static void use_piece(cube_t *cube, const walk_t *walk) {
  multiply_piece(cube, walk);
  if (walk->k + 1 == walk->stage.k_pieces) {
    store_results(cube, walk);
  }
}

// ---- The whole ----

static void for_all_rings(const cube_t *cube, void (*act)(const ring_t *ring)) {
  if (cube->m_tiles == 2) {
    act(&left_shared);
  } else {
    act(&left_q);
    act(&left_p);
  }
  act(&right);
  act(&l0);
  act(&l0c);
}

void attention_cube(const attention_problem_t *problem, const attention_output_t *output) {
  cube_t cube = {
      .problem = problem, .output = output, .m_tiles = ceil_div(problem->args.rows, TILE)};
  walk_t load = walk_start(&cube);
  walk_t use = load;
  for_all_rings(&cube, ring_open);
  while (walk_more(&cube, &use)) {
    while (may_load(&cube, &load, &use)) {
      load_piece(&cube, &load);
      walk_next(&cube, &load);
    }
    use_piece(&cube, &use);
    walk_next(&cube, &use);
  }
  for_all_rings(&cube, ring_drain);
}
