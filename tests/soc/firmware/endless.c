// Never ends: parameter 0 says with what, see the names; parameter 1 how often (0: for ever).
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/custom/custom_args.h"

enum { BROADCAST, BARRIER, SET_AND_WAIT, MEETING, LOOP, READ, TEXT };

__attribute__((noinline)) static void step(int32_t what) {
  switch (what) {
    case BROADCAST:
      vector_op(.op = VOP_BROADCAST, .rows = 64, .cols = 64, .dst = 0, .dst_pitch = 256, .b_kind = OPERAND_SCALAR);
      break;
    case BARRIER:
      pipe_barrier(PIPE_M);
      break;
    case SET_AND_WAIT:
      set_flag(PIPE_M, PIPE_FIX, 0);
      wait_flag(PIPE_M, PIPE_FIX, 0);
      break;
    case MEETING:
      sync_all(PIPE_M);
      break;
    case READ:
      hal_read(REG_CORE_INDEX);
      break;
    case TEXT:
      hal_write(REG_PUTC, 'a');
      break;
    default:
      break;
  }
}

static void run(int on_cube) {
  const custom_args_t *args = hal_gm(hal_read(REG_ARGS));
  const int32_t what = args->param[0].whole, times = args->param[1].whole;
  if (on_cube == (what != BROADCAST)) {
    for (int32_t i = 0; times == 0 || i < times; ++i) {
      step(what);
    }
  }
}

void cube_main(void) { run(1); }
void vector_main(void) { run(0); }
