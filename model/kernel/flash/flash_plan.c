// The one place where the sizes of kernel flash are chosen: blocks, groups, splits.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/flash/flash.h"
#include "kernels/flash/flash_args.h"

static size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }

size_t flash_span_rows(const flash_problem_t *problem, unsigned group_rows) {
  return problem->causal && problem->seq_q >= group_rows ? problem->seq_q : flash_rows(problem);
}

size_t flash_spans(const flash_problem_t *problem, unsigned group_rows) {
  return flash_entries(problem) * (flash_rows(problem) / flash_span_rows(problem, group_rows));
}

size_t flash_choose_block(const flash_problem_t *problem) {
  (void)problem;
  return FLASH_BLOCK;
}

size_t flash_choose_groups(const flash_problem_t *problem, const flash_settings_t *settings) {
  const size_t span = flash_span_rows(problem, settings->group_rows);
  return ceil_div(ceil_div(span, FLASH_STRIP), settings->group_rows / FLASH_STRIP);
}

size_t flash_choose_splits(const flash_problem_t *problem, const flash_settings_t *settings,
                           size_t groups) {
  const size_t blocks = ceil_div(problem->keys, problem->block);
  const size_t items = flash_spans(problem, settings->group_rows) * groups;
  size_t splits = settings->splits;
  if (splits == FLASH_SPLITS_AUTO) {
    splits = settings->machine.soc.config.soc.ai_cores / items;
    splits = splits < ATTENTION_MAX_SPLITS ? splits : ATTENTION_MAX_SPLITS;
  }
  splits = splits < blocks ? splits : blocks;
  return splits == 0 ? 1 : splits;
}
