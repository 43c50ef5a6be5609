// The cut of a problem if nobody asks for one: slices of K and columns of a tile, by an estimate of the time
// that the multiplication and the reduction take. W4A16 has tiles of 128 or 256 columns, gemm also of
// 64 and 192.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_GEMM_GEMM_PLAN_H
#define AMALGAM_KERNEL_GEMM_GEMM_PLAN_H

#include "kernel/gemm/gemm.h"

// Microseconds from the first load of B to the last store of c, phases one after the other. cold:
// gemm's weights come from HBM.
double gemm_plan_us(const gemm_problem_t *problem, const config_t *config, bool cold, unsigned splits, unsigned tile_n);

// Replaces settings->splits and settings->tile_n where they are auto; splits is 1 if data-parallel.
void gemm_plan(const gemm_problem_t *problem, gemm_settings_t *settings);

#endif
