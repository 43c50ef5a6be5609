// Which elements of its operands have a say in an element of an instruction's result.
// SPDX-License-Identifier: Apache-2.0
#include "core/vector/instruction.h"

// The element that is the to-th of those taken; or what was there, of what is behind them.  All bits have a say.
static bool picks(const core_memory_t *memory, const cmd_vinst_t *c, char field, uint64_t col, uint64_t to) {
  const uint8_t *bits = core_at(memory, SPACE_UB, c->b);
  const uint64_t end = field == 'a' ? col : c->count;
  uint64_t before = 0;
  for (uint64_t i = 0; i < end && before <= to; ++i) {
    before += core_takes(c, bits, i);
  }
  return field == 'b' || (field == 'a' ? core_takes(c, bits, col) && before == to : before <= to);
}

bool core_vinst_reads(const core_memory_t *memory, const cmd_vinst_t *c, const core_tensor_t *tensors, size_t tensor,
                      uint64_t row, uint64_t col, uint64_t to) {
  const char field = tensors[tensor].field[0];
  if (c->op == VI_GATHER && field == 'b') {
    const uint64_t bytes = core_type_bits(c->type) / 8;
    const uint64_t offset = (uint64_t)core_tensor_value(memory, &tensors[0], row, to);
    return offset + bytes <= c->scalar && col * bytes < offset + bytes && offset < (col + 1) * bytes;
  }
  if (c->op == VI_GATHER_MASK) {
    return picks(memory, c, field, col, to);
  }
  if (c->op == VI_MRG_SORT4) {
    return field != 'd' || c->mode == MERGE_TO_END;
  }
  if ((c->op != VI_SELECT && c->op != VI_SELECTS) || field == 'c') {
    return core_tensor_has(&tensors[tensor], row, col);
  }
  const bool first = core_tensor_value(memory, &tensors[c->op == VI_SELECT ? 2 : 1], row, col) != 0;
  return core_tensor_has(&tensors[tensor], row, col) && first == (field == 'a');
}
