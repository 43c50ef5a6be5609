// The cube core's part: attention's, in FP16 or BF16, with more blocks in flight.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/flash/flash_problem.h"

#define ATTENTION_CUBE_OWN result_t before;  // whose second part is still to be stored

#include "kernels/attention/cube/attention_cube_impl.h"
#include "kernels/flash/flash_l1.h"

static inline uint32_t own_type(const cube_t *cube) {
  return flash_problem(cube->problem)->args->fp16 ? TYPE_F16 : TYPE_BF16;
}

#include "kernels/flash/flash_parts.h"

static inline uint64_t own_first_key(const cube_t *cube, const attention_unit_t *unit, const stage_t *stage) {
  return flash_is_empty(unit) ? 0 : attention_first_key(cube->problem, unit, stage->block);
}

static const attention_cube_hooks_t cube_hooks = {
    .own_base = ATTENTION_TILE,
    .whole_pieces = true,
    .slots = FLASH_SLOTS,
    .order_frees_scores = true,
    .type = own_type,
    .outputs_in_turn = true,
    .store_first = store_in_parts,
    .finishes = finishes_in_parts,
    .finish = finish_in_parts,
    .first_key = own_first_key,
};
