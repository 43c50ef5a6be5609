// A vector core of kernel flash: masks that are computed, and O in UB.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_FLASH_FLASH_VECTOR_H
#define AMALGAM_SW_KERNELS_FLASH_FLASH_VECTOR_H

#include "kernels/flash/flash_ub.h"

#include "kernels/attention/vector/attention_vector.h"
#include "kernels/flash/flash_problem.h"

enum {
  ROW_LIMIT = ROW_KERNEL,  // minus the number of columns that a row sees
  ROW_SINK,                // exp(sink - m)
  ROW_FLASH_END,
};
_Static_assert((int)ROW_FLASH_END <= (int)ROW_VALUES, "row values do not fit in UB");

static inline const flash_args_t *flash_args(const vector_core_t *core) { return flash_problem(core->problem)->args; }

// Tiles in front of O. A cap works in the last of them, which the ring then leaves free.
static inline uint32_t flash_tiles(const attention_problem_t *problem) {
  return problem->args.dv > FLASH_MAX_DIM / 2 ? TILE_SLOTS - 1 : TILE_SLOTS;
}

static inline bool flash_caps(const attention_problem_t *problem) {
  return FLASH_MORE && flash_problem(problem)->args->cap != 0;
}

// ---- Masks (flash_mask.c) ----

void flash_start_masks(vector_core_t *core);
// With a chunk's scores: bits of the user's mask, tokens of its rows.
void flash_load_masks(const vector_core_t *core, const chunk_t *chunk);
// Address of the sink of a row of the unit.
uint64_t flash_sink(const attention_problem_t *problem, const attention_unit_t *unit, uint32_t row);
// exp(sink - m) of a unit's last chunks; its l with these.
void flash_weigh_sink(const vector_core_t *core, const chunk_t *chunk);
void flash_add_sinks(vector_core_t *core);
// The cap, and -inf for what a row does not see.
void flash_mask(const vector_core_t *core, const chunk_t *chunk);

#endif
