// A vector core's part of base and amla.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/vector/attention_ub.h"
#include "kernels/attention/vector/attention_vector_impl.h"

static inline uint32_t score_rows(const vector_core_t *core) {
  (void)core;
  return SCORE_ROWS;
}

static inline uint32_t output_rows(const vector_core_t *core, const vector_walk_t *walk) {
  (void)walk;
  return core->kernel->output_rows;
}

static inline uint32_t mask_at(const vector_core_t *core) {
  (void)core;
  return TILE_BYTES;
}

void attention_vector(const attention_problem_t *problem, const attention_vector_kernel_t *kernel) {
  const core_sizes_t sizes = core_sizes(problem);
  vector_core_t core = core_open(problem, kernel, &sizes);
  vector_run(problem, &core);
}
