// GATHER_IN: rows from GM to UB, by a list of numbers.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"

bool core_gather_in_check(const core_checker_t *check, const cmd_gather_in_t *c) {
  return core_one_or_more(check, "rows", c->rows) && core_one_or_more(check, "row_bytes", c->row_bytes) &&
         core_one_or_more(check, "page", c->page) &&
         core_expect(check, c->rows - 1 <= UINT32_MAX - c->first, "first", c->first, "places below 2^32");
}

// The rows that it reads by the list are core_gather_row's.
size_t core_gather_in_operands(const cmd_gather_in_t *c, core_operand_t *operand) {
  const uint64_t begin = c->page == 0 ? 0 : c->first / c->page;
  const uint64_t end = c->page == 0 ? 0 : ((uint64_t)c->first + c->rows - (c->rows != 0)) / c->page;
  operand[0] = core_run(SPACE_GM, false, "list", core_add(c->list, 4 * begin), 4 * (end - begin + 1));
  operand[0].align = 4;
  operand[1] = core_rectangle(SPACE_UB, true, "ub", c->ub, "ub_pitch", c->ub_pitch, c->rows, c->row_bytes);
  return 2;
}

core_shape_t core_gather_in_shape(const cmd_gather_in_t *c, const core_operand_t *operand) {
  return operand->access.space == SPACE_GM ? core_in_rows(TYPE_S32, 1, operand->access.row_bytes / 4)
                                           : core_in_bytes(c->rows, c->row_bytes);
}

size_t core_gather_in_sources(const cmd_gather_in_t *c, const core_tensor_t *tensors, size_t count, uint64_t row,
                              uint64_t col, core_source_t *source) {
  (void)tensors;
  (void)col;
  source[0] = core_element(0, 0, (c->first + row) / c->page - c->first / c->page);
  return count - 1;
}

uint64_t core_gather_in_bytes(const cmd_gather_in_t *c) { return (uint64_t)c->rows * c->row_bytes; }

core_gather_t core_gather_row(const core_memory_t *memory, const cmd_gather_in_t *c, uint32_t row, uint64_t *address) {
  const uint32_t place = c->first + row;
  int32_t number;
  memcpy(&number, core_at(memory, SPACE_GM, c->list + place / c->page * UINT64_C(4)), sizeof number);
  if (number < 0) {
    return number == -1 ? CORE_GATHER_NOTHING : CORE_GATHER_WRONG;
  }
  const uint64_t from = core_add(core_mul((uint64_t)number, c->page), place % c->page);
  *address = core_add(c->gm, core_mul(from, c->gm_pitch));
  return CORE_GATHER_ROW;
}

void core_gather_in_execute(const core_memory_t *memory, const cmd_gather_in_t *c) {
  uint8_t *to = core_at(memory, SPACE_UB, c->ub);
  for (uint32_t row = 0; row < c->rows; ++row) {
    uint64_t from;
    if (core_gather_row(memory, c, row, &from) == CORE_GATHER_ROW) {
      memcpy(to + (size_t)row * c->ub_pitch, core_at(memory, SPACE_GM, from), c->row_bytes);
    } else {
      memset(to + (size_t)row * c->ub_pitch, 0, c->row_bytes);
    }
  }
}
