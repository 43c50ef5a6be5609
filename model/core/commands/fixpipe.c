// FIXPIPE: a tile in L0C to GM.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"
#include "num/num_format.h"
#include "num/num_gm.h"

bool core_fixpipe_check(const core_checker_t *check, const cmd_fixpipe_t *c) {
  return core_one_or_more(check, "m", c->m) && core_one_or_more(check, "n", c->n) &&
         core_expect(check, c->type == TYPE_F32 || c->type == TYPE_BF16 || c->type == TYPE_F16, "type", c->type,
                     "TYPE_F32, TYPE_BF16 or TYPE_F16") &&
         core_expect(check, c->op == GM_STORE || (c->op == GM_ADD_F32 && c->type == TYPE_F32), "op", c->op,
                     "GM_STORE, or GM_ADD_F32 with TYPE_F32");
}

size_t core_fixpipe_operands(const cmd_fixpipe_t *c, core_operand_t *operand) {
  const uint32_t bytes = core_type_bytes(c->type);
  operand[0] = core_accumulator(false, c->l0c, c->m, c->n);
  operand[1] = core_global(true, c->gm, c->gm_pitch, c->m, (uint64_t)c->n * bytes, bytes);
  operand[1].access.atomic = c->op != GM_STORE;
  return 2;
}

core_shape_t core_fixpipe_shape(const cmd_fixpipe_t *c, const core_operand_t *operand) {
  return core_in_rows(operand->access.space == SPACE_GM ? c->type : TYPE_F32, c->m, c->n);
}

uint64_t core_fixpipe_bytes(const cmd_fixpipe_t *c) { return (uint64_t)c->m * c->n * core_type_bytes(c->type); }

void core_fixpipe_execute(const core_memory_t *memory, const cmd_fixpipe_t *c) {
  const float *l0c = (const float *)(const void *)core_at(memory, SPACE_L0C, c->l0c);
  const size_t ldc = core_round_16(c->n);
  for (size_t r = 0; r < c->m; ++r) {
    const float *from = l0c + r * ldc;
    void *to = core_at(memory, SPACE_GM, c->gm) + r * c->gm_pitch;
    if (c->op == GM_ADD_F32) {
      num_gm_apply_n(NUM_GM_ADD_F32, to, (const uint32_t *)(const void *)from, c->n, NULL);
    } else if (c->type == TYPE_BF16) {
      num_bf16_from_f32_n(from, to, c->n);
    } else if (c->type == TYPE_F16) {
      num_fp16_from_f32_n(from, to, c->n);
    } else {
      memcpy(to, from, (size_t)c->n * 4);
    }
  }
}
