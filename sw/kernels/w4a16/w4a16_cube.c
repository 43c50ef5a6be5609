// The cube cores' program of W4A16.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/w4a16/w4a16_cube_impl.h"

void cube_main(void) {
  cube_t cube;
  w4a16_open(&cube.problem);
  multiply(&cube);
  if (cube.problem.args.reduce == 1) {
    sync_all(PIPE_FIX);
    cross_core_set_flag(PIPE_FIX, FLAG_MULTIPLIED);
  }
}
