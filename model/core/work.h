// The work that commands have done: operations and bytes, whatever they cost in cycles. soc/joules.h gives them
// joules.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_WORK_H
#define AMALGAM_CORE_WORK_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct core_work {
  uint64_t macs_16, macs_8;  // multiplications with their additions, by the bits of the operands
  // Elements of vector operations in bytes of their wider type: of division, roots and exponentials, and of all others.
  uint64_t vector_hard, vector;
  uint64_t moved[SPACE_COUNT];   // bytes read and written; of SPACE_KV rows
  uint64_t engine[NUM_DESIGNS];  // elements of keys that attention engines have met with a query
} core_work_t;

// Adds the work of a command that passed core_check. memory: its core's, whose engine an ATTN needs. access: what
// core_accesses gives for it.
void core_add_work(core_work_t *sum, const core_memory_t *memory, const command_t *command, const core_access_t *access,
                   size_t count);

#ifdef __cplusplus
}
#endif

#endif
