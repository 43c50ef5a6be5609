// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention_vector.h"

#include <stddef.h>

#include "lib/panic.h"

vector_core_t attention_vector_core(const attention_problem_t *problem) {
  const uint32_t rows = problem->args.rows;
  const uint32_t share = ceil_div(rows, (uint32_t)hal_read(REG_SUB_COUNT));
  const uint32_t first = min_u32(share * (uint32_t)hal_read(REG_SUB_INDEX), rows);
  require(share <= MAX_CORE_ROWS, PANIC_MACHINE);
  return (vector_core_t){
      .problem = problem, .first_row = first, .rows = min_u32(share, rows - first)};
}

void attention_vector_open(void) {
  ring_open(&in_ring);
  ring_open(&out_ring);
}

void attention_vector_drain(void) {
  ring_drain(&in_ring);
  ring_drain(&out_ring);
}

void attention_reset_rows(const vector_core_t *core) {
  if (core->rows == 0) {
    return;
  }
  const uint32_t m = row_value(row_pair(ROW_M, UINT32_MAX), 0);
  row_op(core->rows, .op = VOP_BROADCAST, .dst = m, by_scalar(F32_MINUS_INFINITY));
  row_op(core->rows, .op = VOP_BROADCAST, .dst = row_value(ROW_L, 0), by_scalar(F32_ZERO));
}

// ---- V1 ----

static void load_scores(const vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t row = core->first_row + chunk->row;
  const uint32_t pitch = 4 * args->block;

  ring_wait_free(&in_ring, core->in);
  if (args->visible != 0) {
    data_copy_gm_to_ub(.gm = args->visible + (uint64_t)row * args->visible_pitch +
                             chunk->block * args->block / 8,
                       .gm_pitch = args->visible_pitch, .ub = chunk->mask, .ub_pitch = MASK_PITCH,
                       .rows = chunk->rows, .row_bytes = ceil_div(chunk->cols, 8));
  }
  data_copy_gm_to_ub(.gm = attention_scores(core->problem, chunk->block) + row * pitch,
                     .gm_pitch = pitch, .ub = chunk->tile, .ub_pitch = chunk->pitch,
                     .rows = chunk->rows, .row_bytes = 4 * chunk->cols);
  ring_set_full(&in_ring, core->in);
}

// m, and how much smaller exp(-m) became: M_up = exp(m_prev - m).  A row that was not live has
// m_prev = -inf, so 0; -inf - -inf is kept out by taking 0 for m while a row is not live.
static void update_maximum(const chunk_t *chunk) {
  const uint32_t n = chunk->rows;
  const uint32_t previous = row_value(row_pair(ROW_M, chunk->block - 1), chunk->row);
  const uint32_t m = row_value(row_pair(ROW_M, chunk->block), chunk->row);
  const uint32_t live = row_live(chunk->row, chunk->block);
  const uint32_t safe = row_value(ROW_SAFE, chunk->row);
  const uint32_t scale = row_value(row_pair(ROW_SCALE, chunk->block), chunk->row);
  const uint32_t temp = row_value(ROW_TEMP, chunk->row);

  tile_op(chunk, .op = VOP_ROW_MAX, .dst = temp, .a = chunk->tile);
  row_op(n, .op = VOP_MAX, .dst = m, .a = temp, .b = previous);
  row_op(n, .op = VOP_CMP_GT, .dst = live, .a = m, by_scalar(F32_MINUS_INFINITY));
  row_op(n, .op = VOP_SELECT, .dst = safe, .a = m, by_scalar(F32_ZERO), .c = live);
  row_op(n, .op = VOP_SUB, .dst = scale, .a = previous, .b = safe);
  row_op(n, .op = VOP_EXP, .dst = scale, .a = scale);
}

// Scores to P = exp(S - m), in place; m and l brought up to date.
static void exponentiate(const vector_core_t *core, const chunk_t *chunk) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t tile = chunk->tile;
  const uint32_t l = row_value(ROW_L, chunk->row);
  const uint32_t scale = row_value(row_pair(ROW_SCALE, chunk->block), chunk->row);
  const uint32_t temp = row_value(ROW_TEMP, chunk->row);

  tile_op(chunk, .op = VOP_MUL, .dst = tile, .dst_pitch = chunk->pitch, .a = tile,
          by_scalar(args->scale));
  if (args->visible != 0) {
    tile_op(chunk, .op = VOP_SELECT, .dst = tile, .dst_pitch = chunk->pitch, .a = tile,
            by_scalar(F32_MINUS_INFINITY), .c = chunk->mask, .c_pitch = MASK_PITCH);
  }
  update_maximum(chunk);
  tile_op(chunk, .op = VOP_SUB, .dst = tile, .dst_pitch = chunk->pitch, .a = tile,
          .b = row_value(ROW_SAFE, chunk->row), .b_kind = OPERAND_ROW);
  tile_op(chunk, .op = VOP_EXP, .dst = tile, .dst_pitch = chunk->pitch, .a = tile);
  tile_op(chunk, .op = VOP_ROW_SUM, .dst = temp, .a = tile);
  row_op(chunk->rows, .op = VOP_MUL, .dst = l, .a = l, .b = scale);
  row_op(chunk->rows, .op = VOP_ADD, .dst = l, .a = l, .b = temp);
}

