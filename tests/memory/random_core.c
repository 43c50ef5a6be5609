// SPDX-License-Identifier: Apache-2.0
#include "random_core.h"

#include "../core/core_random.h"

core_memory_t random_core_memory(core_kind_t kind) { return memory_of(kind); }
void random_core_free(core_memory_t *memory) { free_memory(memory); }
uint64_t random_core_bytes(const core_memory_t *memory, int space) { return space_bytes(memory, space); }
uint32_t random_core_below(num_rng_t *rng, uint32_t limit) { return random_below(rng, limit); }

void random_core_fill(core_kind_t kind, const core_memory_t *one, const core_memory_t *other, num_rng_t *rng) {
  fill(kind, one, rng);
  copy_memory((core_memory_t *)other, one);
}

static command_t a_load(core_kind_t kind, num_rng_t *rng) {
  const uint32_t rows = 1 + random_below(rng, 60);
  const uint64_t gm = GM_BASE + 2 * random_below(rng, 8000);
  switch (kind) {
    case CORE_CUBE:
      return COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = gm, .gm_pitch = 256, .l1 = 32 * random_below(rng, 200),
                        .rows = rows, .cols = 1 + random_below(rng, 100));
    case CORE_VECTOR:
      return COMMAND_OF(COPY_IN, copy_in, MTE2, .gm = gm, .gm_pitch = 512, .ub = 0x8000 * random_below(rng, 4),
                        .ub_pitch = 512, .rows = rows, .row_bytes = 1 + random_below(rng, 500));
    default:
      return COMMAND_OF(LOAD_EB, load_eb, LOAD, .gm = GM_BASE + 2 * random_below(rng, 4000), .gm_pitch = 96,
                        .eb = 32 * random_below(rng, 20), .eb_pitch = 96, .rows = rows, .row_bytes = 96);
  }
}

command_t random_core_command(core_kind_t kind, num_rng_t *rng) {
  return random_below(rng, 3) == 0 ? a_load(kind, rng) : random_command(rng, kind);
}

command_t random_core_exp(void) {
  return COMMAND_OF(VEC, vec, V, .op = VOP_EXP, .rows = 1, .cols = 8, .dst = 64, .dst_pitch = 32, .a_pitch = 32,
                    .pc_ = 1);
}

command_t random_core_store(uint64_t gm) {
  return COMMAND_OF(COPY_OUT, copy_out, MTE3, .ub = 64, .ub_pitch = 32, .gm = gm, .gm_pitch = 32, .rows = 1,
                    .row_bytes = 32, .pc_ = 2);
}

command_t random_core_look(uint64_t gm) { return COMMAND_OF(READ_GM, read_gm, MTE2, .gm = gm, .bytes = 64, .pc_ = 3); }

void random_core_run(core_kind_t kind, const core_memory_t *memory, const command_t *command) {
  run(kind, memory, command);
}
