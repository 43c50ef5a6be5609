// SPDX-License-Identifier: Apache-2.0
#include "core/work.h"

#include "core/core_internal.h"

static void add_mmad(core_work_t *sum, const cmd_mmad_t *c) {
  const uint64_t macs = (uint64_t)c->m * c->n * c->k;
  *(core_type_bytes(c->type) == 1 ? &sum->macs_8 : &sum->macs_16) += macs;
}

static void add_vector(core_work_t *sum, uint64_t bytes, bool hard) {
  *(hard ? &sum->vector_hard : &sum->vector) += bytes;
}

static void add_attn(core_work_t *sum, num_design_t design, const cmd_attn_t *c) {
  for (size_t query = 0; query < c->queries; ++query) {
    sum->engine[design] += (uint64_t)core_attn_limit(c, query) * c->dim;
  }
}

void core_add_work(core_work_t *sum, const core_memory_t *memory, const command_t *command, const core_access_t *access,
                   size_t count) {
  for (size_t i = 0; i < count; ++i) {
    sum->moved[access[i].space] += access[i].rows * access[i].row_bytes;
  }
  switch (command->header.opcode_) {
    case OP_MMAD:
      add_mmad(sum, &command->mmad);
      break;
    case OP_VEC:
      add_vector(sum, core_vec_work(&command->vec), core_vec_is_hard(&command->vec));
      break;
    case OP_VINST:
      add_vector(sum, core_vinst_work(&command->vinst), core_vinst_is_hard(&command->vinst));
      break;
    case OP_ATTN:
      add_attn(sum, memory->engine->design, &command->attn);
      break;
    default:
      break;
  }
}
