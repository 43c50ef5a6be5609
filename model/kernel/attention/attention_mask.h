// The keys that a query row sees: masks from files, and the causal rule.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ATTENTION_ATTENTION_MASK_H
#define AMALGAM_KERNEL_ATTENTION_ATTENTION_MASK_H

#include "kernel/attention/attention_problem.h"

// Reads --mask into problem->visible, for the shape already there.
bool attention_read_mask(attention_problem_t *problem, const char *path, base_error_t *error);

// Takes away what a causal query must not see: token i of seq_q sees keys 0 .. keys - seq_q + i.
bool attention_apply_causal(attention_problem_t *problem, base_error_t *error);

#endif
