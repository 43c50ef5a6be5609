// SPDX-License-Identifier: Apache-2.0
#include "core_internal.h"

size_t core_accesses(const command_t *command, core_access_t access[CORE_MAX_ACCESSES]) {
  core_operand_t operand[CORE_MAX_ACCESSES];
  const size_t count = core_operands(command, operand);
  for (size_t i = 0; i < count; ++i) {
    access[i] = operand[i].access;
    // Rows that lie end to end are one run of bytes, which is faster to compare.
    if (access[i].pitch == access[i].row_bytes) {
      access[i].row_bytes *= access[i].rows;
      access[i].pitch = access[i].row_bytes;
      access[i].rows = 1;
    }
  }
  return count;
}
