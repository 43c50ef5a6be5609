// Each core keeps a number of its own on its stack, one behind its code, and half a command in its window, while it
// pushes far more than it may be ahead of the machine, so that others run in between (RV64 only: a native build has no
// such RAM).
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "hal/hal.h"

enum { PUSHES = 3000, KEPT = 42, LOST = 13, BEHIND = 0x30000 };

#ifdef __riscv
// The fields of a SET_FLAG of MTE2 are in the window when the loop goes round, and its push comes then.
static void push_flags(uint8_t to, uint64_t number) {
  const uint32_t event = number % FLAG_EVENTS;
  hal_field(offsetof(cmd_set_flag_t, to), to);
  hal_field(offsetof(cmd_set_flag_t, event), event);
  for (unsigned i = 0; i < PUSHES; ++i) {
    hal_commit(OP_SET_FLAG, PIPE_MTE2, 0);
    wait_flag(PIPE_MTE2, to, event);
    hal_field(offsetof(cmd_set_flag_t, to), to);
    hal_field(offsetof(cmd_set_flag_t, event), event);
  }
}
#else
static void push_flags(uint8_t to, uint64_t number) {
  (void)to;
  (void)number;
}
#endif

static void keep(uint64_t mine, bool far, uint64_t code) {
  volatile uint64_t near[8], *behind = (volatile uint64_t *)(SCALAR_RAM_BASE + BEHIND + 8 * mine);
  for (unsigned i = 0; i < 8; ++i) {
    near[i] = mine + i;
  }
  for (unsigned i = 0; i < PUSHES; ++i) {
    if (far && i == PUSHES / 3) {
      *behind = mine;
    }
    pipe_barrier(PIPE_MTE2);
  }
  bool good = !far || *behind == mine;
  for (unsigned i = 0; i < 8; ++i) {
    good = good && near[i] == mine + i;
  }
  hal_halt(good ? code : LOST);
}

void cube_main(void) {
  push_flags(PIPE_MTE1, 1 + hal_read(REG_CORE_INDEX));
  for (unsigned i = 0; i < PUSHES; ++i) {  // the last to end
    pipe_barrier(PIPE_MTE2);
  }
  keep(100 + hal_read(REG_CORE_INDEX), false, hal_read(REG_CORE_INDEX) == 0 ? KEPT : 0);
}

void vector_main(void) {
  const uint64_t number = 2 * hal_read(REG_CORE_INDEX) + hal_read(REG_SUB_INDEX);
  push_flags(PIPE_V, 8 + number);
  keep(number, number % 3 == 1, 0);
}
