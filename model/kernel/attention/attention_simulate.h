// An attention problem laid out in global memory and run on the SoC.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_ATTENTION_SIMULATE_H
#define KERNEL_ATTENTION_SIMULATE_H

#include "kernel/attention/attention_problem.h"
#include "kernel/attention/attention_settings.h"

// problem->splits is attention_splits.  out [batch][rows][dv], FP32 or BF16 bits as
// settings->out_f32 says; what the kernel stored.
// result is filled in any case; its status is returned.  Once a process (soc.h).
soc_status_t attention_simulate(const attention_problem_t *problem,
                                const attention_settings_t *settings, void *out,
                                soc_result_t *result);

// How many splits of the keys settings->splits is for this problem: at most one a block; auto is
// the AI cores there are for each group of rows.
size_t attention_splits(const attention_problem_t *problem, const attention_settings_t *settings);

// FLOPs as the paper counts them: two for each multiply-add of both products.
uint64_t attention_flops(const attention_problem_t *problem);

// attention_flops over what the cube cores of the machine could do in the same cycles.
double attention_fu(const attention_problem_t *problem, const config_t *config, uint64_t cycles);

#endif
