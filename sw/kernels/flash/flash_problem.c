// attention's problem, as heads of their own have it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/attention_problem_impl.h"
#include "kernels/flash/flash_problem.h"

static const attention_problem_hooks_t problem_hooks = {
    .read = flash_read,
    .plan = flash_plan,
    .plans_alone = true,
    .slots = FLASH_SLOTS,
    .unit = flash_unit,
    .block_keys = flash_block_keys,
};
