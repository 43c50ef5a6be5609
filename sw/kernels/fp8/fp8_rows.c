// Additions of kernel fp8 to amla's V1: masks, sinks, log-sum-exp.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_vector.h"
#include "lib/tiling.h"

enum {
  F32_MINUS_1 = (int)0xbf800000,
  F32_INFINITY = 0x7f800000,
  // Where keys are made, which are not while V is here: a block's column numbers, a limit as often.
  COLUMNS_AT = UB_END,
  LIMITS_AT = UB_END + 4 * ATTENTION_MAX_BLOCK,
  ALL_COLUMNS = 4 * ATTENTION_MAX_BLOCK,  // pitch
};

static bool last_block(const vector_core_t *core) {
  const attention_place_t *place = walk_place(core->at);
  return place->block + 1 == place->unit.blocks;
}

void fp8_load_masks(const vector_core_t *core, const chunk_t *chunk) {
  const fp8_args_t *fp8 = fp8_problem(core->problem)->args;
  const attention_unit_t *unit = &walk_place(core->at)->unit;
  if (fp8->index != 0 && chunk->row == 0 && fp8_places(fp8_problem(core->problem), unit) > 0) {
    const uint64_t list = fp8->index + (uint64_t)unit->entry * fp8->index_pitch;
    data_copy_gm_to_ub(.gm = list + 4 * (uint64_t)chunk->block * core->problem->args.block, .gm_pitch = 4 * chunk->cols,
                       .ub = chunk->mask, .ub_pitch = TILE_MASK, .rows = 1, .row_bytes = 4 * chunk->cols);
  }
  if (fp8->sink != 0 && last_block(core)) {
    const uint32_t row = unit->first_row + core->at->first_row + chunk->row;
    data_copy_gm_to_ub(.gm = fp8->sink + 4 * (uint64_t)row, .gm_pitch = 4 * chunk->rows, .ub = chunk->mask + TILE_MASK,
                       .ub_pitch = 4 * SCORE_ROWS, .rows = 1, .row_bytes = 4 * chunk->rows);
  }
}

// FP32 bits of a small number.
static uint32_t f32_of(uint32_t number) {
  if (number == 0) {
    return F32_ZERO;
  }
  uint32_t exponent = 0;
  while (number >> exponent > 1) {
    exponent++;
  }
  return (127 + exponent) << 23 | (number << (23 - exponent) & 0x7fffff);
}

// Columns whose bit at ROW_PLACES is 0: -inf, in rows row .. row + rows - 1 of the chunk.
static void hide(const chunk_t *chunk, uint32_t row, uint32_t rows) {
  const uint32_t tile = chunk->tile + row * chunk->pitch;
  vector_op(.op = VOP_SELECT, .rows = rows, .cols = chunk->cols, .dst = tile, .dst_pitch = chunk->pitch, .a = tile,
            .a_pitch = chunk->pitch, by_scalar(F32_MINUS_INFINITY), .c = row_value(ROW_PLACES, 0));
}

// Rows of a query token see the columns below a limit.
static void hide_from(const chunk_t *chunk, uint32_t row, uint32_t rows, uint32_t limit) {
  vector_op(.op = VOP_COLUMN, .rows = 1, .cols = chunk->cols, .dst = COLUMNS_AT, .dst_pitch = ALL_COLUMNS);
  vector_op(.op = VOP_BROADCAST, .rows = 1, .cols = chunk->cols, .dst = LIMITS_AT, .dst_pitch = ALL_COLUMNS,
            by_scalar(f32_of(limit)));
  vector_op(.op = VOP_CMP_GT, .rows = 1, .cols = chunk->cols, .dst = row_value(ROW_PLACES, 0),
            .dst_pitch = ROW_VALUES_BYTES, .a = LIMITS_AT, .a_pitch = ALL_COLUMNS, .b = COLUMNS_AT,
            .b_pitch = ALL_COLUMNS);
  hide(chunk, row, rows);
}

