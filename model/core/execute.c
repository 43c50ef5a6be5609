// SPDX-License-Identifier: Apache-2.0
#include "core_internal.h"

void core_execute(const core_memory_t *memory, const command_t *command) {
  switch (command->header.opcode_) {
    case OP_LOAD_NZ:
      core_load_nz(memory, &command->load_nz);
      break;
    case OP_LOAD_A:
      core_load_a(memory, &command->load_a);
      break;
    case OP_LOAD_B:
      core_load_b(memory, &command->load_b);
      break;
    case OP_MMAD:
      core_mmad(memory, &command->mmad);
      break;
    case OP_FIXPIPE:
      core_fixpipe(memory, &command->fixpipe);
      break;
    case OP_COPY_IN:
      core_copy_in(memory, &command->copy_in);
      break;
    case OP_GATHER_IN:
      core_gather_in(memory, &command->gather_in);
      break;
    case OP_COPY_OUT:
      core_copy_out(memory, &command->copy_out);
      break;
    case OP_VEC:
      core_vec(memory, &command->vec);
      break;
    case OP_COPY_L1:
      core_copy_l1(memory, &command->copy_l1);
      break;
    case OP_LOAD_KV:
      core_load_kv(memory, &command->load_kv);
      break;
    case OP_LOAD_EB:
      core_load_eb(memory, &command->load_eb);
      break;
    case OP_ATTN:
      core_attn(memory, &command->attn);
      break;
    case OP_STORE_EB:
      core_store_eb(memory, &command->store_eb);
      break;
    default:
      break;  // flags and barriers move no data
  }
}