// P as BF16 into an out slot, which gives the in slot back, and on to workspace p.
static void store_probabilities(vector_core_t *core, const chunk_t *chunk) {
  const attention_problem_t *problem = core->problem;
  const uint32_t pitch = 2 * problem->args.block;
  const uint32_t row = core->first_row + chunk->row;

  ring_wait_free(&out_ring, core->out);
  tile_op(chunk, .op = VOP_CAST, .dst = ring_slot(&out_ring, core->out), .dst_pitch = pitch,
          .a = chunk->tile, .from = TYPE_F32, .to = TYPE_BF16, .round = ROUND_NEAREST);
  ring_set_free(&in_ring, core->in);
  core->in++;
  attention_store(core, chunk->rows, pitch,
                  attention_probabilities(problem, chunk->block) + row * pitch, pitch,
                  2 * chunk->cols, GM_STORE);
}

void attention_softmax(vector_core_t *core, uint32_t block,
                       void (*weigh)(const vector_core_t *core, const chunk_t *chunk)) {
  const attention_problem_t *problem = core->problem;
  // The cube core's stores of S_j come before our loads of it.
  cross_core_wait_flag(PIPE_MTE2, FLAG_S_READY);
  for (uint32_t row = 0; row < core->rows; row += SCORE_ROWS) {
    const uint32_t slot = ring_slot(&in_ring, core->in);
    const chunk_t chunk = {.block = block,
                           .row = row,
                           .rows = min_u32(SCORE_ROWS, core->rows - row),
                           .cols = attention_block_keys(problem, block),
                           .tile = slot,
                           .mask = slot + IN_TILE,
                           .pitch = 4 * problem->args.block};
    load_scores(core, &chunk);
    ring_wait_full(&in_ring, core->in);
    exponentiate(core, &chunk);
    if (weigh != NULL) {
      weigh(core, &chunk);
    }
    store_probabilities(core, &chunk);
  }
  if (block + ATTENTION_SLOTS < problem->blocks) {
    cross_core_set_flag(PIPE_MTE2, FLAG_S_FREE);
  }
  if (core->rows > 0) {
    cross_core_set_flag(PIPE_MTE3, FLAG_P_READY);
  } else {
    // Without rows nothing holds MTE3 back; MTE2 at least keeps pace with the cube core.
    cross_core_set_flag(PIPE_MTE2, FLAG_P_READY);
  }
}

// ---- The output ----

chunk_t attention_output_chunk(const vector_core_t *core, uint32_t block, uint32_t row) {
  const uint32_t slot = ring_slot(&in_ring, core->in);
  const uint32_t dv = core->problem->args.dv;
  return (chunk_t){.block = block,
                   .row = row,
                   .rows = min_u32(OUTPUT_ROWS, core->rows - row),
                   .cols = dv,
                   .tile = slot,
                   .mask = slot + IN_TILE,
                   .pitch = round_up(4 * dv, 32)};
}

uint64_t attention_o_row(const vector_core_t *core, uint32_t row) {
  const attention_args_t *args = &core->problem->args;
  return args->o + (uint64_t)(core->first_row + row) * args->o_pitch;
}

void attention_store(vector_core_t *core, uint32_t rows, uint32_t ub_pitch, uint64_t gm,
                     uint32_t gm_pitch, uint32_t row_bytes, uint32_t op) {
  const uint32_t use = core->out++;
  ring_set_full(&out_ring, use);
  ring_wait_full(&out_ring, use);
  data_copy_ub_to_gm(.ub = ring_slot(&out_ring, use), .ub_pitch = ub_pitch, .gm = gm,
                     .gm_pitch = gm_pitch, .rows = rows, .row_bytes = row_bytes, .op = op);
  ring_set_free(&out_ring, use);
}

void attention_finish(vector_core_t *core, const chunk_t *chunk, uint32_t divisor) {
  const attention_args_t *args = &core->problem->args;
  const uint32_t o = chunk->tile;
  const uint32_t l = chunk->tile + IN_TILE / 2;  // l over the whole tile, for a mask by element
  const uint32_t pitch = chunk->pitch;
  const uint32_t out = ring_slot(&out_ring, core->out);
  const uint32_t element = args->out_f32 ? 4 : 2;
  const uint32_t row_bytes = element * args->dv;
  const uint32_t out_pitch = round_up(row_bytes, 32);
  const uint64_t row = (uint64_t)core->entry * args->rows + core->first_row + chunk->row;

  tile_op(chunk, .op = VOP_DIV, .dst = o, .dst_pitch = pitch, .a = o, .b_kind = OPERAND_ROW,
          .b = row_value(divisor, chunk->row));
  tile_op(chunk, .op = VOP_BROADCAST, .dst = l, .dst_pitch = pitch, .b_kind = OPERAND_ROW,
          .b = row_value(ROW_L, chunk->row));
  tile_op(chunk, .op = VOP_CMP_EQ, .dst = chunk->mask, .dst_pitch = MASK_PITCH, .a = l,
          by_scalar(F32_ZERO));
  ring_wait_free(&out_ring, core->out);
  // Where l is 0 it is the result, too.
  tile_op(chunk, .op = VOP_SELECT, .dst = args->out_f32 ? out : o, .dst_pitch = pitch, .a = l,
          .b = o, .b_pitch = pitch, .c = chunk->mask, .c_pitch = MASK_PITCH);
  if (!args->out_f32) {
    tile_op(chunk, .op = VOP_CAST, .dst = out, .dst_pitch = out_pitch, .a = o, .from = TYPE_F32,
            .to = TYPE_BF16, .round = ROUND_NEAREST);
  }
  ring_set_free(&in_ring, core->in);
  core->in++;
  attention_store(core, chunk->rows, out_pitch, args->out + row * row_bytes, row_bytes, row_bytes,
                  GM_STORE);
}
