// attention's problem, as lists of places have it.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/attention_problem_impl.h"
#include "kernels/fp8/fp8_problem.h"

#if FP8_IN_LIST
static const attention_args_t *given_args(const attention_problem_t *problem) {
  return &fp8_problem(problem)->args->attention;
}
#endif

static const attention_problem_hooks_t problem_hooks = {
#if FP8_IN_LIST
    .args = given_args,
#endif
    .read = fp8_problem_read,
    .plan = fp8_plan,
    .unit = fp8_unit,
    .block_keys = fp8_block_keys,
};
