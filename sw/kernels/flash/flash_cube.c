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

#if FLASH_MORE
// A piece of K or V is a page's, of which it has the first tokens.
_Static_assert((int)TILE == (int)FLASH_PAGE, "pieces are as long as pages");
static uint64_t piece_of_page(const cube_t *cube, const walk_t *walk, uint32_t row) {
  const attention_args_t *args = &cube->problem->args;
  const flash_args_t *flash = flash_problem(cube->problem)->args;
  const stage_t *stage = &walk->stage;
  const attention_unit_t *unit = walk_unit(walk);
  const uint32_t key = (uint32_t)own_first_key(cube, unit, stage) + row;
  const int32_t *table = hal_gm(flash->table + 4 * (uint64_t)(unit->entry / flash->kv_heads) * flash->table_pitch);
  const uint64_t head = (uint64_t)table[key / FLASH_PAGE] * flash->kv_heads + unit->entry % flash->kv_heads;
  return stage->output ? args->v + head * args->v_batch : args->k + head * args->k_batch;
}

static void load_piece(const cube_t *cube, const walk_t *walk) {
  const stage_t *stage = &walk->stage;
  const ring_t ring = right_ring(cube);
  const uint32_t row = stage->output ? walk->start : walk->n * TILE;
  const uint32_t column = stage->output ? walk->n * TILE : walk->start;
  const uint32_t rows = stage->output ? walk->depth : step_n(walk);
  const uint32_t pitch = stage->right_pitch;
  const bool paged = flash_problem(cube->problem)->args->table != 0;

  ring_wait_free(&ring, walk->right_use);
  data_copy_gm_to_l1(.gm = 2 * column + (paged ? piece_of_page(cube, walk, row) : stage->right + (uint64_t)row * pitch),
                     .gm_pitch = pitch, .l1 = ring_slot(&ring, walk->right_use), .rows = rows,
                     .cols = stage->output ? step_n(walk) : walk->depth);
  ring_set_full(&ring, walk->right_use);
}
#endif

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
#if FLASH_MORE
    .load_right = load_piece,
#endif
};
