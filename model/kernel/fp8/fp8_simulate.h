// An FP8 problem laid out in global memory and run on the SoC.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_FP8_SIMULATE_H
#define KERNEL_FP8_SIMULATE_H

#include "kernel/fp8/fp8_problem.h"
#include "kernel/fp8/fp8_settings.h"

// out [rows][512], FP32 or BF16 bits as settings->attention.out_f32 says; lse [rows], NULL: not
// wanted.  result is filled in any case; its status is returned.  Once a process (soc.h).
soc_status_t fp8_simulate(const fp8_problem_t *problem, const fp8_settings_t *settings, void *out,
                          float *lse, soc_result_t *result);

// FLOPs: two for each multiply-add of both products, over the tokens attended to.
uint64_t fp8_flops(const fp8_problem_t *problem);

// fp8_flops over what the cube cores of the machine could do in the same cycles.
double fp8_fu(const fp8_problem_t *problem, const config_t *config, uint64_t cycles);

#endif
