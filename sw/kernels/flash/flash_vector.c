// A vector core's part: attention's, with O in UB and masks of its own.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/flash/flash_vector.h"

#include "kernels/attention/vector/attention_vector_impl.h"

static inline uint32_t score_rows(const vector_core_t *core) {
  return core->problem->args.block > FLASH_BLOCK / 2 ? SCORE_ROWS / 2 : SCORE_ROWS;
}

// The core's last block goes in halves: nothing else is left to do while the second half is loaded.
static inline uint32_t output_rows(const vector_core_t *core, const vector_walk_t *walk) {
  const attention_problem_t *problem = core->problem;
  const bool halves = problem->args.dv > FLASH_MAX_DIM / 2 || walk->turn.block + 1 == problem->turns;
  return halves ? CORE_ROWS / 2 : CORE_ROWS;
}

static inline uint32_t mask_at(const vector_core_t *core) {
  (void)core;
  return TILE_BYTES;
}

// Address of a chunk of O, in UB.
static inline uint32_t output_at(const vector_core_t *core, const chunk_t *chunk) {
  return flash_tiles(core->problem) * TILE_SLOT + chunk->row * chunk->pitch;
}

// T_j.
static void load_output(const vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t slot = chunk->turn % FLASH_SLOTS * core->problem->group_rows;
  const uint64_t row = slot + core->at->first_row + chunk->row;
  data_copy_gm_to_ub(.gm = args->t + row * args->o_pitch, .gm_pitch = args->o_pitch, .ub = chunk->tile,
                     .ub_pitch = chunk->pitch, .rows = chunk->rows, .row_bytes = 4 * args->dv);
}

// O = fma(O, M_up, T).  The last one ends in the tile, and a -0 becomes +0.
static void sum_output(const vector_core_t *core, const chunk_t *chunk) {
  const uint32_t o = output_at(core, chunk);
  const bool last = last_block(core->at);
  const uint32_t to = last ? chunk->tile : o;
  const uint32_t scale = row_value(row_turn(ROW_SCALE, chunk->turn), chunk->row);
  if (chunk->block > 0) {
    tile_op(chunk, .op = VOP_FMA, .dst = to, .dst_pitch = chunk->pitch, .a = o, .c = chunk->tile,
            .c_pitch = chunk->pitch, by_row(scale));
  }
  if (chunk->block == 0 || last) {
    tile_op(chunk, .op = VOP_ADD, .dst = to, .dst_pitch = chunk->pitch, .a = chunk->tile, by_scalar(F32_ZERO));
  }
}

// l; the O of a split is as it should be.
static void divisor(uint32_t n, bool split, uint32_t divisor) {
  if (!split) {
    row_op(n, .op = VOP_MUL, .dst = divisor, .a = row_value(ROW_L, 0), by_scalar(F32_ONE));
  }
}

static inline uint32_t own_type(const vector_core_t *core) { return flash_args(core)->fp16 ? TYPE_F16 : TYPE_BF16; }

static inline bool begins_own_part(const vector_core_t *core) {
  const vector_walk_t *walk = core->at;
  const attention_unit_t *unit = &walk_place(walk)->unit;
  if (walk->row != FLASH_PART) {
    return false;
  }
  return walk->turn.stage == STAGE_SCORES ? walk->turn.block == 0 && flash_in_parts(unit)
                                          : flash_ends_in_parts(core->problem, unit, walk->turn.block);
}

static inline bool ends_own_part(const vector_core_t *core) {
  const vector_walk_t *walk = core->at;
  return walk->row + score_rows(core) == FLASH_PART &&
         flash_ends_in_parts(core->problem, &walk_place(walk)->unit, walk->turn.block);
}

static const attention_vector_hooks_t vector_hooks = {
    .start = flash_start_masks,
    .load_mask = flash_load_masks,
    .mask = flash_mask,
#if FLASH_IN_LIST || FLASH_MORE  // without them there is no time to ask for sinks
    .weigh = flash_weigh_sink,
    .finish_rows = flash_add_sinks,
#endif
    .sum_output = sum_output,
    .type = own_type,
    .begins_part = begins_own_part,
    .ends_part = ends_own_part,
    .order_frees_scores = true,
    .deals_evenly = true,
    .wide_maxima = true,
};

static const attention_vector_kernel_t kernel = {
    .output_flag = FLAG_T_READY,
    .load_output = load_output,
    .divisor = divisor,
};

// (It passes its own kernel by itself.)
void attention_vector(const attention_problem_t *problem, const attention_vector_kernel_t *none) {
  (void)none;
  core_sizes_t sizes = core_sizes(problem);
  sizes.slots = (uint8_t)(flash_tiles(problem) - flash_caps(problem));
  vector_core_t core = core_open(problem, &kernel, &sizes);
  vector_run(problem, &core);
}
