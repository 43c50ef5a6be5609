// attention's problem, as lists of places have it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/attention_problem_impl.h"
#include "kernels/fp8/fp8_problem.h"

static const attention_problem_hooks_t problem_hooks = {
    .read = fp8_problem_read,
    .plan = fp8_plan,
    .scores_estimate = fp8_estimate,
    .unit = fp8_unit,
    .block_keys = fp8_block_keys,
};
