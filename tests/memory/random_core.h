// Random commands and memories of tests/core, for tests in C++.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_MEMORY_RANDOM_CORE_H
#define AMALGAM_TESTS_MEMORY_RANDOM_CORE_H

#include "core/core.h"
#include "num/num_rng.h"

#ifdef __cplusplus
extern "C" {
#endif

core_memory_t random_core_memory(core_kind_t kind);
void random_core_free(core_memory_t *memory);
uint64_t random_core_bytes(const core_memory_t *memory, int space);
// Any bytes, the same in both.
void random_core_fill(core_kind_t kind, const core_memory_t *one, const core_memory_t *other, num_rng_t *rng);
// A command; now and then a load, so that buffers get bytes from global memory.
command_t random_core_command(core_kind_t kind, num_rng_t *rng);
uint32_t random_core_below(num_rng_t *rng, uint32_t limit);
// A VEC that reads UB 0 and a COPY_OUT that stores its result.
command_t random_core_exp(void);
command_t random_core_store(uint64_t gm);
// A READ_GM of 64 bytes.
command_t random_core_look(uint64_t gm);
// Fails if the command is not legal.
void random_core_run(core_kind_t kind, const core_memory_t *memory, const command_t *command);

#ifdef __cplusplus
}
#endif

#endif
