// Each core keeps a number of its own on its stack and one behind its code, while it pushes far more than it may be ahead
// of the machine, so that others run in between (RV64 only: a native build has no such RAM).
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "hal/hal.h"

enum { PUSHES = 3000, KEPT = 42, LOST = 13, BEHIND = 0x30000 };

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
  for (unsigned i = 0; i < PUSHES; ++i) {   // the last to end
    pipe_barrier(PIPE_MTE2);
  }
  keep(100 + hal_read(REG_CORE_INDEX), false, hal_read(REG_CORE_INDEX) == 0 ? KEPT : 0);
}

void vector_main(void) {
  const uint64_t number = 2 * hal_read(REG_CORE_INDEX) + hal_read(REG_SUB_INDEX);
  keep(number, number % 3 == 1, 0);
}
