// The merge of flash.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/flash/flash_ub.h"

#include "kernels/flash/flash_vector.h"

enum { SINKS_AT = TILE_BYTES + TILE_MASK };

// The sinks of a step's rows, with the last split.
static void load_sinks(const vector_core_t *core, const attention_unit_t *unit, uint32_t row, uint32_t rows,
                       uint32_t tile) {
  if (FLASH_HAS_SINKS && flash_args(core)->sink != 0) {
    data_copy_gm_to_ub(.gm = flash_sink(core->problem, unit, row), .gm_pitch = TILE_OWN, .ub = tile + SINKS_AT,
                       .ub_pitch = TILE_OWN, .rows = 1, .row_bytes = 4 * rows);
  }
}

// l + exp(sink - m)
static void add_sinks(const vector_core_t *core, uint32_t rows, uint32_t tile, uint32_t l) {
  const uint32_t weight = row_value(ROW_SINK, 0);
  if (FLASH_HAS_SINKS && flash_args(core)->sink != 0) {
    row_op(rows, .op = VOP_SUB, .dst = weight, .a = tile + SINKS_AT, .b = row_value(ROW_SAFE, 0));
    row_op(rows, .op = VOP_EXP, .dst = weight, .a = weight);
    row_op(rows, .op = VOP_ADD, .dst = l, .a = l, .b = weight);
  }
}

#define MERGE_LOAD_LAST load_sinks
#define MERGE_FINISH add_sinks
#include "kernels/attention/vector/attention_merge_impl.h"
