// Which pipe a run was bound by, and what it took a token.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_FP8_BOUND_H
#define KERNEL_FP8_BOUND_H

#include "kernel/fp8/fp8_simulate.h"

// Pipes of one name on all cores of a kind.
typedef struct fp8_bound {
  char core[16];           // "cube"
  const char *pipe;        // "M", NULL: there were no cycles
  double busy;             // mean share of the run's cycles, 0 to 1
} fp8_bound_t;

// The busiest.
fp8_bound_t fp8_bound(const soc_result_t *soc);

// Cycles that a pipe is busy, the mean over the cores of a kind; 0 if there are none.
double fp8_busy(const soc_result_t *soc, const char *core, const char *pipe);

// Cycles an AI core takes for a token and the query rows it has.
double fp8_cycles_per_token(const fp8_problem_t *problem, const fp8_settings_t *settings,
                            const soc_result_t *soc);

// A counter of the run over the tokens that its lists attend to; 0 without tokens.
double fp8_per_token(const fp8_problem_t *problem, uint64_t counter);

#endif
