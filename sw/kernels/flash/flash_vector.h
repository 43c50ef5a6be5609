// A vector core of kernel flash: masks that are computed, and O in UB.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FLASH_FLASH_VECTOR_H
#define AMALGAM_SW_KERNELS_FLASH_FLASH_VECTOR_H

#include "kernels/flash/flash_ub.h"

#include "kernels/attention/vector/attention_vector.h"
#include "kernels/flash/flash_problem.h"

enum { ROW_LIMIT = ROW_KERNEL, ROW_FLASH_END };  // minus the number of columns that a row sees
_Static_assert((int)ROW_FLASH_END <= (int)ROW_VALUES, "row values do not fit in UB");

static inline const flash_args_t *flash_args(const vector_core_t *core) { return flash_problem(core->problem)->args; }

// ---- Masks (flash_mask.c) ----

void flash_start_masks(vector_core_t *core);
// With a chunk's scores: bits of the user's mask, tokens of its rows.
void flash_load_masks(const vector_core_t *core, const chunk_t *chunk);
// -inf for what a row does not see.
void flash_mask(const vector_core_t *core, const chunk_t *chunk);

#endif
