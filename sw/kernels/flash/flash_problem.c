// attention's problem, as heads of their own have it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/attention_problem_impl.h"
#include "kernels/flash/flash_problem.h"

#if FLASH_IN_LIST
static const attention_args_t *given_args(const attention_problem_t *problem) {
  return &flash_problem(problem)->args->attention;
}
#endif

static const attention_problem_hooks_t problem_hooks = {
#if FLASH_IN_LIST
    .args = given_args,
#endif
    .read = flash_read,
    .plan = flash_plan,
    .plans_alone = true,
    .slots = FLASH_SLOTS,
    .unit = flash_unit,
    .block_keys = flash_block_keys,
};
