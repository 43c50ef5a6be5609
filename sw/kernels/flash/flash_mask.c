// Masks scores that a row does not see: beyond its token, or by the user's mask.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/flash/flash_vector.h"

enum {
  F32_MINUS_1 = (int)0xbf800000,
  COLUMNS_AT = OUT_RING_BASE - COLUMNS_BYTES,
  CAUSAL_BITS = FOLD_BASE,  // V alone is there, and before it folds
  CAP_BITS = FOLD_BASE,
  SINKS_AT = TILE_MASK + TILE_OWN / 2,
};

void flash_start_masks(vector_core_t *core) {
  const uint32_t block = core->problem->args.block;
  if (!flash_args(core)->causal) {
    return;
  }
  vector_op(.op = VOP_COLUMN, .rows = 1, .cols = block, .dst = COLUMNS_AT, .dst_pitch = COLUMNS_BYTES);
  vector_op(.op = VOP_MUL, .rows = 1, .cols = block, .dst = COLUMNS_AT, .dst_pitch = COLUMNS_BYTES, .a = COLUMNS_AT,
            .a_pitch = COLUMNS_BYTES, by_scalar(F32_MINUS_1));
}

static uint32_t first_row_of(const vector_core_t *core, const chunk_t *chunk) {
  return walk_place(core->at)->unit.first_row + core->at->first_row + chunk->row;
}

// The first key of the chunk less the keys that token 0 sees: what a row's limit is to be less than, its token left
// out.
static int32_t keys_before(const vector_core_t *core, const chunk_t *chunk) {
  const flash_problem_t *problem = flash_problem(core->problem);
  const attention_unit_t *unit = &walk_place(core->at)->unit;
  const uint32_t first_key = attention_first_key(core->problem, unit, chunk->block);
  const uint32_t seen = flash_length(problem, unit) + 1 - problem->args->seq_q;
  return (int32_t)(first_key - seen);
}

// Is there a row that does not see all of the chunk's columns?
static bool is_cut(const vector_core_t *core, const chunk_t *chunk) {
  const flash_args_t *flash = flash_args(core);
  if (!flash->causal) {
    return false;
  }
  const uint32_t token = first_row_of(core, chunk) % flash->seq_q;
  const uint32_t least = token + chunk->rows > flash->seq_q ? 0 : token;
  return (int32_t)chunk->cols + keys_before(core, chunk) > (int32_t)least;
}

static uint32_t mask_pitch(const vector_core_t *core) { return core->problem->args.block > 256 ? 64 : 32; }

// Rows of a head follow each other in the mask, then the next head's begin again.
static void load_bits(const vector_core_t *core, const chunk_t *chunk) {
  const flash_args_t *flash = flash_args(core);
  const attention_unit_t *unit = &walk_place(core->at)->unit;
  const uint32_t key = attention_first_key(core->problem, unit, chunk->block);
  const uint32_t pitch = mask_pitch(core);
  const bool one = flash->visible_pitch == 0 || flash->seq_q == 1;
  const uint32_t first = first_row_of(core, chunk);
  for (uint32_t row = 0; row < chunk->rows;) {
    const uint32_t token = (first + row) % flash->seq_q;
    const uint32_t rows = one ? chunk->rows : min_u32(chunk->rows - row, flash->seq_q - token);
    data_copy_gm_to_ub(.gm = flash->visible + (uint64_t)token * flash->visible_pitch + key / 8,
                       .gm_pitch = one ? 0 : flash->visible_pitch, .ub = chunk->mask + row * pitch, .ub_pitch = pitch,
                       .rows = rows, .row_bytes = ceil_div(chunk->cols, 8));
    row += rows;
  }
}

// ---- Sinks ----

uint64_t flash_sink(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t row) {
  const flash_args_t *flash = flash_problem(problem)->args;
  const uint64_t head = unit->entry % flash->kv_heads;
  return flash->sink + 4 * (head * problem->args.rows + unit->first_row + row);
}

// Here with a unit's last m; splits have theirs where they are merged.
static bool weighs_sinks(const vector_core_t *core) {
  const attention_place_t *place = walk_place(core->at);
  return FLASH_HAS_SINKS && flash_args(core)->sink != 0 && core->problem->args.splits == 1 &&
         place->block + 1 == place->unit.blocks;
}

void flash_weigh_sink(const vector_core_t *core, const chunk_t *chunk) {
  const uint32_t weight = row_value(ROW_SINK, chunk->row);
  if (weighs_sinks(core)) {
    row_op(chunk->rows, .op = VOP_SUB, .dst = weight, .a = chunk->mask + SINKS_AT,
           .b = row_value(ROW_SAFE, chunk->row));
    row_op(chunk->rows, .op = VOP_EXP, .dst = weight, .a = weight);
  }
}

void flash_add_sinks(vector_core_t *core) {
  const uint32_t l = row_value(ROW_L, 0);
  if (weighs_sinks(core)) {
    row_op(core->at->rows, .op = VOP_ADD, .dst = l, .a = l, .b = row_value(ROW_SINK, 0));
  }
}

// ---- Masks ----

