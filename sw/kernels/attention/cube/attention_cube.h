// The cube core's part of attention: C1 and C2 of every block, in the order preload asks for.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_H
#define AMALGAM_SW_KERNELS_ATTENTION_CUBE_ATTENTION_CUBE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/attention/attention_problem.h"

// The use of P_j V_j, [G][dv] FP32 with args.o_pitch.
typedef struct attention_output {
  uint64_t gm;                     // [ATTENTION_SLOTS][G rows], taken in turns
  bool slot_a_unit;                // by units, else by their blocks
  uint32_t op;                     // GM_STORE or GM_ADD_F32
  void (*before)(uint32_t block);  // FIX's waits before a block's first tile; may be NULL
  uint32_t each_flag;              // cross-core flag set when a block but the last is out
  uint32_t last_flag;              // and when the last is
} attention_output_t;

void attention_cube(const attention_problem_t *problem, const attention_output_t *output);

#endif
