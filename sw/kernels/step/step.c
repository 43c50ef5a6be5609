// Kernel step: the operations of a list (step_args.h) one after the other, on all cores, and a barrier behind each.
//
//   vector core   V, MTE3 ----------> MTE2: SYNC_ALL --14--.  .--> MTE2 -----> V, MTE3
//                                                           X
//   cube core     FIX, M, MTE1 ----> MTE2: SYNC_ALL --15--'  '--> MTE2 -----> MTE1, M, FIX
//
// Cube cores meet, and vector cores at the same time; then each AI core's tell each other. Everything of an operation
// is done on all cores when anything of the next one begins: its stores are there, all flags are down, and buffers are
// free. The kind of core that goes on first, the one that came last, marks the end.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/step/step.h"

#include "hal/hal.h"
#include "lib/panic.h"

enum { EVENT = 31 };  // of the barrier's flags between pipes

static void pass_on(uint8_t from, uint8_t to) {
  set_flag(from, to, EVENT);
  wait_flag(from, to, EVENT);
}

static void cube_barrier(uint32_t number) {
  pass_on(PIPE_MTE1, PIPE_MTE2);
  pass_on(PIPE_M, PIPE_MTE2);
  pass_on(PIPE_FIX, PIPE_MTE2);  // it has taken the flag of the barrier before, also if it had nothing to do
  sync_all(PIPE_MTE2);
  cross_core_set_flag(PIPE_MTE2, STEP_CUBES_DONE);
  cross_core_wait_flag(PIPE_MTE2, STEP_VECTORS_DONE);
  if (hal_read(REG_CORE_INDEX) == 0) {
    mark(PIPE_MTE2, number);
  }
  pass_on(PIPE_MTE2, PIPE_MTE1);
  pass_on(PIPE_MTE2, PIPE_M);
  pass_on(PIPE_MTE2, PIPE_FIX);
}

static void vector_barrier(uint32_t number) {
  pass_on(PIPE_V, PIPE_MTE2);
  pass_on(PIPE_MTE3, PIPE_MTE2);
  sync_all(PIPE_MTE2);
  cross_core_set_flag(PIPE_MTE2, STEP_VECTORS_DONE);
  cross_core_wait_flag(PIPE_MTE2, STEP_CUBES_DONE);
  if (hal_read(REG_CORE_INDEX) == 0 && hal_read(REG_SUB_INDEX) == 0) {
    mark(PIPE_MTE2, number);
  }
  pass_on(PIPE_MTE2, PIPE_V);
  pass_on(PIPE_MTE2, PIPE_MTE3);
}

static void cube_operation(const step_entry_t *entry) {
  switch (entry->op) {
#define STEP_OP(NAME, name, cores, text)             \
  case STEP_##NAME:                                  \
    STEP_CUBE_OF_##cores(name, hal_gm(entry->args)); \
    break;
#include "kernels/step/step_ops.def"
#undef STEP_OP
    default:
      require(false, PANIC_ARGUMENTS);
  }
}

static void vector_operation(const step_entry_t *entry) {
  switch (entry->op) {
#define STEP_OP(NAME, name, cores, text)               \
  case STEP_##NAME:                                    \
    STEP_VECTOR_OF_##cores(name, hal_gm(entry->args)); \
    break;
#include "kernels/step/step_ops.def"
#undef STEP_OP
    default:
      require(false, PANIC_ARGUMENTS);
  }
}

void cube_main(void) {
  const step_args_t *args = hal_gm(hal_read(REG_ARGS));
  const step_entry_t *entries = hal_gm(args->entries);
  for (uint32_t i = 0; i < args->count; ++i) {
    cube_operation(&entries[i]);
    cube_barrier(entries[i].number);
  }
}

void vector_main(void) {
  const step_args_t *args = hal_gm(hal_read(REG_ARGS));
  const step_entry_t *entries = hal_gm(args->entries);
  for (uint32_t i = 0; i < args->count; ++i) {
    vector_operation(&entries[i]);
    vector_barrier(entries[i].number);
  }
}