static void mask_causal(const vector_core_t *core, const chunk_t *chunk) {
  const attention_problem_t *problem = core->problem;
  const fp8_args_t *fp8 = fp8_problem(problem)->args;
  const attention_unit_t *unit = &walk_place(core->at)->unit;
  const uint32_t places = fp8_places(fp8_problem(problem), unit);
  const uint32_t before = chunk->block * problem->args.block;  // places of earlier blocks
  const uint32_t first = unit->first_row + core->at->first_row + chunk->row;
  for (uint32_t row = 0; row < chunk->rows;) {
    const uint32_t token = (first + row) / fp8->heads;
    const uint32_t rows = min_u32((token + 1) * fp8->heads - first - row, chunk->rows - row);
    const uint32_t hidden = fp8->query_tokens - 1 - token;  // of the last places
    const uint32_t seen = places > hidden ? places - hidden : 0;
    const uint32_t limit = seen > before ? seen - before : 0;
    if (limit < chunk->cols) {
      hide_from(chunk, row, rows, limit);
    }
    row += rows;
  }
}

void fp8_mask(const vector_core_t *core, const chunk_t *chunk) {
  const fp8_args_t *fp8 = fp8_problem(core->problem)->args;
  if (fp8_places(fp8_problem(core->problem), &walk_place(core->at)->unit) == 0) {
    tile_update(chunk, .op = VOP_BROADCAST, by_scalar(F32_MINUS_INFINITY));
    return;
  }
  if (fp8->index != 0) {
    if (chunk->row == 0) {
      // As FP32, -1 is a NaN and greater than nothing, other numbers are 0 or more.
      vector_op(.op = VOP_CMP_GT, .rows = 1, .cols = chunk->cols, .dst = row_value(ROW_PLACES, 0),
                .dst_pitch = ROW_VALUES_BYTES, .a = chunk->mask, .a_pitch = TILE_MASK, by_scalar(F32_MINUS_1));
    }
    hide(chunk, 0, chunk->rows);
  }
  if (fp8->causal) {
    mask_causal(core, chunk);
  }
}

// exp(sink - m), with the unit's last m.
void fp8_weigh_sink(const vector_core_t *core, const chunk_t *chunk) {
  const uint32_t weight = row_value(ROW_SINK, chunk->row);
  if (fp8_problem(core->problem)->args->sink == 0 || !last_block(core)) {
    return;
  }
  row_op(chunk->rows, .op = VOP_SUB, .dst = weight, .a = chunk->mask + TILE_MASK, .b = row_value(ROW_SAFE, chunk->row));
  row_op(chunk->rows, .op = VOP_EXP, .dst = weight, .a = weight);
}

// lse = m + ln l; +inf where l is 0: the row has seen no key.
static void store_lse(vector_core_t *core) {
  const vector_walk_t *walk = core->at;
  const attention_unit_t *unit = &walk_place(walk)->unit;
  const uint32_t slot = ring_slot(&out_ring, core->out);
  const uint32_t temp = row_value(ROW_TEMP, 0);
  const uint32_t bits = row_value(ROW_BITS, 0);
  const uint64_t row = (uint64_t)unit->entry * core->problem->args.rows + unit->first_row;

  row_op(walk->rows, .op = VOP_LN, .dst = temp, .a = row_value(ROW_L, 0));
  row_op(walk->rows, .op = VOP_ADD, .dst = temp, .a = temp, .b = row_value(row_pair(ROW_M, walk->turn.block), 0));
  row_op(walk->rows, .op = VOP_CMP_GT, .dst = bits, .a = row_value(ROW_L, 0), by_scalar(F32_ZERO));
  ring_wait_free(&out_ring, core->out);
  row_op(walk->rows, .op = VOP_SELECT, .dst = slot, .a = temp, by_scalar(F32_INFINITY), .c = bits);
  attention_store(core, 1, ROW_VALUES_BYTES, fp8_problem(core->problem)->args->lse + 4 * (row + walk->first_row),
                  4 * walk->rows, 4 * walk->rows, GM_STORE);
}

void fp8_finish_rows(vector_core_t *core) {
  const fp8_args_t *fp8 = fp8_problem(core->problem)->args;
  const uint32_t rows = core->at->rows;
  const uint32_t l = row_value(ROW_L, 0);
  const uint32_t sum = row_value(ROW_SINK, 0);
  if (fp8->sink != 0) {
    row_op(rows, .op = VOP_ADD, .dst = sum, .a = l, .b = sum);
  } else {
    row_op(rows, .op = VOP_MUL, .dst = sum, .a = l, by_scalar(F32_ONE));
  }
  if (fp8->lse != 0) {
    store_lse(core);
  }
}
