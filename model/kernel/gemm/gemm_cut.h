// The cut of a product by gemm_tiles: tiles, slices of K, pieces in L1 and the order of tiles, chosen by an
// estimate of the time from the machine's rates, latencies and start of cores.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_GEMM_GEMM_CUT_H
#define AMALGAM_KERNEL_GEMM_GEMM_CUT_H

#include "kernel/gemm/gemm.h"

// Microseconds from the first core's start to the last effect. cold: the inputs come from HBM.
double gemm_cut_us(const gemm_problem_t *problem, const config_t *config, const gemm_cut_t *cut, unsigned result_bytes,
                   bool cold);

// Decides what is 0 in settings->cut and settings->splits: the least estimate of all that fit. False: what is
// given fits no L1.
bool gemm_cut_choose(const gemm_problem_t *problem, gemm_settings_t *settings, base_error_t *error);

#endif
