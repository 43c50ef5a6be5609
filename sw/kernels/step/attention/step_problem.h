// The problem of base and amla, whose arguments are where an entry of the list says.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_STEP_ATTENTION_STEP_PROBLEM_H
#define AMALGAM_SW_KERNELS_STEP_ATTENTION_STEP_PROBLEM_H

#include "hal/hal.h"
#include "kernels/attention/attention_problem.h"
#include "kernels/step/step.h"
#include "lib/panic.h"

typedef struct step_problem {
  attention_problem_t attention;
  const attention_args_t *args;  // in the core's window
} step_problem_t;

// output_every_block: as attention_problem_read has it.
static inline void step_problem_read(step_problem_t *problem, const step_attention_args_t *args,
                                     bool output_every_block) {
  require(args->kind == STEP_ATTENTION_PLAIN, PANIC_ARGUMENTS);
  problem->args = hal_gm(args->args);
  attention_problem_read(&problem->attention, output_every_block);
}

#endif
