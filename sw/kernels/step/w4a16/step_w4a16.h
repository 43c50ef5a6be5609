// W4A16 as an operation of a step: kernel w4a16's walk through units, over several products.
//
// Units are tiles of c over all of k: of the first product, column by column of tiles, then of the second, and so on. A
// product without rows has none. AI core i of n takes the units i, i + n, ...
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_STEP_W4A16_STEP_W4A16_H
#define AMALGAM_SW_KERNELS_STEP_W4A16_STEP_W4A16_H

#include "kernels/step/routing.h"
#include "kernels/step/step.h"
#include "kernels/w4a16/w4a16_problem.h"

// Rows of all products are numbered through, as slots of experts are; so are units, of which product i has unit[i] to
// unit[i + 1] - 1.
struct w4a16_groups {
  routing_t rows;
  uint32_t unit[STEP_MAX_EXPERTS + 1];
  uint32_t a_pitch, c_pitch;
  uint64_t a_gap, c_gap;                      // bytes from a product's last row's end to the next one's first row
  uint64_t w_group, scale_group, zero_group;  // bytes from product to product
};

// Reads the arguments; ends the program if they are outside of the limits.
void step_w4a16_open(w4a16_t *problem, struct w4a16_groups *groups, const step_w4a16_args_t *args);

#endif
