// The vector cores' program of W4A16; that of the cube cores is in w4a16_cube.c.
//
//          vector cores              cube cores                 vector cores
//   w ---> dequantise ---> B ---> multiply, by slices ---> sums ---> add, cast ---> c
//
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/w4a16/w4a16_problem.h"

void vector_main(void) {
  w4a16_t problem;
  w4a16_open(&problem);
  w4a16_dequantise(&problem);
  if (problem.args.reduce == 1) {
    w4a16_reduce(&problem);
  }
}
