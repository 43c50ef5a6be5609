// Times of the stages of attention's kernels on a machine, near enough to plan by: C1 and C2 of a cube core, V1 and V2
// of a vector core. The operations of their firmware are counted here (sw/kernels/attention), and core/estimate.h
// says how long they take.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ATTENTION_ATTENTION_STAGES_H
#define AMALGAM_KERNEL_ATTENTION_ATTENTION_STAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "kernels/fp8/fp8_args.h"

// Scores of a vector core: rows x keys of a block, in tiles of so many rows.
typedef struct attention_scores {
  size_t rows, keys, tile_rows;
  bool tree;    // rows of P are summed by a tree, else one after the other
  bool weighs;  // P is multiplied by a value of its row (amla)
  bool cut;     // a causal mask hides some
} attention_scores_t;

// Cycles of V1's arithmetic.
double attention_scores_cycles(const config_t *config, const attention_scores_t *scores);

// Cycles of V2's arithmetic, where a block's output is added to what the blocks before left.
double attention_output_cycles(const config_t *config, size_t rows, size_t dv);

// Cycles of rows x inner x cols on a cube core, whose result of FP32 it stores row by row, row_bytes apart.
double attention_product_cycles(const config_t *config, size_t rows, size_t inner, size_t cols);
double attention_store_cycles(const config_t *config, size_t rows, size_t cols, size_t row_bytes);

// The cycles in a kernel's arguments, from all the others there: base or amla, and fp8.
attention_cycles_t attention_args_cycles(const config_t *config, const attention_args_t *args, bool amla);
attention_cycles_t fp8_args_cycles(const config_t *config, const fp8_args_t *args);

#endif
