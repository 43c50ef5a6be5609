// A vector core's part: attention's, with keys out of the cache, masks and sinks.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fp8/fp8_vector.h"

#include "kernels/attention/vector/attention_vector_impl.h"

static inline uint32_t score_rows(const vector_core_t *core) { return fp8_core_const(core)->score_rows; }

static inline uint32_t output_rows(const vector_core_t *core, const vector_walk_t *walk) {
  (void)walk;
  return score_rows(core);
}

static inline uint32_t mask_at(const vector_core_t *core) { return TILE_BYTES / SCORE_ROWS * score_rows(core); }

static const attention_vector_hooks_t vector_hooks = {
    .open = fp8_keys_open,
    .start = fp8_keys_start,
    .load = fp8_keys_load,
    .before = fp8_keys_before,
    .after = fp8_keys_after,
    .close = fp8_keys_close,
    .load_mask = fp8_load_masks,
    .mask = fp8_mask,
    .weigh = fp8_weigh_sink,
    .finish_rows = fp8_finish_rows,
    .never_splits = true,
};

void attention_vector(const attention_problem_t *problem, const attention_vector_kernel_t *kernel) {
  const core_sizes_t sizes = core_sizes(problem);
  fp8_core_t core = {.vector = core_open(problem, kernel, &sizes)};
  vector_run(problem, &core.vector);
}
