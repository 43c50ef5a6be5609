// The vector cores' program of W4A16; that of the cube cores is in w4a16_cube.c.
//
//          vector cores              cube cores                 vector cores
//   w ---> dequantise ---> B ---> multiply, by slices ---> sums ---> add, cast ---> c
//
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/w4a16/w4a16_problem.h"
#include "lib/slice_sum.h"

void vector_main(void) {
  w4a16_t problem;
  w4a16_open(&problem);
  w4a16_dequantise(&problem);
  if (problem.args.reduce == 1) {
    const slice_sum_t sum = {.partial = problem.args.partial,
                             .partial_bytes = problem.args.partial_bytes,
                             .out = problem.args.c,
                             .elements = (uint64_t)problem.args.m * problem.args.n,
                             .slices = problem.args.splits,
                             .type = problem.args.out_f32 ? TYPE_F32 : TYPE_F16};
    slice_sum_add(&sum, FLAG_MULTIPLIED);
  }
}