void flash_load_masks(const vector_core_t *core, const chunk_t *chunk) {
  const flash_args_t *flash = flash_args(core);
  if (flash_is_empty(&walk_place(core->at)->unit)) {
    return;
  }
  if (flash->visible != 0) {
    load_bits(core, chunk);
  }
  if (weighs_sinks(core)) {
    const vector_walk_t *walk = core->at;
    data_copy_gm_to_ub(.gm = flash_sink(core->problem, &walk_place(walk)->unit, walk->first_row + chunk->row),
                       .gm_pitch = TILE_OWN, .ub = chunk->mask + SINKS_AT, .ub_pitch = TILE_OWN, .rows = 1,
                       .row_bytes = 4 * chunk->rows);
  }
  if (is_cut(core, chunk)) {
    data_copy_gm_to_ub(.gm = flash->token + 4 * (uint64_t)first_row_of(core, chunk), .gm_pitch = TILE_OWN,
                       .ub = chunk->mask + TILE_MASK, .ub_pitch = TILE_OWN, .rows = 1, .row_bytes = 4 * chunk->rows);
  }
}

// FP32 bits of a number below 2^24.
static uint32_t f32_of(int32_t number) {
  const uint32_t sign = number < 0 ? 1u << 31 : 0;
  const uint32_t size = (uint32_t)(number < 0 ? -number : number);
  uint32_t exponent = 0;
  if (size == 0) {
    return F32_ZERO;
  }
  while (size >> exponent > 1) {
    exponent++;
  }
  return sign | (127 + exponent) << 23 | (size << (23 - exponent) & 0x7fffff);
}

static void hide(const chunk_t *chunk, uint32_t bits, uint32_t pitch) {
  tile_update(chunk, .op = VOP_SELECT, by_scalar(F32_MINUS_INFINITY), .c = bits, .c_pitch = pitch);
}

// A row sees the columns below its limit: -column > -limit.
static void hide_later(const vector_core_t *core, const chunk_t *chunk) {
  const uint32_t limit = row_value(ROW_LIMIT, 0);
  row_op(chunk->rows, .op = VOP_ADD, .dst = limit, .a = chunk->mask + TILE_MASK,
         by_scalar(f32_of(keys_before(core, chunk))));
  vector_op(.op = VOP_CMP_GT, .rows = chunk->rows, .cols = chunk->cols, .dst = CAUSAL_BITS,
            .dst_pitch = mask_pitch(core), .a = COLUMNS_AT, by_row(limit));
  hide(chunk, CAUSAL_BITS, mask_pitch(core));
}

// cap tanh(x / cap) as flash_args.h has it: near 0 by a cubic, elsewhere by an exponential, which has lost its digits
// there.
#define near_op(chunk, ...) tile_op(chunk, .dst = near, .dst_pitch = (chunk)->pitch, __VA_ARGS__)
static void cap_scores(const vector_core_t *core, const chunk_t *chunk) {
  const flash_args_t *flash = flash_args(core);
  const uint32_t near = (flash_tiles(core->problem) - 1) * TILE_SLOT;
  const uint32_t pitch = mask_pitch(core);
  const uint32_t above = CAP_BITS, not_below = CAP_BITS + chunk->rows * pitch;
  const uint32_t sign = 1u << 31;
  tile_op(chunk, .op = VOP_CMP_GT, .dst = above, .dst_pitch = pitch, .a = chunk->tile, by_scalar(flash->cap_near));
  tile_op(chunk, .op = VOP_CMP_GT, .dst = not_below, .dst_pitch = pitch, .a = chunk->tile,
          by_scalar(flash->cap_near | sign));
  near_op(chunk, .op = VOP_MUL, .a = chunk->tile, by_scalar(flash->cap_cubic));
  near_op(chunk, .op = VOP_MUL, .a = near, .b = chunk->tile, .b_pitch = chunk->pitch);
  near_op(chunk, .op = VOP_ADD, .a = near, by_scalar(F32_ONE));
  near_op(chunk, .op = VOP_MUL, .a = near, .b = chunk->tile, .b_pitch = chunk->pitch);
  tile_update(chunk, .op = VOP_MUL, by_scalar(flash->cap_inverse));
  tile_update(chunk, .op = VOP_EXP);
  tile_update(chunk, .op = VOP_ADD, by_scalar(F32_ONE));
  tile_update(chunk, .op = VOP_RECIP);
  tile_update(chunk, .op = VOP_MUL, by_scalar(flash->cap_twice | sign));
  tile_update(chunk, .op = VOP_ADD, by_scalar(flash->cap));
  near_op(chunk, .op = VOP_SELECT, .a = chunk->tile, .b = near, .b_pitch = chunk->pitch, .c = above, .c_pitch = pitch);
  tile_op(chunk, .op = VOP_SELECT, .dst = chunk->tile, .dst_pitch = chunk->pitch, .a = near, .b = chunk->tile,
          .b_pitch = chunk->pitch, .c = not_below, .c_pitch = pitch);
}

void flash_mask(const vector_core_t *core, const chunk_t *chunk) {
  if (flash_is_empty(&walk_place(core->at)->unit)) {
    tile_update(chunk, .op = VOP_BROADCAST, by_scalar(F32_MINUS_INFINITY));
    return;
  }
  if (flash_caps(core->problem)) {
    cap_scores(core, chunk);
  }
  if (flash_args(core)->visible != 0) {
    hide(chunk, chunk->mask, mask_pitch(core));
  }
  if (is_cut(core, chunk)) {
    hide_later(core, chunk);
  }
}
