// LOAD_KV: keys and values from GM to an engine's SRAM.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"

bool core_load_kv_check(const core_checker_t *check, const cmd_load_kv_t *c) {
  return core_check_dim(check, c->dim) && core_check_keys(check, c->keys, c->stride);
}

static core_operand_t keys_or_values(const char *field, uint64_t base, const char *pitch_field, uint64_t pitch,
                                     const cmd_load_kv_t *c) {
  core_operand_t operand =
      core_rectangle(SPACE_GM, false, field, base, pitch_field, pitch, c->keys, (uint64_t)c->dim * 2);
  operand.align = 2;
  return operand;
}

size_t core_load_kv_operands(const cmd_load_kv_t *c, core_operand_t *operand) {
  operand[0] = keys_or_values("k_gm", c->k_gm, "k_pitch", c->k_pitch, c);
  operand[1] = keys_or_values("v_gm", c->v_gm, "v_pitch", c->v_pitch, c);
  operand[2] = core_kv_rows(true, c->row, c->stride);
  return 3;
}

core_shape_t core_load_kv_shape(const cmd_load_kv_t *c, const core_operand_t *operand) {
  return operand->access.space == SPACE_GM
             ? core_in_rows(TYPE_BF16, c->keys, c->dim)
             : (core_shape_t){.type = TYPE_BF16, .layout = CORE_KEYS, .rows = c->keys, .cols = 2 * (uint64_t)c->dim};
}

size_t core_load_kv_sources(const cmd_load_kv_t *c, const core_tensor_t *tensors, size_t count, uint64_t row,
                            uint64_t col, core_source_t *source) {
  (void)tensors;
  (void)count;
  source[0] = col < c->dim ? core_element(0, row, col) : core_element(1, row, col - c->dim);
  return 1;
}

uint64_t core_load_kv_bytes(const cmd_load_kv_t *c) { return (uint64_t)c->keys * c->dim * 4; }

void core_load_kv_execute(const core_memory_t *memory, const cmd_load_kv_t *c) {
  const size_t bytes = (size_t)c->dim * sizeof(uint16_t);
  for (size_t j = 0; j < c->keys; ++j) {
    uint16_t *row = core_kv_at(memory, j / c->stride, c->row + j % c->stride);
    memcpy(row, core_at(memory, SPACE_GM, c->k_gm) + j * c->k_pitch, bytes);
    memcpy(row + c->dim, core_at(memory, SPACE_GM, c->v_gm) + j * c->v_pitch, bytes);
  }
}
