// SPDX-License-Identifier: Apache-2.0
#include "kernel/kernel.h"

base_exit_t kernel_simulate(kernel_run_t *run, base_error_t *error) { return run->ops->simulate(run, error); }

bool kernel_compare(kernel_run_t *run, base_error_t *error) {
  const judge_answer_t answer = run->ops->answer(run);
  return judge_result(&answer, &run->judge, &run->beside, &run->result, error);
}

bool kernel_judge(kernel_run_t *run, base_error_t *error) {
  const kernel_ops_t *ops = run->ops;
  if (run->machine != NULL && run->machine->soc.timing_only) {
    return true;
  }
  return ops->judge != NULL ? ops->judge(run, error) : ops->answer == NULL || kernel_compare(run, error);
}

base_exit_t kernel_verdict(const kernel_run_t *run, base_error_t *error) {
  const base_exit_t code = run->ops->verdict != NULL ? run->ops->verdict(run, error)
                                                     : kernel_result_verdict(&run->result, "output elements", error);
  return code == BASE_OK ? kernel_result_stored(&run->result, error) : code;
}

bool kernel_expected(kernel_run_t *run, bool golden, kernel_expected_t *expected, base_error_t *error) {
  error->text[0] = '\0';
  if (run->ops->expected != NULL) {
    return run->ops->expected(run, golden, expected, error);
  }
  if (run->ops->answer == NULL) {
    return false;
  }
  const judge_answer_t answer = run->ops->answer(run);
  return judge_expected(&answer, golden, expected, error);
}

void kernel_release(kernel_run_t *run) {
  if (run->ops != NULL) {
    judge_end(&run->beside);
    run->ops->release(run);
    kernel_result_free(&run->result);
  }
}
