// SPDX-License-Identifier: Apache-2.0
#include "kernel/flash/flash.h"

// Rows of one entry of one output; with no keys at all they stay 0.
static bool compute_rows(void *run, const size_t *row, size_t count, double *golden, float *want) {
  const flash_problem_t *problem = &((const flash_run_t *)run)->problem;
  flash_part_t part;
  const bool good = flash_part(problem, row, count, &part) &&
                    (part.attn.keys == 0 || (golden != NULL ? num_attn_golden(&part.attn, golden)
                                                            : num_attn_flash(&part.attn, NUM_ISA_AUTO, want)) == 0);
  flash_part_free(&part);
  return good;
}

static bool fp64_rows(void *run, const size_t *row, size_t count, size_t at, double *golden) {
  (void)at;
  return compute_rows(run, row, count, golden, NULL);
}

static bool contract_rows(void *run, const size_t *row, size_t count, size_t at, float *want) {
  (void)at;
  return compute_rows(run, row, count, NULL, want);
}

judge_answer_t flash_answer(kernel_run_t *kernel) {
  flash_run_t *run = (flash_run_t *)kernel;
  const flash_problem_t *problem = &run->problem;
  return (judge_answer_t){.array = "out",
                          .out = run->out,
                          .type = run->settings.out_f32 ? JUDGE_F32
                                  : problem->fp16       ? JUDGE_FP16
                                                        : JUDGE_BF16,
                          .groups = 1,
                          .rows = flash_entries(problem) * flash_rows(problem),
                          .columns = problem->dv,
                          .span = flash_rows(problem),
                          .softmax = true,
                          .operations = 2.0 * (double)problem->keys * (double)(problem->dk + problem->dv),
                          .tolerance = problem->fp16 ? FLASH_TOLERANCE_FP16 : FLASH_TOLERANCE_BF16,
                          .threads = run->settings.machine.soc.threads,
                          .run = run,
                          .fp64 = fp64_rows,
                          .contract = contract_rows};
}
